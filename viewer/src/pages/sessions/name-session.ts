// What a session is called: its title, until then the first line of what was asked.
import type { ListedSession } from '../../../../src/core/shapes/project.ts';

const LONGEST = 120;

export function nameSession({ title, firstPrompt }: Pick<ListedSession, 'title' | 'firstPrompt'>): string {
  if (title) return title;
  const line = firstPrompt?.trim().split('\n', 1)[0] ?? '';
  if (line === '') return 'Without a prompt';
  return line.length > LONGEST ? `${line.slice(0, LONGEST).trimEnd()}…` : line;
}

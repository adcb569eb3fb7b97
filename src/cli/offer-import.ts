// What `install` offers once: the sessions of the past, read from the transcripts that Claude Code has kept.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { claudeCodeTranscripts } from '../hosts/claude-code/transcript-files.ts';
import { type Ask, isYes } from './install/ask-line.ts';

export type PastFound = { sessions: number; bytes: number };

export type Offer = {
  /** Claude Code's folder. */
  claudeFolder: string;
  /** Null: nobody can be asked. */
  ask: Ask | null;
  /** The answer is yes, without a question. */
  yes: boolean;
  /** Called when the person has answered: it is not offered again. */
  onAnswer: () => void;
  /** Runs to its end and shows how far it is, as `claude-mem import` does. */
  importPast: () => Promise<void>;
};

export async function offerImport({ claudeFolder, ask, yes, onAnswer, importPast }: Offer): Promise<void> {
  const folder = join(claudeFolder, 'projects');
  const found = countPast(folder);
  if (found.sessions === 0) return;
  const said = `Found ${describe(found)} under ${folder}; reading them costs no tokens.`;
  if (!yes && ask === null) return console.log(`${said} To import them: claude-mem import`);
  if (yes) console.log(said);
  const answer = yes ? 'yes' : ((await ask?.(`${said} Import now? [Y/n] `)) ?? null);
  // Before it begins: whoever interrupts it knows of it.
  if (answer !== null) onAnswer();
  if (answer !== '' && !isYes(answer)) return console.log('Not now. `claude-mem import` does it at any time.');
  await importPast();
}

/** Transcripts of subagents belong to their sessions: they have a size, but are no sessions. */
export function countPast(folder: string): PastFound {
  if (!existsSync(folder)) return { sessions: 0, bytes: 0 };
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.jsonl'))
    .map(({ parentPath, name }) => join(parentPath, name));
  const sizes = files.map((file) => statSync(file, { throwIfNoEntry: false })?.size ?? 0);
  return {
    sessions: files.filter((file) => claudeCodeTranscripts.describeFile(file)?.agent === null).length,
    bytes: sizes.reduce((sum, size) => sum + size, 0),
  };
}

const describe = ({ sessions, bytes }: PastFound) =>
  `${sessions.toLocaleString('en')} ${sessions === 1 ? 'session' : 'sessions'} (${formatSize(bytes)})`;

function formatSize(bytes: number): string {
  const units = ['KB', 'MB', 'GB'];
  const power = Math.min(Math.max(Math.floor(Math.log2(Math.max(bytes, 1)) / 10), 1), units.length);
  const value = bytes / 1024 ** power;
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${units[power - 1]}`;
}

// `claude-mem remember`: keeps a text as a memory.

import { plainLine } from '../../core/plain-line.ts';
import { findPaths } from '../../paths.ts';
import { printJson } from '../memory-options.ts';
import { isPerson } from '../only-person.ts';
import { openMemory } from '../open-memory.ts';
import { refuseInSilence } from '../refuse-in-silence.ts';

export type RememberOptions = { global?: boolean; title?: string; type?: string; project?: string; json?: boolean };

export async function remember(words: string[], options: RememberOptions): Promise<void> {
  const { global, title, type, project } = options;
  const said = words.join(' ');
  const text = (said === '-' ? await Bun.stdin.text() : said).trim();
  if (text === '') throw new Error('There is nothing to remember. Say it: claude-mem remember "We deploy on Tuesdays"');
  const place = project ? { project } : { cwd: process.cwd() };
  const by = isPerson() ? 'user' : 'agent';
  const paths = findPaths();
  const api = openMemory();
  const { remember: keep } = by === 'agent' ? refuseInSilence(paths, api) : api;
  const answer = await keep({ text, title, type, global, by, ...place });
  if (options.json) return printJson(answer);
  const done = answer.isNew ? 'Remembered' : 'This was known already';
  const where = global ? 'every project' : plainLine(answer.project, 80);
  console.log(`${done} as #${answer.id} in ${where}: ${plainLine(answer.title, 160)}`);
  if (global && by === 'agent')
    console.log('Searches find it. Sessions are told by themselves once you say it in your own terminal.');
}

// `claude-mem remember`: keeps a text as a memory.

import { refuseIncognito } from '../../client/memory-api.ts';
import { plainLine } from '../../core/plain-line.ts';
import { isPerson } from '../ask.ts';
import { command } from '../command.ts';
import { openMemory } from '../open-memory.ts';
import { readScope } from '../options.ts';
import { printJson } from '../print.ts';

export const rememberCommand = command({
  name: 'remember <text...>',
  about: 'keep a text as a memory; - reads it from stdin',
  options: {
    '--global': 'it holds in every project',
    '--title <title>': 'its title, if not its first words',
    '--type <type>': 'decision, bugfix, feature, refactor, discovery or change',
    '--project <name>': 'another project',
    '--json': 'as JSON',
  },
  examples: ['claude-mem remember "Releases are cut on Tuesdays" --type decision'],
  // What is not said by a person counts as said by an agent.
  who: 'anyone',
  async run(words, options) {
    const { global, title, type, project } = options;
    const said = words.join(' ');
    const text = (said === '-' ? await Bun.stdin.text() : said).trim();
    if (text === '') throw new Error('There is nothing to remember. Say it: claude-mem remember "We deploy on Tuesdays"');
    const by = isPerson() ? 'user' : 'agent';
    const api = openMemory();
    const { remember: keep } = by === 'agent' ? refuseIncognito(api) : api;
    const answer = await keep({ text, title, type, global, by, ...readScope({ project }) });
    if (options.json) return printJson(answer);
    const done = answer.isNew ? 'Remembered' : 'This was known already';
    const where = global ? 'every project' : plainLine(answer.project, 80);
    console.log(`${done} as #${answer.id} in ${where}: ${plainLine(answer.title, 160)}`);
    if (global && by === 'agent') console.log('Searches find it. Sessions are told by themselves once you say it in your own terminal.');
  },
});

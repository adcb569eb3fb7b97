// `claude-mem forget`: a person sees what would go, says yes, and gets a deletion report.
import { createMemoryApi, type MemoryApi } from '../../client/memory-api.ts';
import { renderInOrder } from '../../core/render.ts';
import type { ForgetAnswer, ForgetPreview, MemoryRow, Receipt } from '../../core/shapes/memory.ts';
import { findPaths } from '../../paths.ts';
import { askPerson } from '../ask.ts';
import { command, type OptionsOf, person } from '../command.ts';
import { readIds } from '../options.ts';
import { findTerminal, printJson, renderMemoryTable } from '../print.ts';

const OPTIONS = {
  '--yes': 'do not ask; it still takes a terminal',
  '--related': 'also what was made of the same turn and of nothing else',
  '--session <id>': 'a whole session: its memories and the records of its turns',
  '--project <name>': 'a whole project',
  '--matching <text>': 'every memory and every turn that has this text in it',
  '--hidden': 'list what a model asked to forget and what waits for you',
  '--undo': 'show again what is hidden',
  '--json': 'as JSON',
};
type ForgetOptions = OptionsOf<typeof OPTIONS>;

export const forgetCommand = command({
  name: 'forget [ids...]',
  about: 'delete memories permanently, after asking; prints a deletion report',
  options: OPTIONS,
  examples: ['claude-mem forget 123 P12', 'claude-mem forget --matching "Project Nightjar"'],
  who: ({ options }) => (options.hidden ? 'owner' : person('It hides, shows or deletes memories.')),
  async run(said, options) {
    const api = createMemoryApi(findPaths());
    if (options.hidden) return listHidden(api, options);
    if (options.session ?? options.project ?? options.matching) return forgetScope(api, said, options);
    const ids = readIds(said);
    if (ids.length === 0) throw new Error('Say what to forget: claude-mem forget 123 P12. --hidden lists what waits for you.');
    if (options.undo) return showAgain(api, ids, options);
    const { memories, missing } = await api.readMemoriesToForget(ids);
    // A wrong id may stand for another: none goes before a person has looked.
    if (missing.length > 0) throw new Error(`There is no ${nameAll(missing)}: never stored, or erased already. Nothing was erased.`);
    const there = memories.map(({ id }) => id);
    const related = options.related ?? false;
    if (!options.yes) {
      const { memories: beside } = await api.listRelated(there);
      if (!(await confirm(memories, { beside, related }))) return console.log('Nothing was erased.');
    }
    printAnswer(await api.erase(there, { related }), options);
  },
});

async function forgetScope(api: MemoryApi, said: string[], options: ForgetOptions): Promise<void> {
  const { session, project, matching } = options;
  if (said.length > 0) throw new Error('Give either ids, or one of --session, --project and --matching.');
  const scope = { ...(session && { session }), ...(project && { project }), ...(matching && { matching }) };
  const preview = await api.previewErase(scope);
  const isNothing = preview.sessions + preview.observations + preview.summaries + preview.prompts === 0;
  if (isNothing) return console.log(`There is nothing of ${preview.scope}.`);
  if (!options.yes && !(await confirmScope(preview))) return console.log('Nothing was deleted.');
  // What was shown goes, and nothing that was found since.
  const asked = matching ? { matching, ids: preview.ids } : scope;
  printAnswer(await api.eraseScope(asked), options);
}

async function confirmScope(preview: ForgetPreview): Promise<boolean> {
  const { scope, sessions, observations, summaries, prompts, memories } = preview;
  const counts = [
    count(sessions, 'session'),
    count(observations, 'observation'),
    count(summaries, 'summary', 'summaries'),
    count(prompts, 'prompt with its record', 'prompts with their records'),
  ];
  const rest = observations + summaries + prompts - memories.length;
  const more = rest > 0 ? `… and ${rest.toLocaleString('en')} more\n` : '';
  process.stderr.write(`${list(memories)}\n${more}${scope}: ${counts.filter(Boolean).join(', ')}.\n`);
  return askPerson('Delete all of it permanently? [y/N] ');
}

function printAnswer(answer: ForgetAnswer, { json }: ForgetOptions): void {
  if (json) printJson(answer);
  else console.log(answer.state === 'erased' ? describe(answer.receipt) : answer.next);
}

type Beside = { beside: MemoryRow[]; related: boolean };

async function confirm(memories: MemoryRow[], { beside, related }: Beside): Promise<boolean> {
  const fate = related ? 'Made of the same turn, and going along' : 'Made of the same turn; --related takes it along';
  const others = beside.length > 0 ? `${fate}:\n${list(beside)}\n` : '';
  process.stderr.write(`${list(memories)}\n${others}`);
  const count = memories.length + (related ? beside.length : 0);
  return askPerson(`Erase ${count === 1 ? 'it' : `these ${count}`} for good? [y/N] `);
}

async function showAgain(api: MemoryApi, ids: string[], { json }: ForgetOptions): Promise<void> {
  const answer = await api.unhide(ids);
  if (json) return printJson(answer);
  console.log(answer.ids.length > 0 ? `Shown again: ${nameAll(answer.ids)}.` : 'None of these was hidden.');
}

async function listHidden(api: MemoryApi, { json }: ForgetOptions): Promise<void> {
  const answer = await api.listHidden();
  if (json) return printJson(answer);
  const { memories } = answer;
  if (memories.length === 0) return console.log('Nothing is hidden.');
  const ids = memories.map(({ id }) => id).join(' ');
  const next = `Hidden, and still on disk. To erase: claude-mem forget ${ids}. To show again: claude-mem forget --undo ${ids}`;
  findTerminal().print(`${list(memories)}\n${next}`);
}

function list(memories: MemoryRow[]): string {
  const terminal = findTerminal();
  const options = { withProject: true };
  return terminal.isTerminal ? renderMemoryTable(memories, terminal, options) : renderInOrder(memories, options).join('\n');
}

function describe(receipt: Receipt): string {
  const { ids, at, observations, summaries, prompts, records, paragraphs, events, words, vectors } = receipt;
  const { backups, tombstones, remains, remainsIn, alsoSaidBy } = receipt;
  const removed = [
    count(receipt.sessions, 'session'),
    count(observations, 'observation'),
    count(summaries, 'summary', 'summaries'),
    count(prompts, 'prompt'),
    count(records, 'record of a turn', 'records of turns'),
    count(paragraphs, 'paragraph of a record', 'paragraphs of records'),
    count(events, 'event'),
    count(words, 'entry of the word index', 'entries of the word index'),
    count(vectors, 'vector'),
  ];
  return [
    `Erased ${ids.length > 0 && ids.length <= NAMED ? `${nameAll(ids)} ` : ''}at ${at}.`,
    `Removed: ${removed.filter(Boolean).join(', ') || 'nothing'}.${backups > 0 ? ` Also from ${count(backups, 'backup')}.` : ''}`,
    `Kept so that it does not come back: ${count(tombstones, 'tombstone') || 'no tombstone'}. ` +
      `Remains of the text found: ${remains}${remains > 0 ? ', in' : '.'}`,
    ...adviseRemains(remainsIn).map((line) => `  ${line}`),
    alsoSaidBy.length > 0
      ? `Also said by ${nameAll(alsoSaidBy)}. To erase what repeats it, too: claude-mem forget ${alsoSaidBy.join(' ')}`
      : '',
  ]
    .filter(Boolean)
    .join('\n');
}

const count = (value: number, one: string, many = `${one}s`) => (value === 0 ? '' : `${value} ${value === 1 ? one : many}`);

/** More ids than this are a number. */
const NAMED = 40;

const nameAll = (ids: string[]) => ids.map((id) => `#${id}`).join(', ');

/** Each file, below the data dir, that still holds a piece of an erased text, with its remedy. */
const adviseRemains = (files: readonly string[]): string[] => files.map((file) => `${file}: ${findRemedy(file)}`);

function findRemedy(file: string): string {
  if (file.startsWith('logs/')) return 'logs go after a week; you can delete this one now.';
  if (file.startsWith('spool/')) return 'it goes when the worker has read it: claude-mem restart.';
  return 'claude-mem vacuum writes it anew.';
}

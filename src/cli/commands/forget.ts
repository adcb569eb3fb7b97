// `claude-mem forget`: a person sees what would go, says yes, and gets a deletion report.
import type { MemoryApi } from '../../client/memory-api.ts';
import { renderInOrder } from '../../core/render.ts';
import type { ForgetAnswer, ForgetPreview, MemoryRow, Receipt } from '../../core/shapes/memory.ts';
import { askPerson } from '../ask.ts';
import { command, misuse, type OptionsOf, type Outcome, person } from '../command.ts';
import { nameIds, openAllMemory, readIds } from '../options.ts';
import { renderMemories } from '../print.ts';
import { waitFor } from '../watch-job.ts';

const OPTIONS = {
  '--yes': 'Do not ask; a terminal is still required',
  '--related': 'Also what was made of the same turn and of nothing else',
  '--session <id>': 'A whole session: its memories and the records of its turns',
  '--project <name>': 'A whole project',
  '--matching <text>': 'Every memory and every turn that contains this text',
  '--hidden': 'List what a model asked to forget and what waits for you',
  '--undo': 'Show again what is hidden',
};
export const forgetCommand = command({
  name: 'forget [ids...]',
  about: 'Delete memories permanently, after asking',
  help: 'It shows what would go, asks, deletes, and prints a deletion report that names what still says it.',
  options: OPTIONS,
  examples: ['claude-mem forget 123 P12', 'claude-mem forget --matching "Project Nightjar"'],
  who: ({ options }) => (options.hidden ? 'owner' : person('It hides, shows or deletes memories.')),
  async run(said, options) {
    const api = openAllMemory();
    if (options.hidden) return listHidden(api);
    if (options.session ?? options.project ?? options.matching) return forgetScope(api, said, options);
    const ids = readIds(said);
    if (ids.length === 0) throw misuse('Say what to forget: claude-mem forget 123 P12. --hidden lists what waits for you.');
    if (options.undo) return showAgain(api, ids);
    const { memories, missing } = await api.readMemoriesToForget(ids);
    // A mistyped id may stand for another: none goes before a person has looked.
    if (missing.length > 0) throw new Error(`There is no ${nameIds(missing)}: never stored, or deleted already. Nothing was deleted.`);
    const there = memories.map(({ id }) => id);
    const related = options.related ?? false;
    if (!options.yes) {
      const { memories: beside } = await api.listRelated(there);
      if (!confirm(memories, beside, related)) return 'Nothing was deleted.';
    }
    return report(await waitFor('Deleting, and looking for what is left', api.erase(there, { related })));
  },
});

function confirm(memories: MemoryRow[], beside: MemoryRow[], related: boolean): boolean {
  const fate = related ? 'Made of the same turn, also deleted' : 'Made of the same turn; --related deletes it too';
  const others = beside.length > 0 ? `${fate}:\n${list(beside)}\n` : '';
  const count = memories.length + (related ? beside.length : 0);
  return askPerson(`${list(memories)}\n${others}Delete ${count === 1 ? 'it' : `these ${count}`} permanently? [y/N] `);
}

async function forgetScope(api: MemoryApi, said: string[], options: OptionsOf<typeof OPTIONS>): Promise<Outcome> {
  const { session, project, matching } = options;
  if (said.length > 0) throw misuse('Give either ids, or one of --session, --project and --matching.');
  const scope = { ...(session && { session }), ...(project && { project }), ...(matching && { matching }) };
  const preview = await api.previewErase(scope);
  const isNothing = preview.sessions + preview.observations + preview.summaries + preview.prompts === 0;
  if (isNothing) return `There is nothing of ${preview.scope}.`;
  if (!options.yes && !confirmScope(preview)) return 'Nothing was deleted.';
  // What was shown goes, and nothing that was found since.
  const erasing = api.eraseScope(matching ? { matching, ids: preview.ids } : scope);
  return report(await waitFor('Deleting, and looking for what is left', erasing));
}

function confirmScope({ scope, sessions, observations, summaries, prompts, memories }: ForgetPreview): boolean {
  const counts = [
    count(sessions, 'session'),
    count(observations, 'observation'),
    count(summaries, 'summary', 'summaries'),
    count(prompts, 'prompt with its record', 'prompts with their records'),
  ];
  const rest = observations + summaries + prompts - memories.length;
  const more = rest > 0 ? `… and ${rest.toLocaleString('en')} more\n` : '';
  return askPerson(`${list(memories)}\n${more}${scope}: ${counts.filter(Boolean).join(', ')}.\nDelete all of it permanently? [y/N] `);
}

async function showAgain(api: MemoryApi, ids: string[]): Promise<Outcome> {
  const answer = await api.unhide(ids);
  return { answer, text: () => (answer.ids.length > 0 ? `Shown again: ${nameIds(answer.ids)}.` : 'None of these was hidden.') };
}

async function listHidden(api: MemoryApi): Promise<Outcome> {
  const answer = await api.listHidden();
  const ids = answer.memories.map(({ id }) => id).join(' ');
  const next = `Hidden, and still on disk. To delete: claude-mem forget ${ids}. To show again: claude-mem forget --undo ${ids}`;
  if (ids === '') return { answer, text: () => 'Nothing is hidden.' };
  return { answer, memories: () => `${list(answer.memories)}\n${next}` };
}

const list = (memories: MemoryRow[]) => renderMemories(memories, { withProject: true }, renderInOrder);

const report = (answer: ForgetAnswer): Outcome => ({
  answer,
  text: () => (answer.state === 'erased' ? describe(answer.receipt) : answer.next),
});

/** More ids than this are a number. */
const NAMED = 40;

function describe(receipt: Receipt): string {
  const { ids, at, backups, tombstones, remains, remainsIn, alsoSaidBy } = receipt;
  const removed = [
    count(receipt.sessions, 'session'),
    count(receipt.observations, 'observation'),
    count(receipt.summaries, 'summary', 'summaries'),
    count(receipt.prompts, 'prompt'),
    count(receipt.records, 'record of a turn', 'records of turns'),
    count(receipt.paragraphs, 'paragraph of a record', 'paragraphs of records'),
    count(receipt.events, 'event'),
    count(receipt.words, 'entry of the word index', 'entries of the word index'),
    count(receipt.vectors, 'vector'),
  ];
  const named = ids.length > 0 && ids.length <= NAMED ? `${nameIds(ids)} ` : '';
  const repeated = `Also said by ${nameIds(alsoSaidBy)}. To delete what repeats it, too: claude-mem forget ${alsoSaidBy.join(' ')}`;
  return [
    `Deleted ${named}at ${at}.`,
    `Removed: ${removed.filter(Boolean).join(', ') || 'nothing'}.${backups > 0 ? ` Also from ${count(backups, 'backup')}.` : ''}`,
    `Kept so that it does not come back: ${count(tombstones, 'hash', 'hashes') || 'nothing'}. ` +
      `Remains of the text found: ${remains}${remains > 0 ? ', in' : '.'}`,
    ...remainsIn.map((file) => `  ${file}: ${findRemedy(file)}`),
    ...(alsoSaidBy.length > 0 ? [repeated] : []),
  ].join('\n');
}

const count = (value: number, one: string, many = `${one}s`) => (value > 0 ? `${value} ${value === 1 ? one : many}` : '');

/** Of a file, below the data dir, that still holds a piece of a deleted text. */
function findRemedy(file: string): string {
  if (file.startsWith('logs/')) return 'logs expire after a week; you can delete this one now.';
  if (file.startsWith('spool/')) return 'it goes when the worker has read it: claude-mem restart.';
  return 'claude-mem vacuum writes it again.';
}

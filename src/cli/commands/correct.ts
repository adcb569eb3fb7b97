// The commands by which a person corrects memories: pin, incorrect, edit, replace, block.
import type { MemoryApi } from '../../client/memory-api.ts';
import { OBSERVATION_TYPES } from '../../core/observation.ts';
import { plainLine } from '../../core/plain-line.ts';
import type { CorrectionParameters } from '../../core/shapes/asked.ts';
import type { DistrustAnswer, Memory, MemoryRow, ReplaceAnswer } from '../../core/shapes/memory.ts';
import { sayCount } from '../../core/text.ts';
import { CORRECTS, command, misuse, type Outcome, oneOf } from '../command.ts';
import { openAllMemory, readIds } from '../options.ts';
import { type Column, listed } from '../print.ts';

export const pinCommand = command({
  name: 'pin <ids...>',
  about: 'Include these memories in every new session',
  options: { '--undo': 'No longer' },
  examples: ['claude-mem pin 123 124', 'claude-mem pin --undo 123'],
  who: CORRECTS,
  run: (said, { undo = false }) =>
    correctEach(said, { pinned: !undo }, (memory) => {
      const id = nameMemory(memory);
      return undo ? [`No longer pinned: ${id}.`, 'pin'] : [`Pinned: ${id}.${whyNotAdded(memory)}`, 'pin --undo'];
    }),
});

/** To pin what is never added to a session would seem to do nothing. */
function whyNotAdded({ id, isWrong, isDistrusted, isFromOutside, replacedBy }: Memory): string {
  const why = (reason: string, remedy: string) => ` ${reason}, so it is not added to sessions: ${remedy}`;
  if (replacedBy?.isCertain) return why(`It is replaced by #${replacedBy.id}`, `claude-mem replace ${id} --undo`);
  if (isWrong) return why('It is marked incorrect', `claude-mem incorrect --undo ${id}`);
  if (isDistrusted) return why('Its source is blocked', 'claude-mem block');
  return isFromOutside ? why('Its source is untrusted', 'claude-mem remember in your own words') : '';
}

export const incorrectCommand = command({
  name: 'incorrect <ids...>',
  formerly: 'wrong',
  about: 'Mark memories as incorrect: found, but never added to context',
  options: { '--undo': 'Remove the mark' },
  examples: ['claude-mem incorrect 123', 'claude-mem incorrect --undo 123'],
  who: CORRECTS,
  run: (said, { undo = false }) =>
    correctEach(said, { wrong: !undo }, (memory) =>
      undo
        ? [`No longer marked incorrect: ${nameMemory(memory)}.`, 'incorrect']
        : [`Marked incorrect, not added to sessions: ${nameMemory(memory)}.`, 'incorrect --undo'],
    ),
});

/** Says of a memory what was done, and the command that undoes it, without the id. */
type Describe = (memory: Memory) => [done: string, undo: string];

async function correctEach(said: string[], correction: CorrectionParameters, describe: Describe): Promise<Outcome> {
  const api = openAllMemory();
  const ids = readIds(said);
  if (ids.length > 1) await requireAll(api, ids);
  const memories: Memory[] = [];
  for (const id of ids) memories.push((await api.correct(id, { ...correction, by: 'user' })).memory);
  const lines = memories.map((memory) => {
    const [done, undo] = describe(memory);
    return `${done} To undo: claude-mem ${undo} ${memory.id}`;
  });
  return { answer: { memories }, text: () => lines.join('\n') };
}

/** One that is not there must not leave the others half done. A single one the worker judges itself. */
async function requireAll(api: MemoryApi, ids: string[]): Promise<void> {
  const other = ids.find((id) => !/^\d+$/.test(id));
  if (other) throw misuse(`${other} is no observation, and only these can be corrected. Nothing was changed.`);
  const { missing } = await api.readMemories(ids);
  if (missing.length > 0) throw new Error(`There is no memory ${missing.join(', ')}: forgotten or hidden, maybe. Nothing was changed.`);
}

export const editCommand = command({
  name: 'edit <id>',
  about: 'Edit a memory. The previous text is not kept',
  options: {
    '--title <title>': 'Its title',
    '--subtitle <subtitle>': 'The line below the title; "" removes it',
    '--text <text>': 'All below the title; - reads it from stdin',
    '--type <type>': oneOf('Its type', OBSERVATION_TYPES),
    '--holds': 'It still applies: nothing replaces it automatically',
  },
  examples: ['claude-mem edit 123 --title "Releases are cut on Mondays"', 'claude-mem edit 123 --holds'],
  who: CORRECTS,
  async run(said, { title, subtitle, text, type, holds }) {
    const [id = ''] = readIds([said]);
    const body = text === '-' ? await Bun.stdin.text() : text;
    const reworded: CorrectionParameters = {
      ...(title !== undefined && { title }),
      ...(subtitle !== undefined && { subtitle: subtitle || null }),
      // A text stands in the place of all that was below the title.
      ...(body !== undefined && { narrative: body, facts: [] }),
      ...(type !== undefined && { type }),
    };
    const isReworded = Object.keys(reworded).length > 0;
    if (!isReworded && !holds) {
      const example = `claude-mem edit ${id} --title "…" --text "…" --type decision`;
      throw misuse(`Say what to change: ${example}. --text - reads it from stdin. Nothing was changed.`);
    }
    const { memory } = await openAllMemory().correct(id, { ...reworded, ...(holds && { supersededBy: null }), by: 'user' });
    const undo = isReworded
      ? `The previous text is not kept; to change it again: claude-mem edit ${id}`
      : `To undo: claude-mem replace ${id} NEW`;
    return { answer: { memory }, text: () => `Changed: ${nameMemory(memory)}. ${undo}` };
  },
});

export const replaceCommand = command({
  name: 'replace <older> [newer]',
  about: 'Mark a memory as replaced by a newer one',
  help: 'It stays searchable but is never given as current.',
  options: { '--both-hold': 'Neither replaces the other, whatever the rules say', '--undo': 'It is not replaced' },
  examples: ['claude-mem replace 123 145', 'claude-mem replace 123 P34', 'claude-mem replace 123 --undo'],
  who: CORRECTS,
  async run(saidOlder, saidNewer, { undo = false, bothHold = false }) {
    if (undo && bothHold) throw misuse('Give --undo or --both-hold, not both. Nothing was changed.');
    const [older = ''] = readIds([saidOlder]);
    const [newer] = saidNewer === undefined ? [] : readIds([saidNewer]);
    const answer = await openAllMemory().replace({ older, ...(newer !== undefined && { newer }), undo, bothHold, by: 'user' });
    return { answer, text: () => describeReplaced(answer) };
  },
});

function describeReplaced({ older, newer, state }: ReplaceAnswer): string {
  const [first] = newer;
  const others = newer.map(({ id }) => `#${id}`).join(', ');
  if (state === 'undone') return `${nameMemory(older)} is not replaced by ${others}, and nothing marks it so again.`;
  const undo = `To undo: claude-mem replace ${older.id} ${first?.id} --undo`;
  const name = first ? nameMemory(first) : '';
  if (state === 'both hold') return `Both hold: ${nameMemory(older)} and ${name}. ${undo}`;
  return `${nameMemory(older)} is replaced by ${name}. It is still found, with a mark. ${undo}`;
}

export const blockCommand = command({
  name: 'block [source]',
  formerly: 'distrust',
  about: 'Add nothing from a source to sessions, or list blocked sources',
  help: 'A source is session:ID, host:NAME (an agent), origin:web, or the id of a memory: then its session.',
  options: { '--undo': 'Unblock it', '--list': 'List the blocked sources' },
  examples: ['claude-mem block 123', 'claude-mem block --undo origin:mcp'],
  who: ({ args, options }) => (args.length === 0 || options.list ? 'anyone' : CORRECTS),
  async run(said, { undo = false, list }) {
    const api = openAllMemory();
    if (said === undefined && undo) throw misuse('Say which source to unblock: claude-mem block --undo session:ID');
    if (said === undefined || list) {
      const answer = await api.listDistrusted();
      return listed(BLOCKED, answer.sources, { answer, none: 'No source is blocked. To block one: claude-mem block session:ID' });
    }
    const answer = await api.distrust({ source: said, trusted: undo, by: 'user' });
    return { answer, text: () => describeChange(answer, undo) };
  },
});

function describeChange({ source = '', isChanged, sources }: DistrustAnswer, undo: boolean): string {
  const name = plainLine(source, 200);
  if (undo) return isChanged ? `Unblocked: ${name}. To undo: claude-mem block ${name}` : `Was not blocked: ${name}. Nothing was changed.`;
  const count = sayCount(sources.find((one) => one.source === source)?.memories ?? 0, 'memories');
  return `${isChanged ? 'Blocked' : 'Blocked already'}: ${name}, ${count} not added to sessions. To undo: claude-mem block --undo ${name}`;
}

const BLOCKED: Column<DistrustAnswer['sources'][number]>[] = [
  { heading: 'source', isFlexible: true, cell: ({ source }) => source },
  { heading: 'memories', isNumber: true, cell: ({ memories }) => String(memories) },
  { heading: 'since', style: 'dim', cell: ({ since }) => since.slice(0, 10) },
];

const nameMemory = ({ id, title }: Pick<MemoryRow, 'id' | 'title'>) => `#${id} ${plainLine(title, 100).replace(/\.$/, '')}`;

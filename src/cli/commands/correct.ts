// The commands by which a person corrects memories: pin, wrong, edit, replace, distrust.
import { createMemoryApi, type MemoryApi } from '../../client/memory-api.ts';
import type { CorrectionParameters } from '../../core/correction.ts';
import { parseRef } from '../../core/memory.ts';
import { plainLine } from '../../core/plain-line.ts';
import type { DistrustAnswer, Memory, MemoryRow, ReplaceAnswer } from '../../core/shapes/memory.ts';
import { sayCount } from '../../core/text.ts';
import { findPaths } from '../../paths.ts';
import { CORRECTS, command, type OptionsOf } from '../command.ts';
import { readIds } from '../options.ts';
import { findTerminal, printJson } from '../print.ts';

export const pinCommand = command({
  name: 'pin <ids...>',
  about: 'tell sessions of these first, whatever else there is',
  options: { '--undo': 'no longer', '--json': 'as JSON' },
  examples: ['claude-mem pin 123 124', 'claude-mem pin --undo 123'],
  who: CORRECTS,
  run: (said, { undo = false, json }) =>
    correctEach({
      said,
      correction: { pinned: !undo },
      json,
      describe: (memory) => `${undo ? 'No longer pinned' : 'Pinned'}: ${nameMemory(memory)}.${whyNotTold(memory, undo)}`,
      undo: undo ? 'pin' : 'pin --undo',
    }),
});

/** To pin what nobody is told would seem to do nothing. */
function whyNotTold({ id, isWrong, isDistrusted, isFromOutside, replacedBy }: Memory, undo: boolean): string {
  if (undo) return '';
  if (replacedBy?.isCertain) return ` It is replaced by #${replacedBy.id}, so no session is told: claude-mem replace ${id} --undo`;
  if (isWrong) return ` It is marked wrong, so no session is told: claude-mem wrong --undo ${id}`;
  if (isDistrusted) return ' Its source is distrusted, so no session is told: claude-mem distrust';
  if (isFromOutside) return ' Its words are from outside, so no session is told by itself; claude-mem remember in your own words.';
  return '';
}

export const wrongCommand = command({
  name: 'wrong <ids...>',
  about: 'what these say is not so: told to no session, still found, with a mark',
  options: { '--undo': 'it is so after all', '--json': 'as JSON' },
  examples: ['claude-mem wrong 123', 'claude-mem wrong --undo 123'],
  who: CORRECTS,
  run: (said, { undo = false, json }) =>
    correctEach({
      said,
      correction: { wrong: !undo },
      json,
      describe: (memory) =>
        undo ? `No longer marked wrong: ${nameMemory(memory)}.` : `Marked wrong, told to no session: ${nameMemory(memory)}.`,
      undo: undo ? 'wrong' : 'wrong --undo',
    }),
});

const EDIT_OPTIONS = {
  '--title <title>': 'its title',
  '--subtitle <subtitle>': 'the line below the title; "" takes it away',
  '--text <text>': 'all below the title; - reads it from stdin',
  '--type <type>': 'decision, bugfix, feature, refactor, discovery or change',
  '--superseded-by <id>': 'that one holds instead: the older name of claude-mem replace',
  '--holds': 'it still holds, and nothing replaces it by itself',
  '--json': 'as JSON',
};
type EditOptions = OptionsOf<typeof EDIT_OPTIONS>;

export const editCommand = command({
  name: 'edit <id>',
  about: 'say what a memory should say; its old words are kept nowhere',
  options: EDIT_OPTIONS,
  examples: ['claude-mem edit 123 --title "Releases are cut on Mondays"', 'claude-mem edit 123 --holds'],
  who: CORRECTS,
  async run(said, options) {
    const [id = ''] = readIds([said]);
    const changes = await readChanges(options);
    if (Object.keys(changes).length === 0) {
      throw new Error(
        `Say what to change: claude-mem edit ${id} --title "…" --text "…" --type decision. ` +
          '--text - reads it from stdin. Nothing was changed.',
      );
    }
    const { memory } = await createMemoryApi(findPaths()).correct(id, { ...changes, by: 'user' });
    if (options.json) return printJson({ memory });
    console.log(`Changed: ${nameMemory(memory)}. ${undoOf(id, options)}`);
  },
});

/** A text stands in the place of all that was below the title. */
async function readChanges(options: EditOptions): Promise<CorrectionParameters> {
  const { title, subtitle, text, type, holds, supersededBy } = options;
  if (holds && supersededBy !== undefined) throw new Error('It either holds or is replaced: give --holds or --superseded-by, not both.');
  if (supersededBy !== undefined && parseRef(supersededBy)?.kind !== 'observation')
    throw new Error(
      `"${supersededBy.slice(0, 60)}" is not the id of an observation. Give one, like --superseded-by 123, or --holds if it still holds.`,
    );
  const said = text === '-' ? await Bun.stdin.text() : text;
  return {
    ...(title === undefined ? {} : { title }),
    ...(subtitle === undefined ? {} : { subtitle: subtitle || null }),
    ...(said === undefined ? {} : { narrative: said, facts: [] }),
    ...(type === undefined ? {} : { type }),
    ...(holds ? { supersededBy: null } : {}),
    ...(supersededBy === undefined ? {} : { supersededBy }),
  };
}

function undoOf(id: string, { title, subtitle, text, type, holds }: EditOptions): string {
  const isReworded = [title, subtitle, text, type].some((said) => said !== undefined);
  if (isReworded) return `The old words are kept nowhere; to change it again: claude-mem edit ${id}`;
  return `To undo: claude-mem replace ${id} ${holds ? 'NEW' : '--undo'}`;
}

export const replaceCommand = command({
  name: 'replace <older> [newer]',
  about: 'Mark a memory as replaced by a newer one. It stays searchable but is never given as current',
  options: {
    '--both-hold': 'Neither replaces the other, whatever the rules say',
    '--undo': 'It is not replaced',
    '--json': 'as JSON',
  },
  examples: ['claude-mem replace 123 145', 'claude-mem replace 123 P34', 'claude-mem replace 123 --undo'],
  who: CORRECTS,
  async run(saidOlder, saidNewer, options) {
    const { undo = false, bothHold = false } = options;
    if (undo && bothHold) throw new Error('Give --undo or --both-hold, not both. Nothing was changed.');
    const [older = ''] = readIds([saidOlder]);
    const [newer] = saidNewer === undefined ? [] : readIds([saidNewer]);
    const answer = await createMemoryApi(findPaths()).replace({
      older,
      ...(newer === undefined ? {} : { newer }),
      ...{ undo, bothHold, by: 'user' },
    });
    if (options.json) return printJson(answer);
    console.log(describe(answer));
  },
});

function describe({ older, newer, state }: ReplaceAnswer): string {
  const [first] = newer;
  const others = newer.map(({ id }) => `#${id}`).join(', ');
  if (state === 'undone') return `${nameMemory(older)} is not replaced by ${others}, and nothing marks it so again.`;
  const undo = `To undo: claude-mem replace ${older.id} ${first?.id} --undo`;
  if (state === 'both hold') return `Both hold: ${nameMemory(older)} and ${first ? nameMemory(first) : ''}. ${undo}`;
  return `${nameMemory(older)} is replaced by ${first ? nameMemory(first) : ''}. It is still found, with a mark. ${undo}`;
}

export const distrustCommand = command({
  name: 'distrust [source]',
  about: 'tell no session what came from session:ID, host:NAME, origin:web, or the session of an id; else list them',
  options: { '--undo': 'trust it again', '--list': 'whom nobody trusts', '--json': 'as JSON' },
  examples: ['claude-mem distrust 123', 'claude-mem distrust --undo origin:mcp'],
  who: ({ args, options }) => (args.length === 0 || options.list ? 'anyone' : CORRECTS),
  async run(said, { undo, list, json }) {
    const api = createMemoryApi(findPaths());
    if (said === undefined && undo) throw new Error('Say whom to trust again: claude-mem distrust --undo session:ID');
    if (said === undefined || list) {
      const answer = await api.listDistrusted();
      return json ? printJson(answer) : findTerminal().print(describeAll(answer));
    }
    const answer = await api.distrust({ source: said, trusted: undo ?? false, by: 'user' });
    if (json) return printJson(answer);
    console.log(describeChange(answer, undo ?? false));
  },
});

function describeChange({ source = '', isChanged, sources }: DistrustAnswer, undo: boolean): string {
  const name = plainLine(source, 200);
  if (undo && !isChanged) return `Was not distrusted: ${name}. Nothing was changed.`;
  if (undo) return `Trusted again: ${name}. To undo: claude-mem distrust ${name}`;
  const count = sources.find((one) => one.source === source)?.memories ?? 0;
  const done = isChanged ? 'Distrusted' : 'Distrusted already';
  return `${done}: ${name}, ${sayCount(count, 'memories')} told to no session, still found. To undo: claude-mem distrust --undo ${name}`;
}

function describeAll({ sources }: DistrustAnswer): string {
  if (sources.length === 0) return 'Every source is trusted. To distrust one: claude-mem distrust session:ID';
  return sources
    .map(({ source, since, memories }) => `${plainLine(source, 200)}  ${sayCount(memories, 'memories')}  since ${since.slice(0, 10)}`)
    .join('\n');
}

type CorrectEach = {
  said: string[];
  correction: Omit<CorrectionParameters, 'by'>;
  json: boolean | undefined;
  /** What was done to one of them. */
  describe: (memory: Memory) => string;
  /** The command that takes it back, without the ids. */
  undo: string;
};

/** Several memories, all or none of them; says what was done, each in a line. */
async function correctEach({ said, correction, json, describe, undo }: CorrectEach): Promise<void> {
  const api = createMemoryApi(findPaths());
  const memories: Memory[] = [];
  const ids = readIds(said);
  if (ids.length > 1) await requireAll(api, ids);
  for (const id of ids) {
    const { memory } = await api.correct(id, { ...correction, by: 'user' });
    memories.push(memory);
    if (!json) console.log(`${describe(memory)} To undo: claude-mem ${undo} ${id}`);
  }
  if (json) printJson({ memories });
}

/** One that is not there must not leave the others half done. A single one the worker judges itself. */
async function requireAll(api: MemoryApi, ids: string[]): Promise<void> {
  const other = ids.find((id) => !/^\d+$/.test(id));
  if (other) throw new Error(`${other} is no observation, and only these can be corrected. Nothing was changed.`);
  const { missing } = await api.readMemories(ids);
  if (missing.length === 0) return;
  const some = missing.length > 1 ? 'are no memories' : 'is no memory';
  throw new Error(`There ${some} ${missing.join(', ')}: forgotten or hidden, maybe. Nothing was changed.`);
}

const nameMemory = ({ id, title }: Pick<MemoryRow, 'id' | 'title'>) => `#${id} ${plainLine(title, 100)}`;

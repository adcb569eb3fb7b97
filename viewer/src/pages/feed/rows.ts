// The rows of the feed: by day, session and turn; the prompt as head, what came of it below. Nothing is said twice in a turn.
import type { FeedAnswer, Memory, MemoryRow } from '../../../../src/core/shapes/memory.ts';
import { startOfDay } from '../../format.ts';
import { saidIn, sameWords } from '../../same-words.ts';

export type FeedSession = FeedAnswer['sessions'][number];

type Place = { key: string; day: number };

export type Row = Place &
  (
    | { kind: 'day' }
    | { kind: 'session'; session: string; project: string; branch: string | null; known: FeedSession | null; title: string | null }
    /** The prompt, and what says nothing that the prompt does not say. */
    | { kind: 'turn'; head: MemoryRow; folded: readonly MemoryRow[] }
    | { kind: 'memory'; memory: MemoryRow; more: string | null; hasHead: boolean }
  );

type Group = { key: string; session: string; day: number; items: readonly Memory[] };

/** What is known besides the memories: prompts of turns on other pages, by id, and sessions, by theirs. */
export type Besides = { heads: ReadonlyMap<string, MemoryRow>; sessions: ReadonlyMap<string, FeedSession> };

/** The rows with what they were made of. `starts`: where the rows of each group begin. */
export type Made = {
  items: readonly Memory[];
  gone: ReadonlySet<string>;
  groups: readonly Group[];
  starts: readonly number[];
  rows: readonly Row[];
};

export const NO_ROWS: Made = { items: [], gone: new Set(), groups: [], starts: [], rows: [] };

/** Turns of sessions at work at the same time take turns in the list: so far back one is still added to. */
const OPEN_GROUPS = 8;

/** A page that comes after what is there already costs no more than itself, however long the list is. */
export function makeRows(before: Made, items: readonly Memory[], gone: ReadonlySet<string>, besides: Besides): Made {
  const count = before.items.length;
  const isLonger = gone === before.gone && count > 0 && items[0] === before.items[0] && items[count - 1] === before.items.at(-1);
  const kept = isLonger ? Math.max(0, before.groups.length - OPEN_GROUPS) : 0;
  const groups = addToGroups(isLonger ? before.groups.slice() : [], isLonger ? items.slice(count) : items, gone);
  const starts = before.starts.slice(0, kept);
  const rows = before.rows.slice(0, isLonger ? (before.starts[kept] ?? 0) : 0);
  for (const [at, group] of groups.entries()) {
    if (at < kept) continue;
    starts.push(rows.length);
    rows.push(...rowsOf(group, groups[at - 1], groups, at, besides));
  }
  return { items, gone, groups, starts, rows };
}

function addToGroups(groups: Group[], items: readonly Memory[], gone: ReadonlySet<string>): Group[] {
  for (const memory of items) {
    if (gone.has(memory.id)) continue;
    const key = `${memory.session}#${memory.promptNumber ?? memory.id}`;
    const from = Math.max(0, groups.length - OPEN_GROUPS);
    const at = groups.findLastIndex((group, index) => index >= from && group.key === key && startsOn(group, memory.at));
    const group = groups[at];
    if (group) groups[at] = { ...group, items: [...group.items, memory] };
    else groups.push({ key, session: memory.session, day: dayOf(memory.at, groups.at(-1)?.day), items: [memory] });
  }
  return groups;
}

const DAY_MS = 86_400_000;
const startsOn = ({ day }: Group, at: number) => at >= day && at < day + DAY_MS;

/** A day is asked for only where one ends: that is what takes time. */
const dayOf = (at: number, last: number | undefined) => (last !== undefined && at >= last && at < last + DAY_MS ? last : startOfDay(at));

function rowsOf(group: Group, before: Group | undefined, groups: readonly Group[], at: number, besides: Besides): Row[] {
  const { key, day, session } = group;
  const rows: Row[] = [];
  const isNewDay = before?.day !== day;
  if (isNewDay) rows.push({ kind: 'day', key: `day-${day}-${key}`, day });
  const turn = turnRows(group, besides);
  if (isNewDay || before?.session !== session) {
    const [first] = group.items;
    const known = besides.sessions.get(session) ?? null;
    const said = [turn, ...restOf(groups, at, besides)].flat();
    const isSaid = (words: string) => said.some((row) => textsOf(row).some((text) => sameWords(words, text) || saidIn(words, text)));
    // A title may be made of several, each of a turn.
    const title = known?.title && !known.title.split(/;\s+/).some(isSaid) ? known.title : null;
    rows.push({
      kind: 'session',
      key: `session-${key}-${day}`,
      ...{ day, session, project: first?.project ?? '', branch: first?.branch ?? null, known, title },
    });
  }
  return [...rows, ...turn];
}

const textsOf = (row: Row) => (row.kind === 'turn' ? [row.head.title] : row.kind === 'memory' ? [row.memory.title] : []);

/** The turns of the same session that follow, as far as they matter for its heading. */
function restOf(groups: readonly Group[], at: number, besides: Besides): Row[][] {
  const rest: Row[][] = [];
  for (let next = at + 1; next < groups.length && next <= at + OPEN_GROUPS; next++) {
    const group = groups[next];
    if (!group || group.session !== groups[at]?.session) break;
    rest.push(turnRows(group, besides));
  }
  return rest;
}

/** Oldest first: as it happened. */
function turnRows({ items, day }: Group, { heads }: Besides): Row[] {
  const inOrder = items.toReversed();
  const prompt = inOrder.find(({ kind }) => kind === 'prompt');
  const head = prompt ?? heads.get(inOrder.find(({ turn }) => turn)?.turn ?? '') ?? null;
  const asked = prompt?.text ?? head?.title ?? '';
  const folded: MemoryRow[] = [];
  const shown: Memory[] = [];
  for (const memory of inOrder) {
    if (memory.kind !== 'observation') continue;
    const isSaid = saidIn(memory.title, asked) || shown.some(({ title }) => sameWords(memory.title, title));
    if (isSaid && head) folded.push(memory);
    else shown.push(memory);
  }
  const summary = inOrder.findLast(({ kind }) => kind === 'summary');
  const last = shown.length + folded.length === 0 && summary ? withResult(summary, asked) : null;
  const rows = [...shown, ...(last ? [last] : [])].map(
    (memory): Row => ({ kind: 'memory', key: memory.id, day, memory, more: findMore(memory, asked), hasHead: head !== null }),
  );
  return head ? [{ kind: 'turn', key: `turn-${head.id}`, day, head, folded }, ...rows] : rows;
}

/** A summary is titled by what was asked, which stands above it. Null when it says no more. */
function withResult(memory: Memory, asked: string): Memory | null {
  const { summary, title } = memory;
  const texts = [summary?.completed, summary?.learned, summary?.investigated, title].flatMap((text) => text ?? []);
  const text = texts.find((one) => !saidIn(one, asked));
  return text === undefined ? null : { ...memory, title: text };
}

const FIRST_SENTENCE = /^.*?[.!?](?=\s|$)/s;

/** The first sentence that neither the title nor the prompt has said. */
function findMore({ title, subtitle, narrative, facts }: Memory, asked: string): string | null {
  const texts = [subtitle, narrative && (FIRST_SENTENCE.exec(narrative)?.[0] ?? narrative), ...facts].flatMap((text) => text ?? []);
  return texts.find((text) => !sameWords(text, title) && !saidIn(text, asked) && !saidIn(text, title)) ?? null;
}

const HEIGHTS: Record<Row['kind'], number> = { day: 40, session: 34, turn: 29, memory: 29 };

/** Near enough for what was never on the page; the real height is measured there. */
export function estimateHeight(row: Row | undefined, isRoomy: boolean): number {
  if (!row) return 29;
  if (!isRoomy) return HEIGHTS[row.kind];
  return row.kind === 'memory' && row.more ? 54 : HEIGHTS[row.kind] + 7;
}

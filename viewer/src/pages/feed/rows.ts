// The rows of the feed: by day, session and turn; the prompt as head, what came of it below. Nothing is said twice.
import type { FeedAnswer, Memory, MemoryRow } from '../../../../src/core/shapes/memory.ts';
import { startOfDay } from '../../format.ts';
import { saidIn, sameWords } from '../../same-words.ts';

export type FeedSession = FeedAnswer['sessions'][number];

type Place = { key: string; day: number };

export type Row = Place &
  (
    | { kind: 'day' }
    | {
        kind: 'session';
        /** Null for what no session made: `source` says what it is. */
        session: string | null;
        source: string;
        project: string;
        branch: string | null;
        known: FeedSession | null;
        title: string | null;
        /** Of its day. */
        isFirst: boolean;
      }
    /** The prompt. `folded`: what says nothing that its row does not say. */
    | { kind: 'turn'; head: MemoryRow; folded: readonly Memory[] }
    | { kind: 'memory'; memory: MemoryRow; folded: readonly Memory[]; more: string | null; hasHead: boolean }
  );

/** `place`: the session, or where what no session made comes from. */
type Group = { key: string; place: string; day: number; items: readonly Memory[] };

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

/** Turns of sessions at work at the same time take turns: so far back one is still added to, and so far what one says is not repeated. */
const OPEN_GROUPS = 8;
/** What is added to a group can change a commit so far from it, and that one a turn so far again. */
const CHANGING_GROUPS = 3 * OPEN_GROUPS;

/** A page that comes after what is there already costs no more than itself, however long the list is. */
export function makeRows(before: Made, items: readonly Memory[], gone: ReadonlySet<string>, besides: Besides): Made {
  const count = before.items.length;
  const isLonger = gone === before.gone && count > 0 && items[0] === before.items[0] && items[count - 1] === before.items.at(-1);
  const kept = isLonger ? Math.max(0, before.groups.length - CHANGING_GROUPS) : 0;
  const groups = addToGroups(isLonger ? before.groups.slice() : [], isLonger ? items.slice(count) : items, gone);
  const starts = before.starts.slice(0, kept);
  const rows = before.rows.slice(0, isLonger ? (before.starts[kept] ?? 0) : 0);
  for (let at = kept; at < groups.length; at++) {
    starts.push(rows.length);
    if (turnOf(groups, at) === -1) rows.push(...rowsOf(groups, at, besides));
  }
  return { items, gone, groups, starts, rows };
}

function addToGroups(groups: Group[], items: readonly Memory[], gone: ReadonlySet<string>): Group[] {
  for (const memory of items) {
    if (gone.has(memory.id)) continue;
    const place = memory.session ?? `${sourceOf(memory)}: ${memory.project}`;
    const key = `${place}#${memory.promptNumber || memory.id}`;
    const from = Math.max(0, groups.length - OPEN_GROUPS);
    const at = groups.findLastIndex((group, index) => index >= from && group.key === key && startsOn(group, memory.at));
    const group = groups[at];
    if (group) groups[at] = { ...group, items: [...group.items, memory] };
    else groups.push({ key, place, day: dayOf(memory.at, groups.at(-1)?.day), items: [memory] });
  }
  return groups;
}

/** A session's own memory may know its commit, too. */
export const isCommit = ({ session, commit }: Memory) => session === null && commit !== undefined;
const sourceOf = (memory: Memory) => (isCommit(memory) ? 'from the git log' : (memory.agent ?? 'remembered by hand'));

const DAY_MS = 86_400_000;
const startsOn = ({ day }: Group, at: number) => at >= day && at < day + DAY_MS;

/** A day is asked for only where one ends: that is what takes time. */
const dayOf = (at: number, last: number | undefined) => (last !== undefined && at >= last && at < last + DAY_MS ? last : startOfDay(at));

function rowsOf(groups: readonly Group[], at: number, besides: Besides): Row[] {
  const group = groups[at];
  const [first] = group?.items ?? [];
  if (!group || !first) return [];
  const { key, day, place } = group;
  const { session } = first;
  const rows: Row[] = [];
  let last = at - 1;
  while (last >= 0 && turnOf(groups, last) !== -1) last--;
  const above = groups[last];
  const isNewDay = above?.day !== day;
  if (isNewDay) rows.push({ kind: 'day', key: `day-${day}-${key}`, day });
  if (isNewDay || above?.place !== place) {
    const known = besides.sessions.get(place) ?? null;
    const title = known?.title && !isSaidNear(known.title, groups, at, besides) ? known.title : null;
    rows.push({
      kind: 'session',
      key: `session-${key}-${day}`,
      day,
      session,
      source: sourceOf(first),
      project: first.project,
      branch: first.branch,
      known,
      title,
      isFirst: isNewDay,
    });
  }
  return [...rows, ...turnRows(groups, at, besides)];
}

/** A title may be made of several, each of a turn; and it may stand above an earlier turn of the same session already. */
function isSaidNear(title: string, groups: readonly Group[], at: number, besides: Besides): boolean {
  const near = nearOf(groups, at).filter((index) => groups[index]?.place === groups[at]?.place);
  if (near.some((index) => index < at)) return true;
  const said = near.flatMap((index) => turnRows(groups, index, besides)).flatMap(textsOf);
  return title.split(/;\s+/).some((part) => said.some((text) => sameWords(part, text) || saidIn(part, text)));
}

const textsOf = (row: Row) => (row.kind === 'turn' ? [row.head.title] : row.kind === 'memory' ? [row.memory.title] : []);

const nearOf = ({ length }: readonly Group[], at: number): number[] => {
  const from = Math.max(0, at - OPEN_GROUPS);
  return Array.from({ length: Math.min(length, at + OPEN_GROUPS + 1) - from }, (_, index) => from + index);
};

/** The turn that says what a commit of the same day says; -1 for all else. */
function turnOf(groups: readonly Group[], at: number): number {
  const commit = groups[at];
  const [memory] = commit?.items ?? [];
  if (!commit || !memory || !isCommit(memory)) return -1;
  const says = ({ kind, title, text, project }: Memory) =>
    project === memory.project && kind !== 'summary' && saidIn(memory.title, kind === 'prompt' ? (text ?? title) : title);
  const isTurn = ({ day, items }: Group) => day === commit.day && items.some((one) => !isCommit(one) && says(one));
  return nearOf(groups, at).find((index) => isTurn(groups[index] as Group)) ?? -1;
}

/** Oldest first: as it happened. */
function turnRows(groups: readonly Group[], at: number, { heads }: Besides): Row[] {
  const { items, day } = groups[at] as Group;
  const inOrder = items.toReversed();
  const commits = nearOf(groups, at).flatMap((index) => (turnOf(groups, index) === at ? (groups[index]?.items ?? []) : []));
  const prompt = inOrder.find(({ kind }) => kind === 'prompt');
  const head = prompt ?? heads.get(inOrder.find(({ turn }) => turn)?.turn ?? '') ?? null;
  const asked = prompt?.text ?? head?.title ?? '';
  const folded: Memory[] = [];
  const shown: Memory[] = [];
  for (const memory of inOrder) {
    if (memory.kind !== 'observation') continue;
    const isSaid = saidIn(memory.title, asked) || shown.some(({ title }) => sameWords(memory.title, title));
    if (isSaid && head) folded.push(memory);
    else shown.push(memory);
  }
  const summary = inOrder.findLast(({ kind }) => kind === 'summary');
  const last = shown.length + folded.length === 0 && summary ? withResult(summary, asked) : null;
  const rows = [...shown, ...(last ? [last] : [])].map((memory): Row => {
    const same = commits.filter(({ title }) => saidIn(title, memory.title));
    return { kind: 'memory', key: memory.id, day, memory, folded: same, more: findMore(memory, asked), hasHead: head !== null };
  });
  const rest = commits.filter(({ title }) => !shown.some((memory) => saidIn(title, memory.title)));
  return head ? [{ kind: 'turn', key: `turn-${head.id}`, day, head, folded: [...folded, ...rest] }, ...rows] : rows;
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

// What a person does to a memory: shown at once, taken back when the worker refuses, and undone on demand.

import type { RuleChange } from '../../src/core/memory.ts';
import type { ObservationType } from '../../src/core/observation.ts';
import type { CorrectionParameters, ReplaceParameters } from '../../src/core/shapes/asked.ts';
import type {
  ContradictionsAnswer,
  CorrectionAnswer,
  ForgetAnswer,
  Memory,
  MemoryRow,
  Receipt,
  ReplaceAnswer,
  RuleChangeAnswer,
  SaveAnswer,
  UnhideAnswer,
} from '../../src/core/shapes/memory.ts';
import { ApiError, ask } from './api.ts';
import { keepFocusNear } from './card-focus.ts';
import { formatId } from './format.ts';
import { hintOf } from './hints.ts';
import { latestRow, noteChanged, noteRemoved, noteRow, noteShown, wish } from './memories.ts';
import { say } from './parts/toasts.tsx';

type Words = 'title' | 'subtitle' | 'narrative' | 'facts';

export type Correction = Pick<CorrectionParameters, 'pinned' | 'wrong' | Words> & {
  type?: ObservationType;
};

/** Of a row its marks can be changed; its words only where they are known. */
type Correctable = MemoryRow & Partial<Pick<Memory, Words>>;

/** `done` says what was done, with a way back beside it. Null: nothing is said. */
export async function correct(memory: Correctable, change: Correction, done: string | null): Promise<boolean> {
  const endWish = wish(memory.id, asFields(change));
  try {
    const answer = await inTurn(memory.id, () =>
      ask<CorrectionAnswer>(`/api/observations/${memory.id}`, { method: 'PATCH', body: { ...change, by: 'user' } }),
    );
    noteChanged(answer.memory);
    const undo = () => void correct(answer.memory, opposite(memory, answer.memory, change), null);
    if (done) say(done, { about: [memory.id], action: { name: 'Undo', run: undo } });
    setTimeout(endWish, ECHO_MS);
    return true;
  } catch (error) {
    endWish();
    sayProblem(error);
    return false;
  }
}

/** The stream may still tell of the memory as it was a moment before the answer; after this it has told how it is. */
const ECHO_MS = 1000;

const asked = new Map<string, Promise<unknown>>();

/** Of two requests that are under way at once the second may come first: what was done last must hold. */
function inTurn<Answer>(id: string, work: () => Promise<Answer>): Promise<Answer> {
  const answer = (asked.get(id) ?? Promise.resolve()).then(work, work);
  asked.set(id, answer);
  return answer;
}

/** A mark that is off is not there at all. */
function asFields({ pinned, wrong, ...words }: Correction): Partial<Memory> {
  const marks = {
    ...(pinned === undefined ? {} : { isPinned: pinned || undefined }),
    ...(wrong === undefined ? {} : { isWrong: wrong || undefined }),
  };
  return { ...words, ...(marks as Partial<Memory>) };
}

/** Exactly as it was. What changed along with what was asked for is taken back, too. */
function opposite(before: Correctable, after: Memory, change: Correction): Correction {
  const marks: Correction = {
    pinned: before.isPinned ?? false,
    wrong: before.isWrong ?? false,
    // Only observations are corrected, and their types are these.
    type: before.type as ObservationType,
  };
  const back: Correction = Object.fromEntries(Object.entries(marks).filter(([name]) => name in change));
  if (!WORDS.some((name) => name in change)) return back;
  const differs = (name: Words) => JSON.stringify(before[name]) !== JSON.stringify(after[name]);
  // A subtitle that is not given goes with the words that it belonged to.
  const words = WORDS.filter((name) => name === 'subtitle' || differs(name));
  return { ...back, ...Object.fromEntries(words.map((name) => [name, before[name]])) };
}

const WORDS: readonly Words[] = ['title', 'subtitle', 'narrative', 'facts'];

/** As it is by now: whoever presses a key twice may be faster than the row is drawn. */
const current = (row: MemoryRow) => latestRow(row) ?? row;

export function togglePinned(shown: MemoryRow): Promise<boolean> {
  const row = current(shown);
  const done = row.isPinned ? `Unpinned #${row.id}.` : `Pinned #${row.id}: always included.`;
  return correct(row, { pinned: !row.isPinned }, done);
}

export function toggleWrong(shown: MemoryRow): Promise<boolean> {
  const row = current(shown);
  const done = row.isWrong ? `#${row.id} is correct again.` : `Marked #${row.id} as incorrect.`;
  return correct(row, { wrong: !row.isWrong }, done);
}

/** The same to many, with one way back. */
export async function correctAll(rows: readonly MemoryRow[], change: Pick<Correction, 'pinned' | 'wrong'>, done: string): Promise<void> {
  const before = rows.map(current);
  const results = await Promise.all(before.map((row) => correct(row, change, null)));
  const changed = before.filter((_, at) => results[at]);
  const undo = () => {
    for (const row of changed) void correct({ ...row, ...asFields(change) }, marksOf(row, change), null);
  };
  const ids = changed.map(({ id }) => id);
  if (ids.length > 0) say(`${done} ${nameSome(ids)}.`, { about: ids, action: { name: 'Undo', run: undo } });
}

const marksOf = (row: MemoryRow, change: Correction): Correction => ({
  ...('pinned' in change ? { pinned: row.isPinned ?? false } : {}),
  ...('wrong' in change ? { wrong: row.isWrong ?? false } : {}),
});

/** The newer applies instead of the older. `undoMore`: what else goes back with it. */
export function replaceBy(older: MemoryRow, newer: MemoryRow, undoMore?: () => void): Promise<boolean> {
  const undo = () => {
    void replace(older, { older: older.id, newer: newer.id, undo: true }, null);
    undoMore?.();
  };
  return replace(older, { older: older.id, newer: newer.id }, { said: `#${older.id} is replaced by #${newer.id}.`, undo });
}

export type Pair = ContradictionsAnswer['items'][number];

/** Of two that seem to contradict, which one applies, or that both do. Undone, they are in doubt again. */
export function decide({ older, newer, why, words }: Pair, holds: 'newer' | 'older' | 'both', onUndone: () => void): Promise<boolean> {
  const [was, is] = holds === 'older' ? [newer, older] : [older, newer];
  const undo = () => void replace(older, { older: older.id, newer: newer.id, doubt: { why, words } }, null).then(onUndone);
  const said = holds === 'both' ? 'Both apply.' : `#${was.id} is replaced by #${is.id}.`;
  return replace(was, { older: was.id, newer: is.id, bothHold: holds === 'both' }, { said, undo });
}

/** Said once more for every project, with its facts; the one of this project is replaced by that. Files are of one project. */
export async function makeGlobal(row: Memory): Promise<void> {
  try {
    const said = { text: row.narrative ?? row.title, title: row.title, type: 'decision', global: true, by: 'user' };
    const { id } = await ask<SaveAnswer>('/api/memory/save', { method: 'POST', body: said });
    if (row.facts.length > 0) await ask(`/api/observations/${id}`, { method: 'PATCH', body: { facts: row.facts, by: 'user' } });
    await ask('/api/memory/replace', { method: 'POST', body: { older: row.id, newer: id, by: 'user' } });
    sayGlobal(row, id, [row.id]);
  } catch (error) {
    sayProblem(error);
  }
}

function sayGlobal(row: Pick<Memory, 'id'>, id: string, replaced: readonly string[]): void {
  const undo = async () => {
    for (const older of replaced) await ask('/api/memory/replace', { method: 'POST', body: { older, newer: id, undo: true, by: 'user' } });
    await ask(`/api/observations/${id}`, { method: 'DELETE' });
    noteRemoved([id]);
  };
  say(`#${row.id} applies in every project, as #${id}.`, { action: { name: 'Undo', run: () => void undo().catch(sayProblem) } });
}

const sayOfRule = (id: string, change: RuleChange) =>
  ask<RuleChangeAnswer>('/api/rules', { method: 'POST', body: { id, change, by: 'user' } });

/** What the user said becomes a rule, is none any more, or becomes one of every project. */
export async function changeRule(row: Pick<Memory, 'id'>, change: RuleChange): Promise<void> {
  try {
    const { rule, others } = await sayOfRule(row.id, change);
    if (change === 'promote') return sayGlobal(row, rule.id, others);
    const undo = change === 'accept' ? () => unmakeRule(row.id) : () => acceptAll([row.id, ...others]);
    const done = change === 'accept' ? 'is a rule: every session gets it.' : 'is no rule any more, and no session gets it.';
    say(`#${row.id} ${done}`, { about: [row.id], action: { name: 'Undo', run: () => void undo().catch(sayProblem) } });
  } catch (error) {
    sayProblem(error);
  }
}

async function acceptAll(ids: readonly string[]): Promise<void> {
  for (const id of ids) await sayOfRule(id, 'accept');
}

/** A decision like others again; what says the same stays a rule. */
async function unmakeRule(id: string): Promise<void> {
  const { others } = await sayOfRule(id, 'remove');
  await acceptAll(others);
  await ask(`/api/observations/${id}`, { method: 'PATCH', body: { wrong: false, by: 'user' } });
}

/** It applies after all: nothing marks it as replaced by that one again. */
export function sayNotReplaced(shown: MemoryRow): Promise<boolean> {
  const memory = current(shown);
  const newer = memory.replacedBy?.id;
  if (newer === undefined) return Promise.resolve(false);
  const undo = () => void replace(memory, { older: memory.id, newer }, null);
  return replace(memory, { older: memory.id, undo: true }, { said: `#${memory.id} is not replaced.`, undo });
}

type Done = { said: string; undo: () => void } | null;

async function replace(memory: MemoryRow, said: ReplaceParameters, done: Done): Promise<boolean> {
  try {
    const answer = await inTurn(memory.id, () =>
      ask<ReplaceAnswer>('/api/memory/replace', { method: 'POST', body: { ...said, by: 'user' } }),
    );
    noteRow(answer.older);
    if (done) say(done.said, { about: [memory.id], action: { name: 'Undo', run: done.undo } });
    return true;
  } catch (error) {
    sayProblem(error);
    return false;
  }
}

/** Shown nowhere from now on; the bytes are still there. */
export async function hide(memories: readonly { id: string }[]): Promise<boolean> {
  const ids = memories.map(({ id }) => id);
  keepFocusNear(ids);
  noteRemoved(ids);
  try {
    await ask<ForgetAnswer>(`/api/observations/${ids.join(',')}`, { method: 'DELETE' });
    say(`Hidden: ${nameSome(ids)}.`, {
      about: ids,
      action: { name: 'Undo', run: () => void unhide(ids) },
    });
    return true;
  } catch (error) {
    noteShown(ids);
    sayProblem(error);
    return false;
  }
}

export async function unhide(ids: readonly string[]): Promise<void> {
  try {
    const answer = await ask<UnhideAnswer>('/api/memory/unhide', { method: 'POST', body: { ids } });
    noteShown(answer.ids);
    if (answer.ids.length > 0)
      say(`Shown again: ${nameSome(answer.ids)}.`, {
        about: answer.ids,
        action: { name: 'Undo', run: () => void hide(answer.ids.map((id) => ({ id }))) },
      });
  } catch (error) {
    sayProblem(error);
  }
}

/** A toast is one line on a phone. */
const nameSome = (ids: readonly string[]) => (ids.length > 2 ? `${ids.length} memories` : ids.map(formatId).join(', '));

/** For good. Rejects with an ApiError. */
export async function erase(ids: readonly string[], { withRelated = false } = {}): Promise<Receipt> {
  const answer = await ask<ForgetAnswer>(`/api/observations/${ids.join(',')}`, {
    method: 'DELETE',
    query: { erase: true, related: withRelated || undefined },
  });
  if (answer.state !== 'erased') throw new ApiError(500, 'The worker hid it instead of deleting it.', '');
  keepFocusNear(answer.receipt.ids);
  noteRemoved(answer.receipt.ids);
  return answer.receipt;
}

/** In a toast: where there is no room to say it in its place. */
export function sayProblem(error: unknown): void {
  if (!(error instanceof ApiError)) throw error;
  say(`${error.message} ${hintOf(error)}`.trim(), { isBad: true });
}

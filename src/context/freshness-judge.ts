// Whether one file still bears out a memory, by what became of it since.
import { type Case, hasNone, isSame, isUndone, say, type Verdict } from './freshness-case.ts';
import type { Past, Step } from './freshness-past.ts';

export function judgeByPast(of: Case, past: Past, reverted: ReadonlyMap<string, string[]>): Verdict {
  if (of.cited.blob === null) return isKnownByLines(of) ? judgeByLines(of) : judgeByDate(of, past);
  if (of.now.blob !== '') {
    const here = judgeHere(of, past, reverted);
    return isElsewhere(of, past, here.word === 'reverted') ? say('elsewhere') : here;
  }
  return isElsewhere(of, past, true) ? say('elsewhere') : judgeMissing(past);
}

/** As if it was made on this branch, or came over to it. */
export function judgeHere(of: Case, past: Past, reverted: ReadonlyMap<string, string[]>): Verdict {
  if (of.now.blob === '') return judgeMissing(past);
  const isBack = of.cited.did === 'changed' && (isAsBefore(of, past) || isRevertedByName(of, past, reverted));
  return isBack ? say('reverted') : changed(listAfter(of.cited.blob, past.since));
}

/** Without git: all that can be seen is the file itself. */
export function judgeAlone(of: Case): Verdict {
  const { cited, now } = of;
  if (cited.blob === null) return isKnownByLines(of) ? judgeByLines(of) : say('unverified');
  if (now.blob === '') return say('gone');
  return cited.did === 'changed' && isSeenAsBefore(of) ? say('reverted') : say('changed');
}

/** When somebody first looked, the file showed nothing of the change. */
const isKnownByLines = ({ cited }: Case) => cited.added.length > 0 || cited.removed.length > 0;

function judgeByLines(of: Case): Verdict {
  if (of.now.blob === '') return say('gone');
  return say(isUndone(of) ? 'reverted' : 'unverified');
}

const changed = (steps: Step[]) =>
  say(
    'changed',
    steps.map(({ commit }) => commit.hash),
  );

/** The commit that stored what the memory saw, and those before it, did not change that. */
function listAfter(blob: string | null, since: Step[]): Step[] {
  const stored = since.findIndex(({ to }) => to === blob);
  return stored < 0 ? since : since.slice(0, stored);
}

/** Of a memory that does not say how its files were: they were as the last commit before it had them. */
function judgeByDate({ now }: Case, { sinceThen, headBlob, isWhole }: Past): Verdict {
  const first = sinceThen.at(-1);
  const then = first ? first.from : headBlob;
  if (then === '' || !isWhole) return say('unverified');
  if (isSame(now, then)) return say('fresh');
  return now.blob === '' ? say('gone') : changed(sinceThen);
}

function judgeMissing(past: Past): Verdict {
  // Perhaps it was only renamed, and there was no time to find that out.
  return past.isWhole && past.isFollowed ? say('gone') : changed(past.since);
}

function isSeenAsBefore(of: Case): boolean {
  const { cited, now } = of;
  // The memory tells that it was deleted.
  if (cited.blob === '') return true;
  return (cited.before !== null && isSame(now, cited.before)) || isUndone(of);
}

/** The same bytes as at any time before the change. */
function isAsBefore(of: Case, { steps, since, headBlob }: Past): boolean {
  if (isSeenAsBefore(of)) return true;
  const { cited, now } = of;
  const brought = steps.findIndex(({ to }) => to === cited.blob);
  if (brought >= 0) return steps.slice(brought).some(({ from }) => from !== '' && isSame(now, from));
  const first = since.at(-1);
  // It was never committed as it was: then what counts is what the first commit after it, or HEAD, had before.
  return first ? first.from !== '' && isSame(now, first.from) : headBlob !== '' && isSame(now, headBlob);
}

/** A commit says that it takes back the one that brought the change, and nothing of the change is left. */
function isRevertedByName({ cited, lines }: Case, past: Past, reverted: ReadonlyMap<string, string[]>): boolean {
  if (!hasNone(lines, cited.added)) return false;
  const brought = findBringer(cited.blob, past);
  if (!brought) return false;
  return past.since.some(({ commit }) => reverted.get(commit.hash)?.includes(brought.commit.hash));
}

const findBringer = (blob: string | null, { steps, since }: Past) =>
  steps.find(({ to }) => to === blob) ?? since.at(-1);

/** Those whose words are worth reading: they may take back what the memory tells of. */
export const listSuspects = ({ since }: Past) =>
  since.filter(({ commit }) => /\brevert/i.test(commit.subject)).map(({ commit }) => commit.hash);

/** It was never part of what the work tree stands on, and the branch it was made on still has it or may have it. */
function isElsewhere({ cited, now, lines }: Case, past: Past, isBack: boolean): boolean {
  const { isOfOtherBranch, since, elsewhere, headBlob } = past;
  if (!isOfOtherBranch || !hasNone(lines, cited.added)) return false;
  if (cited.blob !== '' && wasHere({ cited }, past)) return false;
  if (elsewhere.length > 0) return true;
  // Not committed there either. Nothing happened to the file here, so the difference was left there.
  return since.length === 0 && (isBack || isSame(now, headBlob));
}

/** A commit that led to where the work tree stands had the file as the memory saw it. */
export const wasHere = ({ cited: { blob } }: Pick<Case, 'cited'>, { headBlob, steps }: Past): boolean =>
  headBlob === blob || steps.some(({ from, to }) => from === blob || to === blob);

// The work of a turn: one observation per purpose, with cause and fix where something was broken.
import type { ObservationDraft } from '../../core/observation.ts';
import { conceptsFor } from './concepts.ts';
import { deedFacts } from './deeds.ts';
import { fact, makeDraft, unique } from './draft.ts';
import { changesOf } from './edits/changes.ts';
import { describeChanges } from './edits/describe.ts';
import { extraFixes, listedFixes } from './extra-fixes.ts';
import { isNoCause, namesOf, readWork, type Work } from './piece-of-work.ts';
import type { Repair } from './repairs.ts';
import { silentFixes } from './silent-fixes.ts';
import { bareText } from './text/plain.ts';
import { contentWords, sharedWords } from './text/tokens.ts';
import type { Edit, Turn } from './turn.ts';
import { checksOf, describeRun, outcomeOf } from './verification.ts';
import { isAboutTrouble } from './words/asked.ts';
import { causeText, findCause } from './words/cause.ts';
import { isChatter, isOffer } from './words/chatter.ts';
import { isDeadEnd } from './words/dead-end.ts';
import { readDecision } from './words/decision.ts';
import { doneLines } from './words/done.ts';
import { findNextSteps } from './words/next-step.ts';
import { proseOf } from './words/repeats.ts';
import { commitFacts, failureFacts, fileFacts, spokenFacts } from './work-facts.ts';
import { groupWork, splitByRepairs, type WorkGroup } from './work-groups.ts';
import { workTitle } from './work-title.ts';

export function observeWork(turn: Turn, repairs: Repair[], isKept: (edit: Edit) => boolean): ObservationDraft[] {
  const committed = groupWork(turn, isKept);
  const isTold = (edits: Edit[]) => (turn.closing?.statements ?? []).some((line) => namesAny(line.text, edits));
  const groups = (committed.length > 0 ? committed : lateGroups(turn, repairs))
    .filter((group) => group.edits.some(isSubstantial) || isNews(group, turn))
    .flatMap((group) => splitByRepairs(group, repairs, isTold));
  return groups
    .map((group) => readWork(turn, group, repairs, groups.length > 1))
    .flatMap((work) => {
      const told = listedFixes(turn, work) ?? [workDraft(turn, work), ...extraFixes(turn, work)];
      return [...told, ...silentFixes(work, told)];
    });
}

function namesAny(text: string, edits: Edit[]): boolean {
  return namesOf(changesOf(edits)).some((name) => name.length > 3 && text.includes(name));
}

/** No edit in this batch, but the run that proves an earlier edit right: the fix is told now. */
function lateGroups(turn: Turn, repairs: Repair[]): WorkGroup[] {
  const isTrouble = turn.prompts.some((prompt) => isAboutTrouble(prompt.text));
  const said = turn.closing?.statements ?? [];
  const isExplained =
    isTrouble ||
    findCause(said, isNoCause) !== null ||
    said.some((line) => /, so (?:I|we)\b|\bhad to\b/i.test(line.text));
  const proven = repairs.filter((repair) => {
    const isPlain =
      repair.edits.length === 0 && repair.remedies.every((step) => step.packages.length + step.operations.length === 0);
    return repair.success !== null && !repair.success.old && (!isPlain || isExplained);
  });
  return proven.slice(0, 1).map((repair) => ({
    edits: repair.edits,
    commits: [],
    steps: [...repair.remedies, ...(repair.success ? [repair.success] : [])],
  }));
}

/** A commit of edits that were told in an earlier turn says nothing new; a commit of anything else does. */
function isNews(group: WorkGroup, turn: Turn): boolean {
  if (group.commits.length === 0) return group.steps.length > 0;
  const lastCommit = turn.steps.findLastIndex((step) => step.old && step.git.some((deed) => deed.kind === 'commit'));
  const toldBefore = turn.steps.some((step) => step.old && step.index > lastCommit && step.edits.length > 0);
  const sameTurn = turn.steps.some((step) => !step.old && step.edits.length > 0);
  return !toldBefore && !sameTurn;
}

/** A line echoed into .gitignore on the way to a commit is not the work that the commit names. */
function isSubstantial(edit: Edit): boolean {
  return edit.hunks.length > 0 || edit.created || !/(?:^|\/)\.\w+$/.test(edit.file);
}

function workDraft(turn: Turn, work: Work): ObservationDraft {
  const { group, changes, type } = work;
  const checks = checksOf(turn, work);
  const files = changes.map((change) => change.file);
  const isFix = type === 'bugfix';
  const title = workTitle(turn, work);
  const cause = isFix && work.cause ? causeText(work.cause.text) : null;
  const saidInTitle = cause !== null && title.text.toLowerCase().includes(bareText(cause).slice(0, 40).toLowerCase());
  const draft = makeDraft({
    type,
    title: title.text,
    subtitle: cause && !saidInTitle ? cause : subtitleOf(work, title.text),
    narrative: narrativeOf(work),
    facts: [
      ...failureFacts(work),
      ...spokenFacts(work),
      ...fileFacts(changes),
      ...checks.map((step) => fact(`${describeRun(step)}.`, step.id)),
      ...commitFacts(group),
      ...deedFacts(group.steps),
    ],
    concepts: conceptsFor(type, files, isFix && work.cause ? 'gotcha' : null),
    filesModified: files,
    filesRead: [],
    outcome: type === 'change' && checks.length === 0 ? null : outcomeOf(checks),
    origin: title.origin,
    sources: [...group.edits.map((edit) => edit.id), ...group.commits.map(({ step }) => step.id)],
    at: Math.max(...group.steps.map((step) => step.time), ...group.edits.map((edit) => edit.time)),
  });
  // What the agent says beside it is not the user's, though the user asked for the work.
  return draft.origin === 'user' && draft.narrative !== null ? { ...draft, origin: 'agent' } : draft;
}

function subtitleOf(work: Work, title: string): string | null {
  const other = doneLines(work.lines).find(
    (line) => contentWords(line.text).size >= 4 && sharedWords(line.text, title) < 3,
  );
  return other?.text ?? (work.changes.length > 0 ? describeChanges(work.changes) : null);
}

/** What was said about it, cause and headline first; what is told elsewhere (decisions, next steps, offers) stays out. */
function narrativeOf(work: Work): string | null {
  const steps = new Set(findNextSteps(work.lines).map((step) => step.line));
  const rest = work.lines.filter((line) => {
    const isTold = steps.has(line) || isDeadEnd(line) || readDecision(line) !== null;
    return !isTold && !isChatter(line.text) && !isOffer(line.text) && !/[?:]$/.test(line.text);
  });
  const told = [work.cause, work.head?.line, ...rest].filter((line) => line !== null && line !== undefined);
  return proseOf(unique(told).slice(0, 12)) || null;
}

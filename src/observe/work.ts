// What was done: a bugfix, a feature, a refactoring or a change, named by its commit, else by what was said of it.
import type { ObservationType, Outcome } from '../core/observation.ts';
import type { Step, TurnRecord } from '../turns/record.ts';
import { valueChanges } from './changes.ts';
import { at, type Draft, makeDraft, PROMPT, type Statement } from './draft.ts';
import { contentWords, countWords, isSpecific } from './sentences.ts';
import { makeTitle, standsAlone, subjectOfFile } from './title.ts';
import {
  closingStatements,
  type Edited,
  isLeft,
  isSameRun,
  mendedRuns,
  netEdits,
  type ObservedTurn,
  promptStatements,
  type Ran,
  reasonsFor,
  runsOf,
  spokenStatements,
  subjectOf,
  undoneEdits,
  wasInterrupted,
} from './turn.ts';
import { begins, uses } from './words.ts';

export type Committed = Omit<Extract<Step, { kind: 'committed' }>, 'kind'>;

/** `later`: the commits that a turn behind it made of it, and of no other work. */
export function observeWork(turn: ObservedTurn, later: Committed[]): Draft[] {
  const { record } = turn;
  const edits = netEdits(record);
  if (edits.length === 0) return [];
  const reasons = reasonsFor(record, edits);
  const closing = closingStatements(record);
  const mended = mendedRuns(record);
  const own = record.steps.flatMap((step, at) => (step.kind === 'committed' ? [{ ...step, at }] : []));
  const commits = own.length > 0 ? own : later.map((one) => ({ ...one, at: Math.max(...edits.map(({ at }) => at)) }));
  const type = typeOf(turn, edits, commits[0]?.message ?? '');
  const red = type === 'bugfix' ? mended.at(-1) : undefined;
  const causes = type === 'bugfix' || mended.length > 0 ? causesOf(record, mended.at(-1)?.at ?? 0) : [];
  const said = { reasons, closing, commit: commits.at(-1)?.message.replace(CONVENTIONAL, '') ?? '' };
  const work = makeDraft({
    type,
    title: nameWork(turn, edits, said),
    facts: [
      ...requestOf(turn),
      ...causes.slice(-3),
      ...reasons.slice(-4),
      ...closing.slice(0, 12),
      ...valueChanges(edits).map(({ file, text, at }) => ({ text: `${subjectOfFile(file)}: ${text}`, at })),
      ...commits.map(({ hash, message, at }) => ({ text: `Commit ${hash}: ${message}`, at })),
      ...spokenStatements(record)
        .filter(({ text }) => isSpecific(text))
        .slice(-MOST_SPOKEN),
    ],
    filesModified: edits.map(({ file }) => file),
    outcome: outcomeOf(record),
    steps: [...(red ? [red] : []), ...answeredRuns(record, edits), ...causes, ...reasons, ...edits].map(({ at }) => at),
  });
  return work.length === 0
    ? []
    : [
        ...work,
        ...fixesOnTheWay(
          record,
          edits,
          mended.filter(({ at }) => at !== red?.at),
        ),
      ];
}

/** What names something exactly, wherever it was said on the way. */
const MOST_SPOKEN = 6;

const requestOf = ({ prompt }: ObservedTurn): Statement[] =>
  promptStatements(prompt)
    .filter((one) => countWords(one) >= 4)
    .slice(0, 2)
    .map(at(PROMPT));

/** What failed, and then passed or was worked on and did not fail again: by these errors the work is known. */
function answeredRuns(record: TurnRecord, edits: Edited[]): Ran[] {
  const runs = runsOf(record);
  const lastEdit = Math.max(...edits.map(({ at }) => at));
  return runs.filter((run) => {
    const last = runs.findLast((one) => isSameRun(one.command, run.command));
    return run.isOk === false && (last === run ? run.at < lastEdit : last?.isOk === true);
  });
}

const MOST_FIXES = 3;

/** Something else went red and was mended while the work was done: each with its error, and what was said of it. */
function fixesOnTheWay(record: TurnRecord, edits: Edited[], mended: Ran[]): Draft[] {
  const fixes = mended.flatMap(({ output, at }): Draft[] => {
    const error = new Set(contentWords(output.slice(0, 4000)));
    const mending = edits.filter((edit) => edit.at > at);
    const said = [...reasonsFor(record, mending), ...closingStatements(record)].filter(({ text }) => !isLeft(text));
    const about = said.filter(({ text }) => contentWords(text).filter((word) => error.has(word)).length >= 2);
    const [first] = about;
    if (!first || mending.length === 0) return [];
    return makeDraft({
      type: 'bugfix',
      title: makeTitle(first.text, subjectOf(mending)),
      // What was said of the error, and what follows it: how it was mended.
      facts: [...said.slice(said.indexOf(first)).slice(0, 4), ...about.slice(1, 4)],
      filesModified: mending.map(({ file }) => file),
      outcome: 'passed',
      steps: [at, ...about.map((one) => one.at), ...mending.map((one) => one.at)],
    });
  });
  return fixes.filter(({ title }, at) => fixes.findIndex((one) => one.title === title) === at).slice(-MOST_FIXES);
}

/** Tried and taken back in the same turn: of the files nothing tells of it, and who tries it again would want to know. */
export function observeUndone(turn: ObservedTurn): Draft[] {
  const edits = undoneEdits(turn.record);
  if (edits.length === 0) return [];
  const reasons = reasonsFor(turn.record, edits);
  const closing = closingStatements(turn.record);
  const said = [...closing, ...reasons.toReversed()];
  const best = said.find(({ text }) => standsAlone(text)) ?? said[0];
  return makeDraft({
    type: 'discovery',
    title: best ? makeTitle(best.text, subjectOf(edits)) : null,
    facts: [...requestOf(turn), ...reasons.slice(-4), ...closing.slice(0, 4)],
    filesRead: [...new Set(edits.map(({ file }) => file))],
    outcome: 'ruled-out',
    steps: [...reasons, ...edits].map(({ at }) => at),
  });
}

/** The words right before the run that was red last, and those after it. */
const causesOf = (record: TurnRecord, red: number): Statement[] =>
  spokenStatements(record)
    .filter(({ at }) => at >= red - 1)
    .slice(0, 4);

const CONVENTIONAL = /^(fix|feat|refactor|perf|docs|test|chore|build|ci|style)(?:\([^)]*\))?!?:\s*/i;
const TYPE_OF: Record<string, ObservationType> = { fix: 'bugfix', feat: 'feature', refactor: 'refactor' };

function typeOf({ prompt, record }: ObservedTurn, edits: Edited[], commit: string): ObservationType {
  const named = TYPE_OF[CONVENTIONAL.exec(commit)?.[1]?.toLowerCase() ?? ''];
  if (named) return named;
  if (uses(prompt, 'fail') || wasRed(record)) return 'bugfix';
  return edits.some(({ isNew }) => isNew) ? 'feature' : 'change';
}

/** A run was red before anything was edited: what the work itself breaks on its way is part of it. */
function wasRed(record: TurnRecord): boolean {
  const edit = record.steps.findIndex(({ kind }) => kind === 'edited');
  return mendedRuns(record).length > 0 && runsOf(record).some(({ at, isOk }) => at < edit && isOk === false);
}

/** By its commit, else the closing message, the request, the last reason; else there is none. */
function nameWork(
  { prompt, record }: ObservedTurn,
  edits: Edited[],
  { reasons, closing, commit }: { reasons: Statement[]; closing: Statement[]; commit: string },
): string | null {
  const subject = subjectOf(edits);
  if (countWords(commit) >= 2) return makeTitle(commit, standsAlone(commit) ? null : subject);
  const told = closing.slice(0, 4).find(({ text }) => standsAlone(text))?.text;
  if (told !== undefined) return makeTitle(told, subject);
  const statements = promptStatements(prompt).filter((one) => !begins(one, 'confirm'));
  const asked = statements.find(standsAlone) ?? statements[0];
  const title = asked !== undefined && standsAlone(asked) ? makeTitle(asked, subject, 'user') : null;
  if (title !== null) return wasInterrupted(record) ? `${title} (interrupted)` : title;
  return makeTitle([reasons.at(-1)?.text, closing[0]?.text, asked].find((text) => text !== undefined) ?? '', subject);
}

/** A run bears it out; a commit alone proves nothing. */
export function outcomeOf({ steps }: TurnRecord): Outcome {
  const editAt = steps.findLastIndex((step) => step.kind === 'edited');
  const failed = runsOf({ steps }).flatMap(({ isOk, command }) => (isOk === false ? [command] : []));
  const check = lastCheck(steps.slice(editAt + 1), failed);
  return check ? (check.hasPassed ? 'passed' : 'failed') : 'unverified';
}

/**
 * The last of these steps that checked something, and what came of it. What failed before and passes now is a check,
 * whatever it is called.
 */
export function lastCheck(steps: Step[], failed: string[] = []): { command: string; hasPassed: boolean } | null {
  const isAgain = (command: string) => failed.some((before) => isSameRun(before, command));
  const run = runsOf({ steps }).findLast(({ isOk, command }) => isOk !== null && (CHECKS.test(command) || (isOk && isAgain(command))));
  // Behind a pipe, `|| true` or another command, the exit code is not that of the check.
  const isRed = (output: string) => COUNTS_FAILURES.test(output) || LISTS_FAILURES.test(output);
  return run ? { command: run.command, hasPassed: run.isOk === true && !isRed(run.output) } : null;
}

/** As runners count them: `3 failed`, `Failures: 2`, `Found 1 error`. */
const COUNTS_FAILURES = /\b[1-9]\d* (?:fail(?:ed|ing|ures?|s)?|errors?)\b|\b(?:fail(?:ed|ures)?|errors)[:=] ?[1-9]/i;
/** As they list them: `FAIL src/cart.test.ts`, `--- FAIL: TestCart`. */
const LISTS_FAILURES = /^(?:--- )?FAIL(?:ED|URES!)?(?!\w|:\s*0)/m;

/** Programs that check something, by the words in which all of them are called. A linter or a look at the form alone proves nothing. */
const CHECKS = new RegExp(
  '(?<!--)\\b(?:tests?|spec|check|build|compile|tsc|vet|verify|pytest|jest|vitest|rspec|phpunit|gradlew?|mvnw?|cargo|ctest|gut|e2e|' +
    'typecheck)\\b',
  'i',
);

// What was done: a bugfix, a feature, a refactoring or a change, named by its commit, else by what was said of it.
import type { ObservationType, Outcome } from '../core/observation.ts';
import type { Step, TurnRecord } from '../turns/record.ts';
import { valueChanges } from './changes.ts';
import { at, type Draft, gatherFacts, makeDraft, PROMPT, type Statement } from './draft.ts';
import { contentWords, countWords } from './sentences.ts';
import { makeTitle, standsAlone, subjectOfFile } from './title.ts';
import {
  closingStatements,
  type Edited,
  headline,
  isSameRun,
  mendedRuns,
  netEdits,
  promptStatements,
  reasonsFor,
  redThenGreen,
  statementsAt,
  type TurnInPlace,
  undoneEdits,
} from './turn.ts';
import { begins, uses } from './words.ts';

export function observeWork(place: TurnInPlace): Draft[] {
  const { turn } = place;
  const edits = netEdits(turn.record);
  if (edits.length === 0) return [];
  const reasons = reasonsFor(turn.record, edits);
  const closing = closingStatements(turn.record);
  const type = typeOf(place, edits);
  const title = nameWork(place, edits, { reasons, closing });
  if (title === null) return [];
  const causes = type === 'bugfix' ? causesOf(place) : [];
  const asked = promptStatements(turn.prompt).filter((one) => countWords(one) >= 4);
  const facts = gatherFacts(
    asked.slice(0, 2).map(at(PROMPT)),
    causes.slice(-3),
    reasons.slice(-4),
    closing.slice(0, 8),
    valueChanges(edits).map(({ file, text, at }) => ({ text: `${subjectOfFile(file)}: ${text}`, at })),
    commitsOf(place).map(({ hash, message, at }) => ({ text: `Commit ${hash}: ${message}`, at })),
  );
  const red = type === 'bugfix' ? redThenGreen(turn.record) : null;
  const steps = [...new Set([...(red ? [red.at] : []), ...[...causes, ...reasons, ...edits].map(({ at }) => at)])];
  const filesModified = [...new Set(edits.map(({ file }) => file))];
  const work = makeDraft({ type, title, facts, filesModified, outcome: outcomeOf(place), steps });
  return [work, ...fixesOnTheWay(place, edits, type === 'bugfix' ? red : null)];
}

/** Something else went red and was mended while the work was done: each with its error, and what was said of it. `main`: what the work is named by. */
function fixesOnTheWay({ turn: { record } }: TurnInPlace, edits: Edited[], main: { at: number } | null): Draft[] {
  const { steps } = record;
  const fixes: Draft[] = [];
  for (const { failed, at } of mendedRuns(record)) {
    if (at === main?.at) continue;
    const error = new Set(contentWords(failed.output.slice(0, 4000)));
    const said = [
      ...steps.flatMap((_, later) => (later > at ? statementsAt(steps, later) : [])),
      ...closingStatements(record),
    ];
    const about = said.filter(({ text }) => contentWords(text).filter((word) => error.has(word)).length >= 2);
    const [first] = about;
    const mended = edits.filter((edit) => edit.at > at);
    const title = first ? makeTitle(first.text, mended[0] ? subjectOfFile(mended[0].file) : null) : null;
    if (!first || title === null || mended.length === 0 || fixes.some((other) => other.title === title)) continue;
    // What was said of the error, and what follows it: how it was mended.
    const facts = gatherFacts(said.slice(said.indexOf(first)).slice(0, 4), about.slice(1, 4));
    const filesModified = [...new Set(mended.map(({ file }) => file))];
    const rests = [...new Set([at, ...about.map((one) => one.at), ...mended.map((one) => one.at)])];
    fixes.push(makeDraft({ type: 'bugfix', title, facts, filesModified, outcome: 'passed', steps: rests }));
  }
  return fixes.slice(-MOST_FIXES);
}

const MOST_FIXES = 3;

/** Tried and taken back in the same turn: of the files nothing tells of it, and who tries it again would want to know. */
export function observeUndone({ turn }: TurnInPlace): Draft[] {
  const edits = undoneEdits(turn.record);
  const reasons = reasonsFor(turn.record, edits);
  const said = [...closingStatements(turn.record), ...reasons.toReversed()];
  const best = said.find(({ text }) => standsAlone(text)) ?? said[0];
  const title = edits[0] && best ? makeTitle(best.text, subjectOfFile(edits[0].file)) : null;
  if (title === null) return [];
  const asked = promptStatements(turn.prompt).filter((one) => countWords(one) >= 4);
  const facts = gatherFacts(
    asked.slice(0, 2).map(at(PROMPT)),
    reasons.slice(-4),
    closingStatements(turn.record).slice(0, 4),
  );
  const filesRead = [...new Set(edits.map(({ file }) => file))];
  const steps = [...new Set([...reasons, ...edits].map(({ at }) => at))];
  return [makeDraft({ type: 'discovery', title, facts, filesRead, outcome: 'ruled-out', steps })];
}

/** The last words before the edit that turned a red run green, and those after the run that failed last. */
function causesOf({ turn }: TurnInPlace): Statement[] {
  const { steps } = turn.record;
  const red = redThenGreen(turn.record);
  const from = red?.at ?? 0;
  const said = steps.flatMap((step, at) => (step.kind === 'said' && at >= from - 1 ? statementsAt(steps, at) : []));
  return said.slice(0, 4);
}

const commitsOf = ({ turn }: TurnInPlace) =>
  turn.record.steps.flatMap((step, at) => (step.kind === 'committed' ? [{ ...step, at }] : []));

const CONVENTIONAL = /^(fix|feat|refactor|perf|docs|test|chore|build|ci|style)(?:\([^)]*\))?!?:\s*/i;
const TYPE_OF: Record<string, ObservationType> = { fix: 'bugfix', feat: 'feature', refactor: 'refactor' };

function typeOf(place: TurnInPlace, edits: Edited[]): ObservationType {
  const [commit] = commitsOf(place);
  const prefix = CONVENTIONAL.exec(commit?.message ?? '')?.[1]?.toLowerCase();
  const named = prefix ? TYPE_OF[prefix] : undefined;
  if (named) return named;
  if (uses(place.turn.prompt, 'fail') || wasRed(place.turn.record)) return 'bugfix';
  return edits.some(({ isNew }) => isNew) ? 'feature' : 'change';
}

/** A run was red before anything was edited: what the work itself breaks on its way is part of it. */
function wasRed(record: TurnRecord): boolean {
  const red = redThenGreen(record);
  const edit = record.steps.findIndex(({ kind }) => kind === 'edited');
  return red !== null && record.steps.slice(0, edit).some((step) => step.kind === 'ran' && step.isOk === false);
}

/** By its commit, else the closing message, the request, the last reason; else there is none. */
function nameWork(
  place: TurnInPlace,
  edits: Edited[],
  { reasons, closing }: { reasons: Statement[]; closing: Statement[] },
): string | null {
  const subject = edits[0] ? subjectOfFile(edits[0].file) : null;
  const commit = commitsOf(place).at(-1)?.message.replace(CONVENTIONAL, '');
  const statements = promptStatements(place.turn.prompt).filter((one) => !begins(one, 'confirm'));
  const asked = statements.find(standsAlone) ?? statements[0];
  if (commit && countWords(commit) >= 2) return makeTitle(commit, standsAlone(commit) ? null : subject);
  const candidates = [closing[0]?.text, asked, reasons.at(-1)?.text, headline(place.turn.record.closing)].filter(
    (text) => typeof text === 'string',
  );
  const best = candidates.find(standsAlone) ?? candidates[0];
  return best === undefined ? null : makeTitle(best, subject);
}

/** A run bears it out, or what the user says next; a commit alone proves nothing. */
export function outcomeOf({ turn, next }: TurnInPlace): Outcome {
  if (next !== null && begins(next, 'refuse')) return 'ruled-out';
  if (next !== null && begins(next, 'confirm')) return 'passed';
  const { steps } = turn.record;
  const editAt = steps.findLastIndex((step) => step.kind === 'edited');
  const failed = steps.flatMap((step) => (step.kind === 'ran' && step.isOk === false ? [step.command] : []));
  const check = lastCheck(steps.slice(editAt + 1), failed);
  if (!check) return 'unverified';
  return check.hasPassed ? 'passed' : 'failed';
}

/** The last of these steps that checked something, and what came of it. What failed before and passes now is a check, whatever it is called. */
export function lastCheck(
  steps: readonly Step[],
  failed: string[] = [],
): { command: string; hasPassed: boolean } | null {
  const isAgain = (command: string) => failed.some((before) => isSameRun(before, command));
  const run = steps.findLast(
    (step) =>
      step.kind === 'ran' && step.isOk !== null && (isCheck(step.command) || (step.isOk && isAgain(step.command))),
  );
  if (run?.kind !== 'ran') return null;
  // Behind a pipe, `|| true` or another command, the exit code is not that of the check.
  return { command: run.command, hasPassed: run.isOk === true && !COUNTS_FAILURES.test(run.output) };
}

/** As runners count them: `3 failed`, `Failures: 2`, `Found 1 error`. */
const COUNTS_FAILURES = /\b[1-9]\d* (?:fail(?:ed|ing|ures?|s)?|errors?)\b|\b(?:fail(?:ed|ures)?|errors)[:=] ?[1-9]/i;

/** Programs that check something, by the words in which all of them are called. A linter or a look at the form alone proves nothing. */
const isCheck = (command: string) =>
  /(?<!--)\b(?:tests?|spec|check|build|compile|tsc|vet|verify|pytest|jest|vitest|rspec|phpunit|gradlew?|mvnw?|cargo|ctest|gut|e2e|typecheck)\b/i.test(
    command,
  );

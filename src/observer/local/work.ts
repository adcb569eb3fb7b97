// The work of a turn: one observation per purpose, with cause and fix where something was broken.
import type { Fact, ObservationDraft, ObservationType } from '../../core/observation.ts';
import { conceptsFor } from './concepts.ts';
import { deedFacts } from './deeds.ts';
import { fact, makeDraft, unique } from './draft.ts';
import { changesOf, type FileChange } from './edits/changes.ts';
import { baseName, describeChanges, describeFile } from './edits/describe.ts';
import { extraFixes, listedFixes } from './extra-fixes.ts';
import { isOnlyRepairs, type Repair } from './repairs.ts';
import { bareText } from './text/plain.ts';
import { contentWords, sharedWords } from './text/tokens.ts';
import { agentLines, type Edit, type Line, type Turn } from './turn.ts';
import { checksOf, describeRun, outcomeOf } from './verification.ts';
import { causeText, findCause, isStrongCause } from './words/cause.ts';
import { isCaveat, isVerification } from './words/chatter.ts';
import { isDeadEnd } from './words/dead-end.ts';
import { readDecision } from './words/decision.ts';
import { doneLines, findHeadline, type Headline } from './words/done.ts';
import { groupWork, type WorkGroup } from './work-groups.ts';
import { workTitle } from './work-title.ts';
import { typeOfWork } from './work-type.ts';

/** Everything known about one piece of work. */
export type Work = {
  group: WorkGroup;
  changes: FileChange[];
  repairs: Repair[];
  lines: Line[];
  names: string[];
  head: Headline | null;
  cause: Line | null;
  type: ObservationType;
};

export function observeWork(turn: Turn, repairs: Repair[], isKept: (edit: Edit) => boolean): ObservationDraft[] {
  const groups = groupWork(turn, isKept);
  const withLateFix = groups.length > 0 ? groups : lateGroups(repairs);
  return withLateFix
    .filter((group) => group.edits.some(isSubstantial) || isNews(group, turn))
    .map((group) => readWork(turn, group, repairs, groups.length > 1))
    .flatMap((work) => listedFixes(turn, work) ?? [workDraft(turn, work), ...extraFixes(turn, work)]);
}

/** No edit in this batch, but the run that proves an earlier edit right: the fix is told now. */
function lateGroups(repairs: Repair[]): WorkGroup[] {
  const proven = repairs.filter((repair) => repair.success !== null && !repair.success.old);
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

function readWork(turn: Turn, group: WorkGroup, all: Repair[], shared: boolean): Work {
  const changes = changesOf(group.edits);
  const names = namesOf(changes);
  const subject = group.commits.at(-1)?.commit.subject ?? null;
  const said = turn.closing?.statements ?? agentLines(turn);
  const about = new Set(
    said.filter((line) => speaksOf(line, names, subject ?? '')).map((line) => `${line.id} ${line.block}`),
  );
  const lines = shared ? said.filter((line) => about.has(`${line.id} ${line.block}`)) : said;
  const repairs = all.filter(
    (repair) =>
      repair.edits.some((edit) => group.edits.includes(edit)) ||
      repair.remedies.some((step) => group.steps.includes(step)),
  );
  const prompt = turn.prompts.map((one) => one.text).join('\n');
  const head = findHeadline(lines, names, prompt);
  const cause = findCause(lines, isNoCause);
  const type = typeOfWork({
    commitSubject: subject,
    prompt: shared ? '' : prompt,
    headline: head?.text ?? null,
    changes,
    repaired: repairs.some((one) => one.success),
    onlyRepairs: isOnlyRepairs(group.edits, repairs),
    causeStated: cause !== null && isStrongCause(cause.text),
  });
  const told = cause ?? (type === 'bugfix' && head?.lead ? head.line : null);
  return { group, changes, repairs, lines, names, head, cause: told, type };
}

export function isNoCause(line: Line): boolean {
  return isVerification(line.text) || isCaveat(line.text) || isDeadEnd(line) || readDecision(line) !== null;
}

function namesOf(changes: FileChange[]): string[] {
  return unique(
    changes.flatMap((change) => [
      baseName(change.file),
      ...change.newNames,
      ...change.touchedNames,
      ...change.goneNames,
      ...change.values.map((value) => value.key),
    ]),
  );
}

function speaksOf(line: Line, names: string[], subject: string): boolean {
  return names.some((name) => name.length > 3 && line.text.includes(name)) || sharedWords(line.text, subject) >= 2;
}

function workDraft(turn: Turn, work: Work): ObservationDraft {
  const { group, changes, type } = work;
  const checks = checksOf(turn, work);
  const files = changes.map((change) => change.file);
  const isFix = type === 'bugfix';
  const title = workTitle(turn, work);
  const cause = isFix && work.cause ? causeText(work.cause.text) : null;
  const saidInTitle = cause !== null && title.text.toLowerCase().includes(bareText(cause).slice(0, 40).toLowerCase());
  return makeDraft({
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
}

function subtitleOf(work: Work, title: string): string | null {
  const other = doneLines(work.lines).find(
    (line) => contentWords(line.text).size >= 4 && sharedWords(line.text, title) < 3,
  );
  return other?.text ?? (work.changes.length > 0 ? describeChanges(work.changes) : null);
}

function narrativeOf(work: Work): string | null {
  const body = work.group.commits.at(-1)?.commit.body;
  const told = [work.cause, work.head?.line, ...doneLines(work.lines).slice(0, 3)].filter(
    (line) => line !== null && line !== undefined,
  );
  return unique(told.map((line) => line.text)).join(' ') || body || null;
}

function failureFacts({ type, cause, repairs }: Work): Fact[] {
  const first = repairs[0];
  const when = type === 'bugfix' ? 'Before' : 'On the way';
  const before = first ? [fact(`${when}: ${describeRun(first.failure)}.`, first.failure.id)] : [];
  const why = type === 'bugfix' && cause ? [fact(`Cause: ${causeText(cause.text)}`, cause.id)] : [];
  return [...why, ...before];
}

function spokenFacts(work: Work): Fact[] {
  const isTold = (line: Line) => work.type === 'bugfix' && line === work.cause && causeText(line.text) === line.text;
  const lines = [...(work.head ? [work.head.line] : []), ...doneLines(work.lines)].filter((line) => !isTold(line));
  return unique(lines)
    .slice(0, 4)
    .map((line) => fact(line.text, line.id));
}

function fileFacts(changes: FileChange[]): Fact[] {
  const ranked = [...changes].sort((a, b) => b.added + b.removed - (a.added + a.removed));
  const rest = ranked.slice(4);
  const more =
    rest.length > 0
      ? [
          fact(
            `Also changed: ${rest.map((change) => change.file).join(', ')}.`,
            ...rest.flatMap((change) => change.sources),
          ),
        ]
      : [];
  return [...ranked.slice(0, 4).map((change) => fact(describeFile(change), ...change.sources)), ...more];
}

export function commitFacts(group: WorkGroup): Fact[] {
  return group.commits.map(({ step, commit }) =>
    fact(`Commit ${commit.hash ? `${commit.hash}: ` : ''}${commit.subject}`, step.id),
  );
}

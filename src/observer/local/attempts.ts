// What was tried and given up: edits taken back, commits reverted, and what the agent or the user says did not work.
import type { Fact, ObservationDraft } from '../../core/observation.ts';
import { conceptsFor } from './concepts.ts';
import { fact, makeDraft, unique } from './draft.ts';
import { changesOf } from './edits/changes.ts';
import { describeChanges, describeFile } from './edits/describe.ts';
import { findUndoneEdits } from './edits/undone.ts';
import { sharedWords } from './text/tokens.ts';
import { agentLines, type Edit, type Line, type Step, type Turn } from './turn.ts';
import { type DeadEnd, findDeadEnds, saysItFailed } from './words/dead-end.ts';
import { stripSpeaker } from './words/lead-in.ts';

/** `undone` = the edits given up together, `by` = the steps that took them back. */
export type Attempt = { undone: Edit[]; by: Step[]; how: string };

export function observeAttempts(turn: Turn, attempt: Attempt | null): ObservationDraft[] {
  const spoken = [
    ...findDeadEnds(agentLines(turn)),
    ...findDeadEnds(turn.prompts.flatMap((prompt) => prompt.statements)),
  ];
  if (!attempt) return spoken.map((end) => spokenDraft(end));
  const speaking = spoken.filter((end) => speaksOf(end, attempt, spoken.length));
  const about = speaking.length > 0 ? speaking : spoken.slice(0, 1);
  const others = spoken.filter((end) => !about.includes(end));
  return [undoneDraft(turn, attempt, about), ...others.map((end) => spokenDraft(end))].filter((one) => one !== null);
}

/** All edits of this session that this turn took back. */
export function findAttempt(turn: Turn): Attempt | null {
  const edits = turn.steps.flatMap((step) => step.edits);
  const pairs = findUndoneEdits(edits).filter((pair) => !pair.undo.old);
  const byGit = turn.steps.filter((step) => !step.old).flatMap((step) => undoneByGit(step, turn));
  const undone = unique([...pairs.flatMap((pair) => [pair.attempt]), ...byGit.flatMap((one) => one.edits)]);
  if (undone.length === 0) return null;
  const by = turn.steps.filter(
    (step) => pairs.some((pair) => pair.undo.id === step.id) || byGit.some((one) => one.step === step),
  );
  return { undone, by, how: byGit[0]?.how ?? 'edited back' };
}

/** Every edit that is part of an undoing, so that it does not count as work. */
export function givenUpEdits(attempt: Attempt | null): Set<string> {
  return new Set([
    ...(attempt?.undone ?? []).map(editKey),
    ...(attempt?.by ?? []).flatMap((step) => step.edits.map(editKey)),
  ]);
}

export function editKey(edit: Edit): string {
  return `${edit.id}\n${edit.file}`;
}

function undoneByGit(step: Step, turn: Turn): { step: Step; edits: Edit[]; how: string }[] {
  return step.git.flatMap((deed) => {
    if (deed.kind !== 'undo') return [];
    const later = turn.steps.filter((other) => other.index > step.index);
    if (deed.how === 'git stash' && later.some((other) => /\bgit stash (?:pop|apply)\b/.test(commandOf(other))))
      return [];
    const commits = turn.steps.filter(
      (other) => other.index < step.index && other.git.some((one) => one.kind === 'commit'),
    );
    const isRevert = deed.how.startsWith('git revert');
    // A revert takes back the last commit; everything else what came after it.
    const from = (isRevert ? commits.at(-2) : commits.at(-1))?.index ?? -1;
    const to = isRevert ? (commits.at(-1)?.index ?? step.index) : step.index;
    const before = turn.steps
      .filter((other) => other.index > from && other.index <= to)
      .flatMap((other) => other.edits);
    const edits = before.filter(
      (edit) => deed.files.length === 0 || deed.files.some((file) => touches(edit.file, file)),
    );
    return edits.length > 0 ? [{ step, edits, how: deed.how }] : [];
  });
}

function commandOf(step: Step): string {
  return step.event.action.type === 'command' ? step.event.action.command.slice(0, 2000) : '';
}

function touches(file: string, named: string): boolean {
  const path = named.replace(/^\.\//, '').replace(/\/$/, '');
  return (
    path === '.' ||
    path === '' ||
    file === path ||
    file.endsWith(`/${path}`) ||
    file.startsWith(`${path}/`) ||
    path.endsWith(`/${file}`)
  );
}

function speaksOf(end: DeadEnd, attempt: Attempt, count: number): boolean {
  if (count === 1) return true;
  const changes = changesOf(attempt.undone);
  const words = `${describeChanges(changes)} ${changes.map(describeFile).join(' ')} ${attempt.undone.flatMap((edit) => edit.hunks.flatMap((hunk) => hunk.lines)).join(' ')}`;
  return end.lines.some((line) => sharedWords(line.text, words) >= 2);
}

function undoneDraft(turn: Turn, attempt: Attempt, ends: DeadEnd[]): ObservationDraft | null {
  if (ends.length === 0 && isProof(turn)) return null;
  const changes = changesOf(attempt.undone);
  const files = unique(attempt.undone.map((edit) => edit.file));
  const failure = failureBetween(turn, attempt);
  const spoken = ends.flatMap((end) => end.lines);
  const tried = describeChanges(changes) ?? `Change ${files.join(', ')}`;
  const why = failure?.run?.error ?? (failure ? `${failure.run?.tool} failed` : null);
  const facts: Fact[] = [
    ...spoken.map((line) => fact(line.text, line.id)),
    ...changes.map((change) => fact(`Tried and undone: ${describeFile(change)}`, ...change.sources)),
    ...(failure && why ? [fact(`It failed: ${why}`, failure.id)] : []),
    fact(
      `Taken back by ${attempt.how === 'edited back' ? 'an inverse edit' : `\`${attempt.how}\``}.`,
      ...attempt.by.map((step) => step.id),
    ),
  ];
  return makeDraft({
    type: 'discovery',
    title: spoken.length > 0 ? spokenTitle(spoken) : `Tried and undone: ${tried}${why ? ` — ${why}` : ''}`,
    subtitle: why,
    narrative: spoken.map((line) => line.text).join(' ') || null,
    facts,
    concepts: conceptsFor('discovery', files, 'ruled-out'),
    filesModified: [],
    filesRead: files,
    outcome: 'ruled-out',
    origin: spoken.some((line) => line.by === 'user') ? 'user' : 'agent',
    at: attempt.by.at(-1)?.time ?? turn.lastTime,
  });
}

function spokenDraft(end: DeadEnd): ObservationDraft {
  const last = end.lines.at(-1);
  return makeDraft({
    type: 'discovery',
    title: spokenTitle(end.lines),
    narrative: end.lines.map((line) => line.text).join(' '),
    facts: end.lines.map((line) => fact(line.text, line.id)),
    concepts: conceptsFor('discovery', [], 'ruled-out'),
    outcome: 'ruled-out',
    origin: last?.by === 'user' ? 'user' : 'agent',
    at: last?.time ?? 0,
  });
}

function spokenTitle(lines: Line[]): string {
  const text = stripSpeaker(lines[0]?.text ?? '');
  const short = text.length < 45 && lines[1] ? `${text.replace(/[.!]$/, '')}: ${stripSpeaker(lines[1].text)}` : text;
  return saysItFailed(short) ? short : `Ruled out: ${short}`;
}

function failureBetween(turn: Turn, attempt: Attempt): Step | null {
  const first = Math.min(...attempt.undone.map((edit) => edit.index));
  const last = Math.max(...attempt.by.map((step) => step.index));
  return (
    turn.steps.findLast(
      (step) => step.index > first && step.index < last && step.run?.failed && step.run.kinds.length > 0,
    ) ?? null
  );
}

/** Breaking the code to see a test fail is a check, not an attempt. */
function isProof(turn: Turn): boolean {
  return agentLines(turn).some((line) =>
    /\b(?:verified|confirmed|made sure|proved|checked)\b.{0,80}\bfail|fails? without/i.test(line.text),
  );
}

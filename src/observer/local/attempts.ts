// What was tried and given up, with why: from edits taken back and from what the agent or the user says did not work.
import type { Fact, ObservationDraft } from '../../core/observation.ts';
import { conceptsFor } from './concepts.ts';
import { fact, makeDraft, unique } from './draft.ts';
import { changesOf } from './edits/changes.ts';
import { describeChanges, describeFile } from './edits/describe.ts';
import type { Attempt } from './given-up.ts';
import { contentWords, overlap, sharedWords } from './text/tokens.ts';
import { agentLines, type Edit, type Line, type Turn } from './turn.ts';
import { type DeadEnd, findDeadEnds, saysItFailed } from './words/dead-end.ts';
import { stripSpeaker } from './words/lead-in.ts';
import { proseOf } from './words/repeats.ts';
import { forbids } from './words/user-rule.ts';

export function observeAttempts(turn: Turn, attempt: Attempt | null): ObservationDraft[] {
  const asked = turn.prompts.flatMap((prompt) => prompt.statements);
  const spoken = distinct([
    ...findDeadEnds(agentLines(turn)),
    ...findDeadEnds(asked.filter((line) => !forbids(line.text))),
  ]);
  const clear = spoken.filter((end) => !isVague(end));
  if (!attempt) return clear.map((end) => spokenDraft(turn, end));
  const about = endAbout(attempt, spoken);
  const others = clear.filter((end) => end !== about).map((end) => spokenDraft(turn, end));
  const told = about ? withReason(about, turn) : linesOn(turn, attempt, others);
  const lines = [...told, ...asked.filter((line) => saysItFailed(line.text))];
  const undone = isTelling(turn, attempt, lines) ? [undoneDraft(turn, attempt, unique(lines))] : [];
  return [...undone, ...others];
}

/** Of several dead ends the one that names most of what was taken back; "that made it worse" means whatever was. */
function endAbout(attempt: Attempt, spoken: DeadEnd[]): DeadEnd | null {
  const words = wordsOf(attempt);
  const weight = (end: DeadEnd) => Math.max(...end.lines.map((line) => sharedWords(line.text, words)));
  const best = [...spoken].sort((a, b) => weight(b) - weight(a))[0];
  if (best && weight(best) >= 2) return best;
  return spoken.length === 1 ? (best ?? null) : (spoken.find(isVague) ?? null);
}

function wordsOf({ undone, failure }: Attempt): string {
  const changes = changesOf(undone);
  const lines = undone.flatMap((edit) => edit.hunks.flatMap((hunk) => hunk.lines)).join(' ');
  return `${describeChanges(changes)} ${changes.map(describeFile).join(' ')} ${failure?.run?.error ?? ''} ${lines}`;
}

/** A dead end told by a subagent and again by the agent is one. */
function distinct(ends: DeadEnd[]): DeadEnd[] {
  const kept: DeadEnd[] = [];
  const textOf = (end: DeadEnd) => end.lines.map((line) => line.text).join(' ');
  for (const end of ends) if (!kept.some((other) => overlap(textOf(other), textOf(end)) >= 0.6)) kept.push(end);
  return kept;
}

/** "That made it worse" points at something; by itself it tells nothing. */
function isVague(end: DeadEnd): boolean {
  return (
    contentWords(end.lines.map((line) => line.text).join(' ')).size < 5 &&
    /^(?:(?:I|we|so|but|and) )?(?:\w+ )?(?:that|it|this|them|(?:the|that|this|my) (?:change|edit|attempt|experiment)s?)\b/i.test(
      end.lines[0]?.text ?? '',
    )
  );
}

/** "I undid the change." says nothing: the sentence before it tells why. */
function withReason(end: DeadEnd, turn: Turn): Line[] {
  const first = end.lines[0];
  const all = agentLines(turn);
  const before = first && isVague(end) ? all[all.indexOf(first) - 1] : undefined;
  const isNear = before && before.id === first?.id && before.block === first.block;
  return isNear ? [before, ...end.lines] : end.lines;
}

/** An edit taken back without a word or a red check was tidying; one broken on purpose to see a test fail was a check. */
function isTelling(turn: Turn, attempt: Attempt, lines: Line[]): boolean {
  if (lines.length > 0) return true;
  if (attempt.undone.every((edit) => edit.old) && turn.prompts.some((one) => COMPLAINT.test(one.text))) return true;
  const isProof = agentLines(turn).some((line) =>
    /\b(?:verified|confirmed|made sure|proved|checked)\b.{0,80}\bfail|fails? without/i.test(line.text),
  );
  return !isProof && (attempt.failure !== null || attempt.how !== '');
}

/** The user sends back what an earlier turn made. */
const COMPLAINT =
  /\b(?:not acceptable|unacceptable|too (?:slow|big|much|heavy|expensive|complicated)|worse|slower|goes up|(?:does|did)(?:n['’]t| not) (?:work|help)|breaks?|broke|crash\w*|fails?|leaks?|undo|revert|roll (?:it |that )?back|go back)\b/i;

/** Nobody says it failed, but a sentence with words that only the given-up edits have tells what became of it. */
function linesOn(turn: Turn, attempt: Attempt, others: ObservationDraft[]): Line[] {
  if (others.length > 0 || (attempt.failure === null && attempt.how === '')) return [];
  const kept = turn.steps.flatMap((step) => step.edits.filter((edit) => !attempt.undone.includes(edit)));
  const known = contentWords(addedBy(kept));
  const own = new Set([...contentWords(addedBy(attempt.undone))].filter((word) => !known.has(word)));
  const weight = (line: Line) => [...contentWords(line.text)].filter((word) => own.has(word)).length;
  const ranked = (turn.closing?.statements ?? []).map((line) => ({ line, weight: weight(line) }));
  const best = ranked.filter((one) => one.weight > 0).sort((a, b) => b.weight - a.weight)[0]?.line;
  return best ? [best] : [];
}

function addedBy(edits: Edit[]): string {
  const lines = edits.flatMap((edit) => edit.hunks.flatMap((hunk) => hunk.lines.slice(0, 200)));
  return lines
    .filter((line) => line.startsWith('+'))
    .join(' ')
    .slice(0, 4000);
}

function undoneDraft(turn: Turn, attempt: Attempt, spoken: Line[]): ObservationDraft {
  const changes = changesOf(attempt.undone);
  const files = changes.map((change) => change.file);
  const run = attempt.failure?.run;
  const why = run ? (run.error ?? `${run.tool} failed`) : null;
  const said = spoken.find((line) => line.by !== 'user') ? spoken.filter((line) => line.by !== 'user') : spoken;
  const tried = `Tried and undone: ${describeChanges(changes)}${why ? ` — ${why}` : ''}`;
  const facts: Fact[] = [
    ...spoken.map((line) => fact(line.by === 'user' ? `The user said: ${line.text}` : line.text, line.id)),
    ...changes.map((change) => fact(`Tried and undone: ${describeFile(change)}`, ...change.sources)),
    ...(attempt.failure ? [fact(`It failed: ${why}`, attempt.failure.id)] : []),
    fact(`Taken back by ${attempt.how ? `\`${attempt.how}\`` : 'an edit'}.`, ...attempt.by.map((step) => step.id)),
  ];
  return makeDraft({
    type: 'discovery',
    title: said.some((line) => line.by !== 'user') ? spokenTitle(said) : tried,
    subtitle: why,
    narrative: around(turn, spoken) || null,
    facts,
    concepts: conceptsFor('discovery', files, 'ruled-out'),
    filesRead: files,
    outcome: 'ruled-out',
    origin: spoken.length > 0 && spoken.every((line) => line.by === 'user') ? 'user' : 'agent',
    at: attempt.by.at(-1)?.time ?? turn.lastTime,
  });
}

function spokenDraft(turn: Turn, end: DeadEnd): ObservationDraft {
  const last = end.lines.at(-1);
  return makeDraft({
    type: 'discovery',
    title: spokenTitle(end.lines),
    subtitle: topicOf(end.lines[0]),
    narrative: around(turn, end.lines),
    facts: end.lines.map((line) => fact(line.text, line.id)),
    concepts: conceptsFor('discovery', [], 'ruled-out'),
    outcome: 'ruled-out',
    origin: last?.by === 'user' ? 'user' : 'agent',
    at: last?.time ?? 0,
  });
}

/** The heading above names what was looked at: "Exchange rates". */
function topicOf(line: Line | undefined): string | null {
  const section = line?.section ?? '';
  const isTopic = contentWords(section).size > 0 && section.length <= 60 && !GENERIC_HEADING.test(section);
  return isTopic ? section : null;
}

const GENERIC_HEADING =
  /\b(?:summary|done|changes?|what|result|findings?|notes?|details?|tried|dead ends?|ruled out|failed|next|open|status|overview|fix|cause|analysis|hypothes\w+|decisions?|options?|also)\b/i;

/** The sentences with their paragraph: the reason often stands beside them. */
function around(turn: Turn, lines: Line[]): string {
  const blocks = new Set(lines.map((line) => `${line.id} ${line.block}`));
  const all = [...agentLines(turn), ...turn.prompts.flatMap((prompt) => prompt.statements)];
  return proseOf(all.filter((line) => blocks.has(`${line.id} ${line.block}`)));
}

function spokenTitle(lines: Line[]): string {
  const text = stripSpeaker(lines[0]?.text ?? '');
  const short = text.length < 45 && lines[1] ? `${text.replace(/[.!]$/, '')}: ${stripSpeaker(lines[1].text)}` : text;
  return saysItFailed(short) ? short : `Ruled out: ${short}`;
}

// What a turn found out, told once: the finding the agent or a subagent states, or a check that is left failing.
import type { ObservationDraft, Origin } from '../../core/observation.ts';
import { conceptsFor } from './concepts.ts';
import { fact, makeDraft, unique } from './draft.ts';
import { type ExplainedList, findExplainedList } from './explained-list.ts';
import { filesReadIn } from './files-read.ts';
import { contentWords, overlap, sharedWords } from './text/tokens.ts';
import { agentLines, type Line, NAMELESS, newSteps, type Step, type Turn } from './turn.ts';
import { describeRun } from './verification.ts';
import { findCause, withoutCauseLabel } from './words/cause.ts';
import { isChatter } from './words/chatter.ts';
import { isDeadEnd } from './words/dead-end.ts';
import { readDecision } from './words/decision.ts';
import { answerWeight, isAnswer, isAside, isFinding, isQuestion, isVerdict } from './words/finding.ts';
import { stripSpeaker } from './words/lead-in.ts';
import { findNextSteps } from './words/next-step.ts';
import { proseOf } from './words/repeats.ts';
import { standAlone } from './words/stand-alone.ts';

/** At most one; nothing that `told` already says. */
export function observeDiscovery(turn: Turn, told: ObservationDraft[]): ObservationDraft[] {
  const lines = freeLines(turn, told);
  const failing = leftFailing(turn);
  if (told.some((one) => one.filesModified.length > 0)) return besideWork(turn, told, lines);
  const list = findExplainedList(turn, lines);
  if (list) return [listDraft(turn, list)];
  const found = lines.filter((line) => isFinding(line));
  const used = found.length > 0 ? found : explanations(turn, lines, failing);
  if (used.length > 0) return [findingDraft(turn, used, lines, failing)];
  const red = failing?.run?.kinds.some((kind) => kind !== 'program');
  return failing && red && told.length === 0 ? [failingDraft(failing)] : [];
}

/** Work done and a finding besides: told only when it is stated as one and no fix has it as its cause. */
function besideWork(turn: Turn, told: ObservationDraft[], lines: Line[]): ObservationDraft[] {
  const hasFix = told.some((one) => one.type === 'bugfix');
  const findings = lines.filter((line) => (hasFix ? isAside(line) : isFinding(line) || isAside(line)));
  return findings.length > 0 ? [findingDraft(turn, findings, findings, null)] : [];
}

/** An answer to a question, or why a command failed. */
function explanations(turn: Turn, lines: Line[], failing: Step | null): Line[] {
  const cause = failing ? findCause(lines, () => false) : null;
  if (cause) return [cause];
  if (!turn.prompts.some((prompt) => isQuestion(prompt.text))) return [];
  const answers = lines.filter((line) => isAnswer(line));
  const looked = newSteps(turn).some((step) =>
    ['read', 'search', 'web', 'agent', 'other', 'command'].includes(step.event.action.type),
  );
  const length = contentWords(answers.map((line) => line.text).join(' ')).size;
  return length >= (looked ? 5 : 15) ? answers : [];
}

function freeLines(turn: Turn, told: ObservationDraft[]): Line[] {
  const lines = agentLines(turn);
  const steps = new Set(findNextSteps(lines).map((step) => step.line));
  const texts = told.flatMap((one) => [one.title ?? '', ...one.facts.map((it) => it.text)]);
  return lines.filter((line) => {
    if (steps.has(line) || isDeadEnd(line) || readDecision(line)) return false;
    if (told.some((one) => one.outcome === 'ruled-out' && one.narrative?.includes(line.text))) return false;
    return !texts.some((text) => overlap(text, line.text) >= 0.75);
  });
}

function findingDraft(turn: Turn, lines: Line[], free: Line[], failing: Step | null): ObservationDraft {
  const first = agentLines(turn).find((line) => !isChatter(line.text));
  const asked = turn.prompts.map((prompt) => prompt.text).join('\n');
  const weight = (line: Line) =>
    answerWeight(line) + (line === first ? 2.5 : 0) + (sharedWords(line.text, asked) > 1 ? 1.5 : 0);
  const ranked = [...lines].sort((a, b) => weight(b) - weight(a));
  const all = agentLines(turn);
  // "With an integer it is 0.2 ms" says nothing without the sentence before it.
  const main = ranked.find((line) => nameSubject(line, all) !== null) ?? (ranked[0] as Line);
  const steps = newSteps(turn);
  const files = filesReadIn(steps, turn.root);
  const said = agentLines(turn).filter((line) => line.id === main.id);
  const others = said.filter((line) => free.includes(line) && (lines.includes(line) || isAnswer(line)));
  const told = unique([main, ...others.filter((line) => !line.text.endsWith(':'))]);
  return makeDraft({
    type: 'discovery',
    title: findingTitle(main, said),
    subtitle: foundBy(main) ?? told[1]?.text ?? null,
    narrative: proseOf(told.slice(0, 10)),
    facts: [
      ...told.slice(0, 8).map((line) => fact(line.text, line.id)),
      ...(failing ? [fact(`${describeRun(failing)}.`, failing.id)] : []),
    ],
    concepts: conceptsFor('discovery', files),
    filesRead: files,
    outcome: failing ? 'failed' : null,
    origin: restsOn(steps),
    at: main.time,
  });
}

function foundBy({ by }: Line): string | null {
  if (by === 'agent' || by === 'compaction') return null;
  return by === NAMELESS ? 'Found by a subagent' : `Found by the subagent ${by}`;
}

function listDraft(turn: Turn, { title, items }: ExplainedList): ObservationDraft {
  const steps = newSteps(turn);
  const files = filesReadIn(steps, turn.root);
  return makeDraft({
    type: 'discovery',
    title: withoutFound(withoutCauseLabel(stripSpeaker(title))),
    facts: items.slice(0, 8).map((line) => fact(line.text, line.id)),
    concepts: conceptsFor('discovery', files),
    filesRead: files,
    origin: restsOn(steps),
    at: items[0]?.time ?? turn.lastTime,
  });
}

function nameSubject(line: Line, all: Line[]): string | null {
  const previous = all[all.indexOf(line) - 1];
  const before = previous?.id === line.id ? previous : undefined;
  const text = stripSpeaker(line.text);
  return standAlone(text, before) ?? (before && isBareAnswer(before) ? `${bareAnswer(before)}: ${text}` : null);
}

/** "v7." before "They sort by time, so …": the answer in a word. */
const isBareAnswer = (line: Line): boolean => line.text.length <= 30 && !/[?:]$/.test(line.text);
const bareAnswer = (line: Line): string => line.text.replace(/[.!]+$/, '');

/** "The plugin works." alone says little: the sentence after a verdict is taken along. */
function findingTitle(main: Line, said: Line[]): string {
  const text = withoutFound(withoutCauseLabel(nameSubject(main, said) ?? stripSpeaker(main.text)));
  const before = said[said.indexOf(main) - 1];
  const verdict = before && before.text.length < 40 && isVerdict(before.text) ? before : null;
  return verdict ? `${verdict.text.replace(/[.!]+$/, '')}: ${text}` : text;
}

/** "The results show that X" → "X". */
const withoutFound = (text: string): string =>
  text.replace(
    /^(?:(?:found|discovered|confirmed|noticed|learned) (?:out )?that|(?:the )?(?:search )?results? (?:indicate|show|suggest)s? that|it turns out that|turns out)\s+/i,
    '',
  );

function leftFailing(turn: Turn): Step | null {
  const last = newSteps(turn).findLast((step) => (step.run?.kinds.length ?? 0) > 0);
  return last?.run?.failed ? last : null;
}

function failingDraft(step: Step): ObservationDraft {
  return makeDraft({
    type: 'discovery',
    title: describeRun(step).replace(step.run?.tool ?? '', '`$&`'),
    facts: [fact(`${describeRun(step)}.`, step.id)],
    concepts: conceptsFor('discovery', [], 'open-failure'),
    outcome: 'failed',
    origin: 'command',
    at: step.time,
  });
}

/** A finding is worth no more trust than the least trusted thing it can have come from. */
function restsOn(steps: Step[]): Origin {
  const looked = steps.filter((step) => ['read', 'search', 'command', 'edit'].includes(step.event.action.type));
  if (steps.some((step) => step.event.action.type === 'web') && looked.length === 0) return 'web';
  if (looked.length === 0 && steps.some((step) => String(step.event.tool).startsWith('mcp__'))) return 'mcp';
  return 'agent';
}

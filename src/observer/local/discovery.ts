// What a turn found out, told once: the finding the agent or a subagent states, or a check that is left failing.
import type { ObservationDraft, Origin } from '../../core/observation.ts';
import { conceptsFor } from './concepts.ts';
import { fact, makeDraft, unique } from './draft.ts';
import { filesReadIn } from './files-read.ts';
import { overlap } from './text/tokens.ts';
import { agentLines, type Line, newSteps, type Step, type Turn } from './turn.ts';
import { describeRun } from './verification.ts';
import { isDeadEnd } from './words/dead-end.ts';
import { readDecision } from './words/decision.ts';
import { isAnswer, isFinding, isQuestion } from './words/finding.ts';
import { stripSpeaker } from './words/lead-in.ts';
import { findNextSteps } from './words/next-step.ts';

/** At most one; nothing that `told` already says. */
export function observeDiscovery(turn: Turn, told: ObservationDraft[]): ObservationDraft[] {
  const worked = told.some((one) => one.filesModified.length > 0);
  const lines = freeLines(turn, told);
  const findings = lines.filter((line) => isFinding(line));
  const asked = turn.prompts.some((prompt) => isQuestion(prompt.text));
  const failing = worked ? null : leftFailing(turn);
  if (worked)
    return findings.length > 0 && !told.some((one) => one.type === 'bugfix')
      ? [findingDraft(turn, findings, null)]
      : [];
  if (findings.length > 0) return [findingDraft(turn, findings, failing)];
  const answers = asked ? lines.filter((line) => isAnswer(line)) : [];
  if (answers.length > 0) return [findingDraft(turn, answers, failing)];
  return failing && told.length === 0 ? [failingDraft(failing)] : [];
}

function freeLines(turn: Turn, told: ObservationDraft[]): Line[] {
  const lines = agentLines(turn);
  const steps = new Set(findNextSteps(lines).map((step) => step.line));
  const texts = told.flatMap((one) => [one.title ?? '', ...one.facts.map((it) => it.text)]);
  return lines.filter(
    (line) =>
      !steps.has(line) &&
      !isDeadEnd(line) &&
      !readDecision(line) &&
      !texts.some((text) => overlap(text, line.text) >= 0.75),
  );
}

function findingDraft(turn: Turn, lines: Line[], failing: Step | null): ObservationDraft {
  const main = lines[0] as Line;
  const steps = newSteps(turn);
  const files = filesReadIn(steps, turn.root);
  const by = main.by === 'agent' ? null : `Found by the subagent ${main.by}`;
  const more = agentLines(turn).filter((line) => line.id === main.id && (lines.includes(line) || isAnswer(line)));
  return makeDraft({
    type: 'discovery',
    title: stripSpeaker(main.text).replace(/^(?:found|discovered|confirmed|noticed|learned) (?:out )?that\s+/i, ''),
    subtitle: by ?? more.find((line) => line !== main)?.text ?? null,
    narrative: unique([main, ...more])
      .slice(0, 4)
      .map((line) => line.text)
      .join(' '),
    facts: [
      ...unique([main, ...more])
        .slice(0, 6)
        .map((line) => fact(line.text, line.id)),
      ...(failing ? [fact(`${describeRun(failing)}.`, failing.id)] : []),
    ],
    concepts: conceptsFor('discovery', files),
    filesRead: files,
    outcome: failing ? 'failed' : null,
    origin: restsOn(steps),
    at: main.time,
  });
}

function leftFailing(turn: Turn): Step | null {
  const checks = newSteps(turn).filter(
    (step) => step.run && step.run.kinds.some((kind) => kind === 'test' || kind === 'build'),
  );
  const last = checks.at(-1);
  return last?.run?.failed ? last : null;
}

function failingDraft(step: Step): ObservationDraft {
  return makeDraft({
    type: 'discovery',
    title: describeRun(step),
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
  if (looked.length === 0 && steps.some((step) => step.event.tool.startsWith('mcp__'))) return 'mcp';
  return 'agent';
}

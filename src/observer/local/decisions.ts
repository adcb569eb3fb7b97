// Decisions: of the user (rules, answers, approved plans) and of the agent, with what was rejected and why.
import type { ObservationDraft } from '../../core/observation.ts';
import { conceptsFor } from './concepts.ts';
import { fact, makeDraft } from './draft.ts';
import { capText, clip, titleOf } from './text/clip.ts';
import { readStatements } from './text/markdown.ts';
import { bareText } from './text/plain.ts';
import { contentWords, overlap } from './text/tokens.ts';
import { agentLines, type Line, newSteps, type Step, type Turn } from './turn.ts';
import { choiceIn } from './words/choice.ts';
import { isDeadEnd } from './words/dead-end.ts';
import { type Decision, readDecision, rejectedIn, whyIn } from './words/decision.ts';
import { isQuestion } from './words/finding.ts';
import { stripSpeaker } from './words/lead-in.ts';
import { findNextSteps } from './words/next-step.ts';
import { findUserRules } from './words/user-rule.ts';

const AGENT_DECISIONS = 4;
const USER_RULES = 4;

export function observeDecisions(turn: Turn): ObservationDraft[] {
  const steps = newSteps(turn);
  const user = [...steps.flatMap(answerDrafts), ...steps.flatMap(planDrafts), ...ruleDrafts(turn)];
  const lines = agentLines(turn);
  const isOnlyAsked =
    turn.prompts.some((one) => isQuestion(one.text)) && !newSteps(turn).some((step) => step.edits.length > 0);
  // Asked about the past, the agent tells what others once decided; only its own "I" and "we" decide now.
  const decided = agentDecisions(lines).filter(({ line }) => !isOnlyAsked || /\b(?:I|we)\b/i.test(line.text));
  const agent = [...decided, ...choiceMade(turn, lines, decided)].map((decision) => agentDraft(decision, lines));
  return [...user, ...agent.filter((one) => !user.some((other) => overlap(one.title ?? '', other.title ?? '') >= 0.7))];
}

/** The user left it to the agent: what it did is decided, though no word says so. */
function choiceMade(turn: Turn, lines: Line[], decided: Decision[]): Decision[] {
  const isBesideWork = newSteps(turn).some((step) => step.edits.length > 0);
  if (decided.length > 0 || !isBesideWork) return [];
  const line = choiceIn(lines, turn.prompts.map((one) => one.text).join('\n'));
  return line ? [{ line, text: stripSpeaker(line.text), why: whyIn(line.text), rejected: rejectedIn(line.text) }] : [];
}

function agentDecisions(lines: Line[]): Decision[] {
  const steps = new Set(findNextSteps(lines).map((step) => step.line));
  const found: Decision[] = [];
  lines.forEach((line, at) => {
    if (steps.has(line) || isDeadEnd(line)) return;
    const decision = readDecision(line);
    if (!decision || found.some((other) => overlap(other.text, decision.text) >= 0.6)) return;
    found.push({ ...decision, why: decision.why ?? reasonAfter(line, lines[at + 1]) });
  });
  return found.slice(0, AGENT_DECISIONS);
}

/** "I went with SQLite. It needs no server." The reason may be the next sentence. */
function reasonAfter(line: Line, next: Line | undefined): string | null {
  if (!next || next.id !== line.id || next.block !== line.block) return null;
  return /^(?:it|this|that|the reason|because|since|they|\w+ (?:is|was|has|needs|would))\b/i.test(next.text)
    ? bareText(next.text).replace(/[.!]$/, '')
    : null;
}

function agentDraft({ line, text, why, rejected }: Decision, lines: Line[]): ObservationDraft {
  const around = lines.filter((other) => other.id === line.id && other.block === line.block);
  return makeDraft({
    type: 'decision',
    title: text,
    subtitle: why,
    narrative: around.map((other) => other.text).join(' '),
    facts: [
      fact(line.text, line.id),
      ...(why ? [fact(`Why: ${why}.`, line.id)] : []),
      ...(rejected ? [fact(`Rejected: ${rejected}.`, line.id)] : []),
    ],
    concepts: conceptsFor('decision', [], 'why-it-exists'),
    origin: 'agent',
    at: line.time,
  });
}

function ruleDrafts(turn: Turn): ObservationDraft[] {
  const said = turn.prompts.flatMap((prompt) => prompt.statements);
  const rules = turn.prompts.flatMap((prompt) => findUserRules(prompt.statements));
  return rules.slice(0, USER_RULES).map(({ line, text, rejected }) => {
    const paragraph = said.filter((one) => one.id === line.id && one.block === line.block);
    return makeDraft({
      type: 'decision',
      title: text,
      subtitle: whyIn(text) ?? 'Laid down by the user',
      narrative: paragraph.map((one) => one.text).join(' '),
      facts: [
        fact(`The user said: ${line.text}`, line.id),
        ...(rejected ? [fact(`Rejected: ${rejected}.`, line.id)] : []),
      ],
      concepts: conceptsFor('decision', [], 'constraint'),
      origin: 'user',
      at: line.time,
    });
  });
}

function answerDrafts(step: Step): ObservationDraft[] {
  const { action, error } = step.event;
  if (action.type !== 'question' || error !== null) return [];
  return action.answers
    .filter(({ question, answer }) => answer && !/\b(?:continue|proceed|go ahead|ready)\b/i.test(question))
    .map(({ question, answer, options }) => {
      const rejected = options.filter((option) => option !== answer && !answer.includes(option));
      const chosen = bareText(answer).replace(/\s+/g, ' ');
      return makeDraft({
        type: 'decision',
        title: `${clip(bareText(question).replace(/\?$/, ''), 60)}? → ${titleOf(chosen, 60)}`,
        subtitle: 'Answered by the user',
        facts: [
          fact(`Asked “${question}”, the user chose: ${chosen}.`, step.id),
          ...(rejected.length > 0 ? [fact(`Rejected: ${rejected.join('; ')}.`, step.id)] : []),
        ],
        concepts: conceptsFor('decision', []),
        origin: 'user',
        at: step.time,
      });
    });
}

function planDrafts(step: Step): ObservationDraft[] {
  const { action, error } = step.event;
  if (action.type !== 'plan' || error !== null || !action.text) return [];
  const text = capText(action.text, 12_000);
  const heading = /^#{1,3}\s+(.{4,160})$/m.exec(text)?.[1] ?? text.trim().split('\n', 1)[0] ?? '';
  const statements = readStatements(text);
  const goal =
    statements.find((line) => /\b(?:goal|summary|overview|context|objective)\b/.test(line.section)) ?? statements[0];
  const points = statements
    .filter((line) => line.item && line !== goal && contentWords(line.text).size >= 3 && !/^`[^`]*`$/.test(line.text))
    .slice(0, 7);
  return [
    makeDraft({
      type: 'decision',
      title: `Plan approved: ${heading.replace(/^(?:implementation )?plan\s*[:—–-]\s*/i, '')}`,
      subtitle: goal?.text ?? null,
      narrative: statements
        .slice(0, 14)
        .map((line) => line.text)
        .join(' '),
      facts: [...(goal ? [goal] : []), ...points].map((line) => fact(line.text, step.id)),
      concepts: conceptsFor('decision', [], 'plan'),
      origin: 'user',
      at: step.time,
    }),
  ];
}

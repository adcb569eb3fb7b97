// Decisions: of the user (rules, answers, approved plans) and of the agent, with what was rejected and why.
import { type ObservationDraft, PLAN_APPROVED } from '../../core/observation.ts';
import { observeAgentDecisions } from './agent-decisions.ts';
import { conceptsFor } from './concepts.ts';
import { fact, makeDraft } from './draft.ts';
import { laterIn } from './open-items.ts';
import { observeSettled } from './settled.ts';
import { capText, clip, titleOf } from './text/clip.ts';
import { readStatements } from './text/markdown.ts';
import { bareText } from './text/plain.ts';
import { contentWords, overlap } from './text/tokens.ts';
import { newSteps, type Step, type Turn } from './turn.ts';
import { whyIn } from './words/decision.ts';
import { isInstruction } from './words/instruction.ts';
import { proseOf } from './words/repeats.ts';
import { findUserRules } from './words/user-rule.ts';

const USER_RULES = 4;

export function observeDecisions(turn: Turn): ObservationDraft[] {
  const steps = newSteps(turn);
  const user = [...steps.flatMap(answerDrafts), ...steps.flatMap(planDrafts), ...ruleDrafts(turn)];
  const settled = observeSettled(turn);
  const known = [...user, ...settled];
  const agent = observeAgentDecisions(turn);
  return [
    ...known,
    ...agent.filter((one) => !known.some((other) => overlap(one.title ?? '', other.title ?? '') >= 0.7)),
  ];
}

function ruleDrafts(turn: Turn): ObservationDraft[] {
  const said = turn.prompts.flatMap((prompt) => prompt.statements);
  // "Leave the tablet for next week" is a next step.
  const rules = turn.prompts
    .flatMap((prompt) => findUserRules(prompt.statements))
    .filter((rule) => laterIn(rule.line.text).length === 0);
  return rules.slice(0, USER_RULES).map(({ line, text, rejected, also }) => {
    const paragraph = said.filter((one) => one.id === line.id && one.block === line.block);
    return makeDraft({
      type: 'decision',
      title: text,
      subtitle: whyIn(text) ?? 'Said by the user',
      narrative: proseOf(paragraph),
      facts: [
        ...[line, ...also].map((one) => fact(`The user said: ${one.text}`, one.id)),
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

/** How it is to be looked at afterwards is no part of what was approved. */
const TRIED_OUT = /^(?:verification|verify|testing|test plan|usage|installation)\b/;

function planDrafts(step: Step): ObservationDraft[] {
  const { action, error } = step.event;
  if (action.type !== 'plan' || error !== null || !action.text) return [];
  const text = capText(action.text, 12_000);
  const heading = /^#{1,3}\s+(.{4,160})$/m.exec(text)?.[1] ?? text.trim().split('\n', 1)[0] ?? '';
  const statements = readStatements(text).filter((line) => !TRIED_OUT.test(line.section) && !isInstruction(line));
  const goal =
    statements.find((line) => /\b(?:goal|summary|overview|context|objective)\b/.test(line.section)) ?? statements[0];
  const points = statements
    .filter((line) => line.item && line !== goal && contentWords(line.text).size >= 3 && !/^`[^`]*`$/.test(line.text))
    .slice(0, 7);
  return [
    makeDraft({
      type: 'decision',
      title: `${PLAN_APPROVED} ${heading.replace(/^(?:implementation )?plan\s*[:—–-]\s*/i, '')}`,
      subtitle: goal?.text ?? null,
      narrative: proseOf(statements.slice(0, 14)),
      facts: [...(goal ? [goal] : []), ...points].map((line) => fact(line.text, step.id)),
      concepts: conceptsFor('decision', [], 'plan'),
      origin: 'user',
      at: step.time,
    }),
  ];
}

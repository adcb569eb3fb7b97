// Decisions of the agent: sentences, headings and tables of its messages that say what was chosen, why, and what was not.
import type { ObservationDraft } from '../../core/observation.ts';
import { conceptsFor } from './concepts.ts';
import { fact, makeDraft } from './draft.ts';
import { bareText } from './text/plain.ts';
import { readTables } from './text/table.ts';
import { overlap, sharedWords } from './text/tokens.ts';
import { agentLines, type Line, newSteps, type Turn } from './turn.ts';
import { choiceIn } from './words/choice.ts';
import { isDeadEnd } from './words/dead-end.ts';
import { type Decision, readDecision, rejectedIn, whyIn } from './words/decision.ts';
import { findHeadingDecisions } from './words/decision-heading.ts';
import { isQuestion } from './words/finding.ts';
import { stripSpeaker } from './words/lead-in.ts';
import { findNextSteps } from './words/next-step.ts';
import { proseOf } from './words/repeats.ts';
import { standAlone } from './words/stand-alone.ts';
import { chosenRows } from './words/table-rows.ts';

const KEPT = 4;

export function observeAgentDecisions(turn: Turn): ObservationDraft[] {
  const lines = agentLines(turn);
  const isWork = newSteps(turn).some((step) => step.edits.length > 0);
  const isOnlyAsked = !isWork && turn.prompts.some((one) => isQuestion(one.text));
  const headed = findHeadingDecisions(lines);
  // Asked about the past, the agent tells what others once decided; only its own "I" and "we" decide now.
  const spoken = findDecisions(lines.filter((line) => !headed.some((one) => one.lines.includes(line)))).filter(
    ({ line }) => !isOnlyAsked || /\b(?:I|we|my|our)\b|^recommend/i.test(line.text),
  );
  const decided = [...headed.map((one) => one.decision), ...tabled(turn), ...spoken];
  const made = decided.length === 0 && isWork ? choiceMade(turn, lines) : [];
  return [...decided, ...made].slice(0, KEPT).map((decision) => agentDraft(decision, lines));
}

/** The user left it to the agent: what it did is decided, though no word says so. */
function choiceMade(turn: Turn, lines: Line[]): Decision[] {
  const line = choiceIn(lines, turn.prompts.map((one) => one.text).join('\n'));
  return line ? [{ line, text: stripSpeaker(line.text), why: whyIn(line.text), rejected: rejectedIn(line.text) }] : [];
}

function tabled(turn: Turn): Decision[] {
  const line = turn.closing?.statements[0];
  if (!turn.closing || !line) return [];
  return readTables(turn.closing.text)
    .flatMap(chosenRows)
    .map((choice) => ({ ...choice, line: { ...line, text: choice.text, block: -1 } }));
}

function findDecisions(lines: Line[]): Decision[] {
  const steps = new Set(findNextSteps(lines).map((step) => step.line));
  const found: Decision[] = [];
  lines.forEach((line, at) => {
    if (steps.has(line) || isDeadEnd(line)) return;
    const decision = named(readDecision(line), before(lines, at));
    if (!decision || found.some((other) => overlap(other.text, decision.text) >= 0.6)) return;
    const last = found.at(-1);
    if (last && sameBlock(last.line, line) && isOneThing(last, decision))
      found[found.length - 1] = merged(last, decision);
    else found.push({ ...decision, why: decision.why ?? reasonAfter(line, lines[at + 1]) });
  });
  return found;
}

function named(decision: Decision | null, previous: Line | undefined): Decision | null {
  const refused = decision && previous ? refusedIdea(decision.text, previous) : null;
  const text = refused ?? (decision ? standAlone(decision.text, previous) : null);
  return decision && text ? { ...decision, text } : null;
}

/** "One could pin lens < 5.3 too. I did not, because …": the idea stands in the sentence before. */
function refusedIdea(text: string, previous: Line): string | null {
  const because = /^(?:did(?:n['’]t| not)|decided against (?:it|that)),? (?=because|since|as\b|for\b)(.{8,})$/i.exec(
    text,
  )?.[1];
  if (because) return `Not: ${stripSpeaker(previous.text).replace(/[.!]+$/, '')}, ${because}`;
  const idea = IDEA.exec(previous.text)?.[1];
  return idea && sharedWords(idea, text) === 0 ? `${idea}: ${text}` : null;
}

/** "Partitioning by month crossed my mind." */
const IDEA =
  /^(.{4,60}?) (?:crossed my mind|came to mind|was an option|would (?:be|have been) (?:an option|possible)|is possible too)\b/i;

const sameBlock = (a: Line, b: Line): boolean => a.id === b.id && a.block === b.block;

function before(lines: Line[], at: number): Line | undefined {
  const [line, previous] = [lines[at], lines[at - 1]];
  return line && previous && sameBlock(line, previous) ? previous : undefined;
}

/** "Alpine would be smaller but cannot load geocore. Going with slim instead of alpine for that reason." */
function isOneThing(first: Decision, second: Decision): boolean {
  return BACK.test(second.text) || sharedWords(first.text, second.text) >= 2 || sharesRejected(first, second);
}

const BACK = /\b(?:for that reason|for this reason|that is why|therefore|hence)\b/i;

function sharesRejected(first: Decision, second: Decision): boolean {
  const rejected = second.rejected ?? first.rejected;
  const other = second.rejected ? first : second;
  return rejected !== null && sharedWords(rejected, other.text) >= 1;
}

function merged(first: Decision, second: Decision): Decision {
  const isSecondMain = second.rejected !== null && (first.rejected === null || BACK.test(second.text));
  const [main, other] = isSecondMain ? [second, first] : [first, second];
  const text = main.text.replace(/,? (?:for (?:that|this) reason|therefore)(?=[.,;]|$)/i, '');
  const why = BACK.test(main.text) ? other.text : (main.why ?? other.why ?? other.text);
  return { ...main, text, why: why.replace(/[.!]+$/, ''), rejected: main.rejected ?? other.rejected };
}

/** "I went with SQLite. It needs no server." The reason may be the next sentence. */
function reasonAfter(line: Line, next: Line | undefined): string | null {
  if (!next || next.id !== line.id || (next.block !== line.block && !/^(?:why|reason)\b/i.test(next.text))) return null;
  return /^(?:it|this|that|(?:the )?reason|why|because|since|they|otherwise|\w+ (?:is|was|has|needs|would))\b/i.test(
    next.text,
  )
    ? bareText(next.text)
        .replace(/^(?:why|reason)\s*[:—–-]\s*/i, '')
        .replace(/[.!]$/, '')
    : null;
}

function agentDraft({ line, text, why, rejected }: Decision, lines: Line[]): ObservationDraft {
  const around = lines.filter((other) => sameBlock(other, line));
  return makeDraft({
    type: 'decision',
    title: text,
    subtitle: why,
    narrative: proseOf(around) || null,
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

// The title of a piece of work: the commit's words, else the agent's, the user's, or what the change itself shows.
import type { Origin } from '../../core/observation.ts';
import { describeChanges } from './edits/describe.ts';
import type { Work } from './piece-of-work.ts';
import { bareText } from './text/plain.ts';
import { contentWords } from './text/tokens.ts';
import type { Turn } from './turn.ts';
import { describeRun } from './verification.ts';
import { causeText, isStrongCause } from './words/cause.ts';
import { readGain } from './words/figures.ts';
import { stripRequest, stripSpeaker } from './words/lead-in.ts';
import { readSubject, startsWithPastVerb, typeOfVerb } from './words/verbs.ts';

export function workTitle(turn: Turn, work: Work): { text: string; origin: Origin } {
  const spoken = work.type === 'bugfix' ? fixTitle(work) : named(commitTitle(work) ?? work.head?.text ?? null, work);
  if (spoken) return { text: spoken, origin: 'agent' };
  const plan = planTitle(turn);
  if (plan && work.changes.length > 2) return { text: `Implement ${plan}`, origin: 'agent' };
  const asked = askedTitle(turn);
  if (asked) return { text: asked, origin: 'user' };
  return shownTitle(work);
}

/** "11.2 s down to 2.1 s" needs to say of what; a commit about a gain may take its figures along. */
function named(text: string | null, work: Work): string | null {
  if (text === null) return null;
  const file = work.changes[0]?.file.split('/').at(-1);
  if (/^\d/.test(text) && file) return `${file}: ${text}`;
  const gain = work.lines.map((line) => readGain(line.text)).find((one) => one !== null);
  return gain && !/\d/.test(text) && text.length < 70 ? `${text} (${gain.from} → ${gain.to})` : text;
}

/** A fix is named by its commit when that says enough, else by the agent's "Fixed …", else by its cause. */
function fixTitle(work: Work): string | null {
  const committed = commitTitle(work);
  if (committed && (typeOfVerb(committed) === 'bugfix' || contentWords(committed).size >= 4)) return committed;
  const deed = work.head && !work.head.lead && !POINTS.test(work.head.text) ? work.head : null;
  if (deed && typeOfVerb(deed.text) === 'bugfix') return deed.text;
  if (committed) return committed;
  const isDeed = deed !== null && startsWithPastVerb(stripSpeaker(deed.line.text));
  if (work.cause && (isStrongCause(work.cause.text) || work.repairs.length > 0 || !isDeed))
    return `Fix: ${lowerFirst(bareText(causeText(work.cause.text)))}`;
  return work.head?.text ?? null;
}

/** "Stop it and …" does not say what. */
const POINTS = /^\w+ (?:it|them|that|this|both|with|by|via|from|through|here|too)\b/i;

function shownTitle(work: Work): { text: string; origin: Origin } {
  const shown = describeChanges(work.changes);
  const first = work.repairs[0];
  if (first && work.type === 'bugfix') {
    return {
      text: `Fix ${describeRun(first.failure)}${shown ? `: ${shown}` : remedyText(first.remedies[0])}`,
      origin: 'command',
    };
  }
  const last = work.group.steps.at(-1);
  return { text: shown ?? (last ? describeRun(last) : ''), origin: 'file' };
}

function lowerFirst(text: string): string {
  return /^(?:The|A|An|It|Its|This|That|These|When|If|Our|We|There|Every|Each|Two|Both|In|On)\s/.test(text)
    ? text.charAt(0).toLowerCase() + text.slice(1)
    : text;
}

function commitTitle(work: Work): string | null {
  const commit = work.group.commits.at(-1)?.commit;
  if (!commit) return null;
  const read = readSubject(commit.subject);
  // "CI: node 22" needs its prefix to tell what it is about.
  const text = contentWords(read.text).size >= 3 ? read.text : commit.subject;
  return contentWords(text).size >= 2 && !/^(?:wip|update|changes|misc|tmp|checkpoint|stuff)\b.{0,12}$/i.test(text)
    ? text
    : null;
}

/** "Add rate limiting to uploads" names the work; "it still fails" does not. */
function askedTitle(turn: Turn): string | null {
  for (const line of turn.prompts.flatMap((prompt) => prompt.statements)) {
    const text = stripRequest(line.text);
    const needed = /\d/.test(text) ? 2 : 3;
    if (typeOfVerb(text) && contentWords(text).size >= needed && text.length <= 200 && !text.endsWith('?')) return text;
  }
  return null;
}

export function planTitle(turn: Turn): string | null {
  const plan = turn.steps.findLast((step) => step.event.action.type === 'plan' && step.event.error === null)?.event
    .action;
  if (plan?.type !== 'plan') return null;
  const heading = /^#{1,3}\s+(.{4,120})$/m.exec((plan.text ?? '').slice(0, 4000))?.[1];
  return heading?.replace(/^(?:(?:implementation )?plan)\s*[:—–-]\s*/i, '').trim() ?? null;
}

function remedyText(remedy: Work['group']['steps'][number] | undefined): string {
  const change = remedy?.packages[0];
  if (change) return `: ${change.verb.toLowerCase()} ${change.names.join(', ')}`;
  return remedy?.operations[0] ? `: ${remedy.operations[0].what}` : '';
}

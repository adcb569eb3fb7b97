// The title of a piece of work: the commit's words, else the agent's, the user's, or what the change itself shows.
import type { Origin } from '../../core/observation.ts';
import { describeChanges } from './edits/describe.ts';
import { contentWords } from './text/tokens.ts';
import type { Turn } from './turn.ts';
import { describeRun } from './verification.ts';
import { stripRequest } from './words/lead-in.ts';
import { readSubject, typeOfVerb } from './words/verbs.ts';
import type { Work } from './work.ts';

export function workTitle(turn: Turn, work: Work): { text: string; origin: Origin } {
  const committed = commitTitle(work);
  if (committed) return { text: committed, origin: 'agent' };
  if (work.head) return { text: work.head.text, origin: 'agent' };
  const failure = work.repairs[0]?.failure;
  const remedy = work.repairs[0]?.remedies[0];
  const shown = describeChanges(work.changes);
  const plan = planTitle(turn);
  if (plan && work.changes.length > 2) return { text: `Implement ${plan}`, origin: 'agent' };
  const asked = askedTitle(turn);
  if (asked) return { text: asked, origin: 'user' };
  if (failure && work.type === 'bugfix')
    return { text: `Fix ${describeRun(failure)}${shown ? `: ${shown}` : remedyText(remedy)}`, origin: 'command' };
  return {
    text: shown ?? describeRun(work.group.steps.at(-1) ?? failure ?? (work.group.steps[0] as never)),
    origin: 'file',
  };
}

function commitTitle(work: Work): string | null {
  const commit = work.group.commits.at(-1)?.commit;
  if (!commit) return null;
  const { text } = readSubject(commit.subject);
  return contentWords(text).size >= 2 && !/^(?:wip|update|changes|misc|tmp|checkpoint|stuff)\b.{0,12}$/i.test(text)
    ? text
    : null;
}

/** "Add rate limiting to uploads" names the work; "it still fails" does not. */
function askedTitle(turn: Turn): string | null {
  for (const line of turn.prompts.flatMap((prompt) => prompt.statements)) {
    const text = stripRequest(line.text);
    if (typeOfVerb(text) && contentWords(text).size >= 3 && text.length <= 200 && !text.endsWith('?')) return text;
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

// What a session is called: what it is about, and what came of it so far.
import type { Batch } from '../../core/batch.ts';
import type { ObservationDraft } from '../../core/observation.ts';
import { cleanPrompt } from './text/clean-prompt.ts';
import { titleOf } from './text/clip.ts';
import { readStatements } from './text/markdown.ts';
import { bareText } from './text/plain.ts';
import { contentWords } from './text/tokens.ts';
import { commitsOf, newSteps, type Turn } from './turn.ts';
import { doneLines } from './words/done.ts';
import { headline, stripRequest } from './words/lead-in.ts';
import { readSubject } from './words/verbs.ts';

/** Once named, a session keeps its title: people find it again by it. */
export function sessionTitle(batch: Batch, observations: ObservationDraft[]): string | null {
  if (batch.session.title) return batch.session.title;
  const first = batch.session.firstPrompt ?? batch.events.find((event) => event.kind === 'prompt')?.text ?? '';
  const goal = goalOf(cleanPrompt(typeof first === 'string' ? first : ''));
  const made = main(observations)?.title ?? null;
  return goal === null || (made !== null && SAYS_LITTLE.test(goal)) ? (made ?? goal) : goal;
}

/** "/publish-session", "are you able to test it": what came of it names it better. */
const SAYS_LITTLE = /^\/\S+$|^(?:are|is|do|does|did|can|could) (?:you|it|we|that|this)\b.{0,30}$/i;

export function sessionSubtitle(turn: Turn, observations: ObservationDraft[]): string | null {
  const commit = commitsOf(newSteps(turn)).at(-1)?.commit;
  if (commit) return titleOf(readSubject(commit.subject).text, 140);
  const done = doneLines(turn.closing?.statements ?? [])[0];
  const text = main(observations)?.title ?? (done ? headline(done.text) : null);
  return text ? titleOf(bareText(text), 140) : null;
}

/** The sentence of the prompt that names the work, not the one that says what to read first. */
function goalOf(prompt: string): string | null {
  const sentences = readStatements(prompt)
    .map((line) => stripRequest(line.text))
    .filter((text) => contentWords(text).size >= 2);
  const goal =
    sentences.find(
      (text) => !/^(?:not |read|look at|see|check out|open|here(?:['’]s| is)|I (?:have|am|was))\b/i.test(text),
    ) ?? sentences[0];
  return goal ? titleOf(goal, 90) : null;
}

function main(observations: ObservationDraft[]): ObservationDraft | undefined {
  return (
    observations.find((one) => one.filesModified.length > 0) ??
    observations.find((one) => one.type !== 'decision') ??
    observations[0]
  );
}

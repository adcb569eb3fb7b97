// For whom nothing is remembered yet: three steps that tick themselves as the first session goes on.
import { useEffect, useState } from 'preact/hooks';
import { type Come, useFirstSteps } from './first-steps.ts';
import '../../styles/welcome.css';

const STEPS: { of: keyof Come; waiting: string; done: string; about: string }[] = [
  {
    of: 'isEvent',
    waiting: 'Waiting for a session',
    done: 'A session has begun',
    about: 'Start Claude Code in any project.',
  },
  {
    of: 'isPrompt',
    waiting: 'Then your first prompt',
    done: 'Your first prompt is kept',
    about: 'Ask for something. It is kept as you said it, without secrets and private text.',
  },
  {
    of: 'isObservation',
    waiting: 'Then the first memory',
    done: 'The first memory is made',
    about: 'It comes when the agent has answered: what was found, decided or changed.',
  },
];

/** Hints come when a person has waited long enough to wonder. */
const WONDER_MS = 20_000;

export function FirstRun() {
  const { come, isKnown } = useFirstSteps();
  const next = STEPS.findIndex(({ of }) => !come[of]);
  return (
    <section class="first-run stack" aria-label="First steps">
      <div role="status" aria-atomic="false">
        <ol class="steps">
          {STEPS.map(({ of, waiting, done, about }, at) => (
            <li key={of} data-state={come[of] ? 'done' : at === next && isKnown ? 'next' : 'later'}>
              <span class="step-mark" aria-hidden="true">
                {come[of] ? '✓' : at + 1}
              </span>
              <span>
                <strong>{come[of] ? done : waiting}</strong>
                {!come[of] && <span class="small faint">{about}</span>}
              </span>
            </li>
          ))}
        </ol>
      </div>
      {isKnown && next !== -1 && <IfNothingComes key={next} />}
      {next === -1 && (
        <p>
          That is all there is to do. <a href="/">See what is remembered</a>
        </p>
      )}
    </section>
  );
}

function IfNothingComes() {
  const [isLate, setIsLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setIsLate(true), WONDER_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <details class="small" open={isLate}>
      <summary>Nothing arrives?</summary>
      <ul class="hints">
        <li>
          <code>claude-mem install</code> has Claude Code load the hooks. Sessions that were open before do not have them: start a new one.
        </li>
        <li>
          <code>claude-mem status</code> says whether the worker gets on, and what is paused or off.
        </li>
        <li>
          An observation comes at the end of a turn, not before. <a href="/view/dashboard">What waits</a>
        </li>
      </ul>
    </details>
  );
}

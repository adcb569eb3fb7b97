// The switch that silences everything, for a while or until somebody ends it; and the other silences that hold.
import { useState } from 'preact/hooks';
import type { SilenceAnswer } from '../../../../src/core/silence.ts';
import { ApiError, ask } from '../../api.ts';
import { say } from '../../parts/toasts.tsx';
import { useAnswer } from '../../use-answer.ts';
import { useWhileVisible } from '../../while-visible.ts';
import { saySilence } from '../dashboard/say-silence.ts';

const ENDS = [
  { words: '15 minutes', minutes: 15 },
  { words: '1 hour', minutes: 60 },
  { words: 'Until I resume', minutes: null },
];

const EVERY_MS = 10_000;

export function Pause() {
  const silence = useAnswer<SilenceAnswer>('/api/silence');
  useWhileVisible(silence.again, EVERY_MS);
  const [isBusy, setIsBusy] = useState(false);
  const silences = silence.data?.silences ?? [];
  const paused = silences.find(({ kind, scope }) => kind === 'paused' && scope === 'everything');
  const others = silences.filter((one) => one !== paused);
  const run = async (work: Promise<unknown>) => {
    setIsBusy(true);
    await work.catch((error) => say(error instanceof ApiError ? error.message : String(error), { isBad: true }));
    setIsBusy(false);
    silence.again();
  };
  const pause = (minutes: number | null) =>
    run(ask('/api/silence', { method: 'POST', body: minutes ? { minutes } : {} }));
  const resume = (query: Record<string, string>) => run(ask('/api/silence', { method: 'DELETE', query }));
  return (
    <section class="pause stack" aria-labelledby="pause-title">
      <div class="row spread">
        <div>
          <h2 id="pause-title">Pause</h2>
          <p class="small faint">
            {paused
              ? `${saySilence(paused)} Nothing is kept and nothing told.`
              : 'While it is paused, nothing is kept and nothing told.'}
          </p>
        </div>
        {paused ? (
          <button type="button" class="primary" disabled={isBusy} onClick={() => resume({})}>
            Resume
          </button>
        ) : (
          <div class="row">
            {ENDS.map(({ words, minutes }) => (
              <button key={words} type="button" disabled={isBusy || !silence.data} onClick={() => pause(minutes)}>
                {words}
              </button>
            ))}
          </div>
        )}
      </div>
      {others.length > 0 && (
        <ul class="plain small">
          {others.map((one) => (
            <li key={`${one.kind} ${one.scope} ${one.name}`} class="row spread">
              {saySilence(one)}
              {one.kind === 'paused' && (
                <button type="button" class="quiet" disabled={isBusy} onClick={() => resume({ [one.scope]: one.name })}>
                  Resume
                </button>
              )}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

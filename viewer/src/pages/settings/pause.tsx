// The switch that silences everything, for a while or until somebody ends it; and the other silences that hold.
import { useState } from 'preact/hooks';
import { sayProblem } from '../../correct.ts';
import { saySilence } from '../../say-silence.ts';
import { pause, resume, silences } from '../../silences.ts';

const ENDS = [
  { words: '15 minutes', whose: { minutes: 15 } },
  { words: '1 hour', whose: { minutes: 60 } },
  { words: 'Until I resume', whose: {} },
];

export function Pause() {
  const [isBusy, setIsBusy] = useState(false);
  const paused = silences.value.find(({ kind, scope }) => kind === 'paused' && scope === 'everything');
  const others = silences.value.filter((one) => one !== paused);
  const run = async (work: Promise<void>) => {
    setIsBusy(true);
    await work.catch(sayProblem);
    setIsBusy(false);
  };
  return (
    <section class="pause stack" aria-labelledby="pause-title">
      <div class="row spread">
        <div>
          <h2 id="pause-title">Pause</h2>
          <p class="small faint">
            {paused
              ? `${saySilence(paused)} Nothing is kept or added to a context.`
              : 'While paused, nothing is kept or added to a context.'}
          </p>
        </div>
        {paused ? (
          <button type="button" class="primary" disabled={isBusy} onClick={() => run(resume(paused))}>
            Resume
          </button>
        ) : (
          <div class="row">
            {ENDS.map(({ words, whose }) => (
              <button key={words} type="button" disabled={isBusy} onClick={() => run(pause(whose))}>
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
                <button type="button" class="quiet" disabled={isBusy} onClick={() => run(resume(one))}>
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

// Said above every page while nothing is kept or added to a context, and of whom; with the way back.
import { useState } from 'preact/hooks';
import type { Silence } from '../../../src/core/shapes/silence.ts';
import { sayProblem } from '../correct.ts';
import { formatDay, formatTime, startOfDay } from '../format.ts';
import { findWholeSilence, resume, silences } from '../silences.ts';
import { connection } from '../stream.ts';
import { withCode } from './with-code.tsx';

/** What a setting turns off in a project is meant to last, and is no news on every page. */
export function Silenced() {
  const whole = findWholeSilence();
  const shown = whole ? [whole] : silences.value.filter(({ kind }) => kind === 'paused');
  // Whether it still holds is not known while the worker is away.
  if (shown.length === 0 || connection.value.kind === 'away') return null;
  return (
    <div class="page away">
      <div class="note warn silenced" role="status">
        {shown.map((silence) => (
          <Line key={`${silence.kind} ${silence.scope} ${silence.name}`} silence={silence} />
        ))}
      </div>
    </div>
  );
}

function Line({ silence }: { silence: Silence }) {
  const [isBusy, setBusy] = useState(false);
  const end = async () => {
    setBusy(true);
    await resume(silence).catch(sayProblem);
    setBusy(false);
  };
  return (
    <p class="row spread">
      <span>{withCode(sayWhat(silence))}</span>
      {silence.kind === 'paused' && (
        <button type="button" disabled={isBusy} onClick={end}>
          Resume
        </button>
      )}
    </p>
  );
}

function sayWhat({ kind, scope, name, until, reason }: Silence): string {
  if (reason) return `Memory is off: ${reason}. Until then nothing is kept or added to a context.`;
  if (kind === 'off') return 'Memory is turned off: nothing is kept or added to a context. `claude-mem config unset off` turns it on.';
  const whose = { everything: 'Paused', project: `Project ${name} is paused`, session: `Session ${name} is paused` };
  const what = scope === 'everything' ? 'nothing is kept or added to a context' : 'nothing of it is kept or added to its context';
  return `${whose[scope]}${sayUntil(until)}: ${what}.`;
}

function sayUntil(until: number | null): string {
  if (until === null) return '';
  const isToday = startOfDay(until) === startOfDay(Date.now());
  return ` until ${isToday ? '' : `${formatDay(until)}, `}${formatTime(until)}`;
}

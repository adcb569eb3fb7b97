// How it is, in one line; then, where it is asked for, what is wrong and what is paused.
import type { Processing } from '../../../../src/core/shapes/stream.ts';
import type { Status } from '../../../../src/core/shapes/worker.ts';
import { formatAgo, formatCount, formatDateTime } from '../../format.ts';
import { saySilence } from '../../say-silence.ts';
import { connection } from '../../stream.ts';
import { readDue } from './due.ts';
import { formatDuration } from './durations.ts';

export type HealthLineProps = {
  status: Status;
  processing: Processing | null;
  /** With the details behind it. */
  isWhole?: boolean;
};

/** Nothing while claude-mem does not run: how it was is not how it is. */
export function HealthLine({ status, processing, isWhole = false }: HealthLineProps) {
  if (connection.value.kind === 'away') return null;
  const problems = [...status.problems, ...(status.index.problem ? [`Search: ${status.index.problem}`] : [])];
  const state = stateOf(status);
  return (
    <section class="health-part" aria-label="Health">
      <p class="health-line" data-state={state}>
        <span class="dot" data-state={state} />
        <span>
          {sayHealth(status, processing)} {status.lastSuccessAt && <LastSuccess at={status.lastSuccessAt} />}
        </span>
        {!isWhole && (
          <a class="small" href="/view/health">
            Details
          </a>
        )}
      </p>
      {isWhole && !status.isHealthy && (
        <p class="note warn">
          A turn that ended is not processed yet. Nothing is lost: <a href="/view/logs?level=warn">the log</a> says why, and{' '}
          <code>claude-mem restart</code> often helps.
        </p>
      )}
      {isWhole && problems.length > 0 && (
        <ul class="note warn plain">
          {problems.map((problem) => (
            <li key={problem}>{problem}</li>
          ))}
        </ul>
      )}
      {isWhole && status.silences.length > 0 && (
        <ul class="plain small">
          {status.silences.map((silence) => (
            <li key={`${silence.scope} ${silence.name}`}>{saySilence(silence)}</li>
          ))}
          <li>
            <a href="/view/settings">Pause or resume</a>
          </li>
        </ul>
      )}
    </section>
  );
}

const isPaused = ({ silences }: Status) => silences.some(({ scope }) => scope === 'everything');

function stateOf(status: Status): 'live' | 'away' | 'still' {
  if (!status.isHealthy || status.problems.length > 0) return 'away';
  return isPaused(status) ? 'still' : 'live';
}

function sayHealth(status: Status, processing: Processing | null): string {
  const { depth, oldestMs, open } = readDue(status, processing);
  if (status.health === 'damaged') return 'The memory is damaged.';
  const wait = `${formatCount(depth, 'event')} ${depth === 1 ? 'waits' : 'wait'}`;
  if (!status.isHealthy) return `${wait} too long${oldestMs === null ? '' : `, the oldest ${formatDuration(oldestMs)}`}.`;
  if (status.problems.length > 0) return `${formatCount(status.problems.length, 'problem')}: ${status.problems[0]}`;
  if (isPaused(status)) return 'Paused: nothing is kept or added to a context.';
  if (depth > 0) return `All is well. ${wait} to be processed.`;
  if (open > 0) return 'All is well. A session is at work.';
  return status.lastSuccessAt ? 'All is well, everything is processed.' : 'All is well, and nothing has happened yet.';
}

function LastSuccess({ at }: { at: string }) {
  const moment = Date.parse(at);
  return (
    <span class="faint" title={formatDateTime(moment)}>
      Last turn {formatAgo(moment).replace(/^now$/, 'just now')}.
    </span>
  );
}

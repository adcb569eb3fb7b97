// How it is, in one sentence; then what is wrong and what is silent.
import { formatAgo, formatCount, formatDateTime } from '../../format.ts';
import type { Status } from './answers.ts';
import type { DueQueue } from './due.ts';
import { formatDuration } from './durations.ts';
import { saySilence } from './say-silence.ts';

export function Health({ status, queue }: { status: Status; queue: DueQueue }) {
  const problems = [...status.problems, ...(status.index.problem ? [`Search: ${status.index.problem}`] : [])];
  return (
    <section class="health stack" aria-label="Health">
      <p class="health-line" data-state={stateOf(status)}>
        <span class="dot" data-state={stateOf(status)} />
        <span>
          {sayHealth(status, queue)}{' '}
          {status.lastSuccessAt ? <LastSuccess at={status.lastSuccessAt} /> : <a href="/view/welcome">How it works</a>}
        </span>
      </p>
      {!status.isHealthy && (
        <p class="note warn">
          A turn that ended is not distilled yet. Nothing is lost: <a href="/view/logs?level=warn">the log</a> says why, and{' '}
          <code>claude-mem restart</code> often helps.
        </p>
      )}
      {problems.length > 0 && (
        <ul class="note warn plain">
          {problems.map((problem) => (
            <li key={problem}>{problem}</li>
          ))}
        </ul>
      )}
      {status.silences.length > 0 && (
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

type State = 'live' | 'away' | 'still';

const isSilent = ({ silences }: Status) => silences.some(({ scope }) => scope === 'everything');

function stateOf(status: Status): State {
  if (!status.isHealthy || status.problems.length > 0) return 'away';
  return isSilent(status) ? 'still' : 'live';
}

function sayHealth(status: Status, { depth, oldestMs, open }: DueQueue): string {
  if (status.health === 'damaged') return 'The memory is damaged.';
  const wait = `${formatCount(depth, 'event')} ${depth === 1 ? 'waits' : 'wait'}`;
  if (!status.isHealthy) return `${wait} too long${oldestMs === null ? '' : `, the oldest ${formatDuration(oldestMs)}`}.`;
  if (status.problems.length > 0) return 'Something is wrong.';
  if (isSilent(status)) return 'Nothing is kept or told just now.';
  if (depth > 0) return `All is well. ${wait} to be distilled.`;
  if (open > 0) return `All is well. ${formatCount(open, 'event')} of a turn that goes on.`;
  return status.lastSuccessAt ? 'Everything is observed.' : 'All is well, and nothing has happened yet.';
}

function LastSuccess({ at }: { at: string }) {
  const moment = Date.parse(at);
  return (
    <span class="faint" title={formatDateTime(moment)}>
      Last success: {sayAgo(moment)}.
    </span>
  );
}

const sayAgo = (at: number) => formatAgo(at).replace(/^now$/, 'just now');

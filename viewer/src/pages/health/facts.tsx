// The model and why it is that one, what was counted, what is kept, and the worker itself: a list of words and figures.
import type { ComponentChildren } from 'preact';
import type { Status } from '../../../../src/core/shapes/worker.ts';
import { formatCount, formatDateTime, formatNumber, formatSize, formatTime } from '../../format.ts';
import { withCode } from '../../parts/with-code.tsx';
import { sayCounters } from './counted.ts';
import { formatDuration } from './durations.ts';

export function Facts({ status }: { status: Status }) {
  const counted = sayCounters(status.counters);
  return (
    <section class="figure">
      <h2>Worker</h2>
      <dl class="facts small">
        <Fact name="Extraction">
          <Model model={status.model} />
        </Fact>
        <Fact name="Kept">{sayKept(status)}</Fact>
        <Fact name="Search">{saySearch(status)}</Fact>
        {status.sync.state !== 'off' && <Fact name="Sync">{saySync(status.sync)}</Fact>}
        <Fact name="Kept out">
          {counted.length === 0 ? (
            'Nothing so far.'
          ) : (
            <ul class="plain">
              {counted.map(({ words, count }) => (
                <li key={words}>
                  <span class="number">{formatNumber(count)}</span> {words}
                </li>
              ))}
            </ul>
          )}
        </Fact>
        <Fact name="Process">
          Version {status.version}, pid <code>{status.pid}</code>, up {formatDuration(status.uptimeMs)}, {formatSize(status.rss)} of memory
        </Fact>
      </dl>
    </section>
  );
}

function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Model({ model }: { model: Status['model'] }) {
  const { provider, waiting, quarantined, pause } = model;
  return (
    <>
      {provider ? `${provider}, ${model.model}` : 'By rules, without a model'}. <span class="faint">{withCode(model.why)}</span>
      {provider && waiting > 0 && ` ${formatCount(waiting, 'turn')} ${waiting === 1 ? 'waits' : 'wait'} for it.`}
      {quarantined > 0 && ` ${formatCount(quarantined, 'turn')} ${quarantined === 1 ? 'was' : 'were'} refused by it.`}
      {pause && (
        <span title={formatDateTime(pause.until)}>
          {' '}
          Not asked until {formatTime(pause.until)}: {pause.message}
        </span>
      )}
    </>
  );
}

function sayKept({ observations, summaries, sessions }: Status): string {
  const all = Object.values(sessions).reduce((sum, count) => sum + count, 0);
  const active = sessions.active ?? 0;
  const summed = `${formatNumber(summaries)} ${summaries === 1 ? 'summary' : 'summaries'}`;
  const ofThem = active > 0 ? `, ${formatNumber(active)} active` : '';
  return `${formatCount(observations, 'observation')}, ${summed}, ${formatCount(all, 'session')}${ofThem}`;
}

function saySync({ state, hub, pending, lagMs, error }: Status['sync']): string {
  const waiting = pending > 0 ? `; ${formatCount(pending, 'change')} waiting for ${formatDuration(lagMs)}` : '';
  return `${state}, ${hub}${waiting}${error ? `: ${error}` : ''}`;
}

function saySearch({ index: { documents, models } }: Status): string {
  const waiting = Math.max(0, ...models.map((model) => model.waiting));
  if (documents === 0) return 'Nothing to find yet';
  if (waiting === 0) return `All ${formatNumber(documents)} memories are found by words and by meaning`;
  return `${formatNumber(waiting)} of ${formatNumber(documents)} wait for their embeddings; found by words until then`;
}

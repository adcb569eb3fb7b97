// What waits to be distilled, live, and how long the oldest has waited.
import { formatCount, formatNumber } from '../../format.ts';
import { Figure } from '../../parts/figure.tsx';
import type { DueQueue } from './due.ts';
import { formatDuration } from './durations.ts';
import { type QueueSample, readSteps, SPAN_MS, samples } from './queue-samples.ts';

export function QueueFigures({ queue }: { queue: DueQueue }) {
  const now = Date.now();
  return (
    <>
      <LiveFigure
        title="Waiting"
        name="events"
        sentence={sayDepth(queue)}
        read={({ depth }) => depth}
        now={now}
        sayY={formatNumber}
        smallestY={1}
      />
      <LiveFigure
        title="Lag"
        name="oldest event"
        sentence={queue.oldestMs === null ? 'Nothing waits.' : `The oldest has waited ${formatDuration(queue.oldestMs)}.`}
        read={({ oldestMs }) => Math.round((oldestMs ?? 0) / 1000)}
        now={now}
        sayY={(seconds) => (seconds === 0 ? '0 s' : formatDuration(seconds * 1000))}
        smallestY={5}
      />
    </>
  );
}

type LiveProps = {
  title: string;
  name: string;
  sentence: string;
  read: (sample: QueueSample) => number;
  now: number;
  sayY: (value: number) => string;
  smallestY: number;
};

function LiveFigure({ title, name, sentence, read, now, sayY, smallestY }: LiveProps) {
  const { xs, values } = readSteps(samples.value, read, now);
  const color = '--accent';
  return (
    <Figure
      title={title}
      sentence={sentence}
      steps="Moment"
      whole="Now"
      height={8}
      sayAt={(at) => sayMoment(xs[at] ?? 0)}
      sayValue={(all, at) => sayY(all[at ?? all.length - 1] ?? 0)}
      shape={{
        kind: 'steps',
        xs,
        series: [{ name, values, color }],
        firstX: firstMoment(xs),
        xSteps: [15, 30, 60, 120, 300],
        sayX: sayMoment,
        sayY,
        smallestY,
      }}
    />
  );
}

/** It grows with what was seen, from a minute to the whole span. */
const firstMoment = (xs: number[]) => Math.max(-SPAN_MS / 1000, Math.min(-60, xs[0] ?? 0));

function sayMoment(seconds: number): string {
  if (seconds > -3) return 'now';
  return seconds > -60 ? `${-seconds} s ago` : `${Math.round(-seconds / 60)} min ago`;
}

function sayDepth({ depth, spooled, quarantined, open }: DueQueue): string {
  const more = [
    open > 0 ? `${formatCount(open, 'event')} of a turn that goes on` : '',
    spooled > 0 ? `${formatCount(spooled, 'envelope')} in the spool` : '',
    quarantined > 0 ? `${formatCount(quarantined, 'event')} set aside` : '',
  ].filter(Boolean);
  const first = depth === 0 ? 'No event waits.' : `${formatCount(depth, 'event')} ${depth === 1 ? 'waits' : 'wait'}.`;
  return more.length === 0 ? first : `${first} Also: ${more.join(', ')}.`;
}

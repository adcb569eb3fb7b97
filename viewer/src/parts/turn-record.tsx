// What was said and done in a turn: read when its prompt is opened, in short or all of it.
import { useEffect, useState } from 'preact/hooks';
import type { BatchAnswer } from '../../../src/core/shapes/memory.ts';
import { ask } from '../api.ts';
import { sayProblem } from '../correct.ts';
import { formatNumber } from '../format.ts';
import { RichText } from './rich-text.tsx';

export type TurnRecordProps = { id: string; highlight?: readonly string[] | undefined };

type Told = { text: string; left: number };

export function TurnRecord({ id, highlight }: TurnRecordProps) {
  const [told, setTold] = useState<Told | null>(null);
  const [isFull, setFull] = useState(false);
  useEffect(() => {
    const stop = new AbortController();
    readRecord(id, isFull, stop.signal).then(
      (read) => setTold(read),
      (error) => {
        if (!stop.signal.aborted) sayProblem(error);
      },
    );
    return () => stop.abort();
  }, [id, isFull]);
  if (!told) return null;
  return (
    <section class="card-record" aria-label="Said and done">
      <h4>Said and done</h4>
      <div class="card-record-text" dir="auto">
        <RichText text={told.text} words={highlight} />
      </div>
      {told.left > 0 && (
        <button type="button" class="more" onClick={() => setFull(true)}>
          Show all, {formatNumber(told.left)} characters more
        </button>
      )}
    </section>
  );
}

async function readRecord(id: string, full: boolean, signal: AbortSignal): Promise<Told | null> {
  const body = { ids: [id], full };
  const { memories } = await ask<BatchAnswer>('/api/observations/batch', { method: 'POST', body, signal });
  const [memory] = memories;
  return memory?.record ? { text: memory.record, left: memory.recordLeft ?? 0 } : null;
}

// What is being processed just now, or heard of a turn that goes on, in a line; nothing when nothing is.
import { useEffect, useState } from 'preact/hooks';
import type { Processing, StreamedEvent } from '../../../../src/core/shapes/stream.ts';
import { ask } from '../../api.ts';
import { formatCount } from '../../format.ts';
import { connection, listen } from '../../stream.ts';
import { useWhenLive } from '../../when-live.ts';

const IDLE: Processing = { isProcessing: false, queueDepth: 0, openTurns: 0, sessions: [] };

export function ProcessingLine() {
  const [processing, setProcessing] = useState(IDLE);
  const [last, setLast] = useState<StreamedEvent | null>(null);
  const isLive = connection.value.kind === 'live';
  // What was so before it went away may not be so any more.
  useWhenLive(() => {
    ask<Processing>('/api/processing-status').then(setProcessing, () => setProcessing(IDLE));
  });
  useEffect(() => {
    const stops = [listen('processing', setProcessing), listen('event', setLast)];
    return () => {
      for (const stop of stops) stop();
    };
  }, []);
  const { isProcessing, queueDepth, openTurns, sessions } = processing;
  const isAbout = last !== null && (sessions.length === 0 || sessions.includes(last.session));
  if (!isLive || !(isProcessing || queueDepth > 0)) return null;
  const where = isAbout ? ` in ${last.project}` : '';
  return (
    <p class="feed-now" role="status">
      <span class="dot" data-state="live" />
      <span>{isProcessing ? `Processing a turn${where}` : `A session is at work${where}: ${formatCount(openTurns, 'step')} so far`}</span>
      {isAbout && <span class="feed-last mono">{wordsOf(last)}</span>}
    </p>
  );
}

const wordsOf = ({ kind, tool, subject }: StreamedEvent) => [tool ?? kind, subject].filter(Boolean).join(' ');

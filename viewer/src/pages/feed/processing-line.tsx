// What is being distilled just now, in a line; nothing when nothing is.
import { useEffect, useState } from 'preact/hooks';
import type { Processing, StreamedEvent } from '../../../../src/core/stream.ts';
import { ask } from '../../api.ts';
import { formatCount } from '../../format.ts';
import { listen } from '../../stream.ts';

const IDLE: Processing = { isProcessing: false, queueDepth: 0, sessions: [] };

export function ProcessingLine() {
  const [{ isProcessing, queueDepth, sessions }, setProcessing] = useState(IDLE);
  const [last, setLast] = useState<StreamedEvent | null>(null);
  useEffect(() => {
    ask<Processing>('/api/processing-status').then(setProcessing, () => setProcessing(IDLE));
    const stops = [listen('processing', setProcessing), listen('event', setLast)];
    return () => {
      for (const stop of stops) stop();
    };
  }, []);
  const isBusy = isProcessing || queueDepth > 0;
  const isAbout = last !== null && (sessions.length === 0 || sessions.includes(last.session));
  return (
    <p class="feed-now">
      {isBusy && (
        <>
          <span class="dot" data-state="live" />
          <span>
            {isProcessing ? 'Distilling' : 'Listening'}
            {isAbout && ` ${last.project}`}
            {queueDepth > 0 && `: ${formatCount(queueDepth, 'event')} waiting`}
          </span>
          {isAbout && <span class="feed-last mono">{wordsOf(last)}</span>}
        </>
      )}
    </p>
  );
}

const wordsOf = ({ kind, tool, subject }: StreamedEvent) => [tool ?? kind, subject].filter(Boolean).join(' ');

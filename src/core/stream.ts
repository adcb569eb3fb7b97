// What `GET /stream` tells, as it happens: the contract of the viewer and of other programs that watch.
import type { Memory } from './memory.ts';
import type { SilenceAnswer } from './silence.ts';
import type { Spent } from './usage.ts';

export type StreamMessage =
  /** A prompt was kept. */
  | { type: 'prompt'; data: Memory }
  /** Something happened in a session and waits to be distilled, or is kept for the record. */
  | { type: 'event'; data: StreamedEvent }
  | { type: 'observation'; data: Memory }
  | { type: 'summary'; data: Memory }
  /** A memory was corrected, pinned, replaced or shown again. */
  | { type: 'changed'; data: Memory }
  /** Memories that are not to be shown any more: forgotten, hidden, or replaced by a model's. */
  | { type: 'removed'; data: { ids: string[] } }
  | { type: 'session'; data: StreamedSession }
  | { type: 'processing'; data: Processing }
  | { type: 'spend'; data: { spentToday: Spent; exhausted: string | null } }
  /** A pause began or ended, or a setting turned something off or on: all that is paused or off now. */
  | { type: 'silences'; data: SilenceAnswer }
  /** More has changed than is told one by one, or what came in between is not known any more: ask anew. */
  | { type: 'reset'; data: { reason: string } };

export type StreamType = StreamMessage['type'];

export type StreamedEvent = {
  id: string;
  session: string;
  project: string;
  kind: string;
  /** The name of a tool. */
  tool: string | null;
  /** What it was about, in a line: a file, a command. */
  subject: string | null;
  isWaiting: boolean;
  at: number;
};

export type StreamedSession = {
  session: string;
  project: string;
  status: string;
  title: string | null;
  at: number;
};

/** `GET /api/processing-status`: whether a spinner should turn. */
export type Processing = {
  /** A turn that has ended is worked on or waits for it, or a host says that it works. */
  isProcessing: boolean;
  /** Events that wait to be distilled and turns that wait for a model. */
  queueDepth: number;
  /** Those of the events whose turn goes on: they wait for its end, and nobody works on them. */
  openTurns: number;
  /** The sessions of which something waits or that say that they work, by the host's id. */
  sessions: string[];
};

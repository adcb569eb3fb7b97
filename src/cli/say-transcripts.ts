// How many transcripts were found, of which agents, in one sentence without its end.
import { formatSize } from '../core/format-size.ts';

export type PastFound = {
  /** By agent. */
  sessions: Record<string, number>;
  bytes: number;
};

export function sayTranscripts({ sessions, bytes }: PastFound): string {
  const counts = Object.entries(sessions).map(([name, count]) => `${count.toLocaleString('en')} of ${name}`);
  return `Found transcripts: ${counts.join(', ')} (${formatSize(bytes)})`;
}

// The first thing that a transcript tells, without reading all of it.
import type { TranscriptRecord } from '../../hosts/transcript.ts';
import { readSession } from '../../importer/session-records.ts';
import type { FoundSession } from '../../importer/transcript-files.ts';

/** A transcript that tells nothing for so long is none. */
const FAR = 8 * 1024 * 1024;

/** Null when it tells nothing, or cannot be read. */
export function readFirstRecord({ host, files }: FoundSession): TranscriptRecord | null {
  const [own] = files;
  if (!own) return null;
  try {
    let bytes = 0;
    for (const step of readSession(host, [{ ...own, from: 0, isOver: true }]).steps) {
      if (step.record) return step.record;
      bytes += step.bytes;
      if (bytes > FAR) return null;
    }
    return null;
  } catch {
    // It is gone, or not ours to read: an import that takes it says so.
    return null;
  }
}

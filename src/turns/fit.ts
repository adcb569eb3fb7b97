// A record within its size: of the longest texts the middle goes, with a mark.
import { mapTexts, type TurnRecord, textsOf, writeRecord } from './record.ts';

const MOST_BYTES = 64 * 1024;
/** What is shorter is never cut. */
const SHORTEST = 400;
/** Room for what says that something was left out. */
const MARK_BYTES = 60;

export function fitRecord(record: TurnRecord): TurnRecord {
  let fitted = record;
  let limit = Math.max(record.closing.length, ...record.steps.flatMap(textsOf).map(({ length }) => length));
  while (!fits(fitted) && limit > SHORTEST) {
    limit = Math.max(SHORTEST, Math.floor(limit * 0.9));
    const cut = (text: string) => cutMiddle(text, limit);
    fitted = { ...record, steps: record.steps.map((step) => mapTexts(step, cut)), closing: cut(record.closing) };
  }
  return fits(fitted) ? fitted : dropMiddle(fitted);
}

const fits = (record: TurnRecord, most = MOST_BYTES) => Buffer.byteLength(writeRecord(record)) <= most;

function cutMiddle(text: string, most: number): string {
  if (text.length <= most) return text;
  const half = Math.floor(most / 2);
  const left = text.length - 2 * half;
  return `${text.slice(0, half)}\n[… ${left} characters left out …]\n${text.slice(-half)}`.toWellFormed();
}

/** Thousands of short steps: the first and the last of them stay. */
function dropMiddle(record: TurnRecord): TurnRecord {
  const { steps } = record;
  let kept = steps;
  while (kept.length > 0 && !fits({ ...record, steps: kept }, MOST_BYTES - MARK_BYTES)) {
    const end = Math.floor(kept.length * 0.45);
    kept = [...kept.slice(0, end), ...kept.slice(kept.length - end)];
  }
  return withGap({ ...record, steps: kept }, steps.length - kept.length);
}

/** Says in the middle, where they stood, how many steps are not there. */
export function withGap(record: TurnRecord, left: number): TurnRecord {
  if (left === 0) return record;
  const { steps } = record;
  return { ...record, steps: steps.toSpliced(Math.floor(steps.length / 2), 0, { kind: 'said', text: `[… ${left} steps left out …]` }) };
}

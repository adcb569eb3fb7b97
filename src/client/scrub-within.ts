// The secrets of a payload taken out piece by piece, with a look at the clock before each: what there is no time for is left out.
import { lateNotice } from '../core/cut.ts';
import { scrubValue } from '../secrets/scrub.ts';

/** A piece that is scrubbed in a few milliseconds. */
const PIECE = 64 * 1024;
/** Names, ids and paths: what says which event it is. They come first and are always scrubbed. */
const SMALL = 1024;

export function scrubWithin(value: unknown, isOver: () => boolean): { value: unknown; isIncomplete: boolean } {
  let isIncomplete = false;
  /** The small ones together: a name tells what a value beside it is. Of a large one its key tells. */
  const scrubFields = (fields: Record<string, unknown>, isOwed: (field: unknown) => boolean) => {
    const entries = Object.entries(fields).map(([key, field]) => ({ key, field, size: sizeOf(field) }));
    const small = entries.filter(({ size }) => size <= SMALL);
    const kept = Object.entries(scrubValue(Object.fromEntries(small.map(({ key, field }) => [key, field]))).value);
    for (const { key, field, size } of entries.filter((entry) => entry.size > SMALL)) {
      const isLate = !isOwed(field) && isOver();
      isIncomplete ||= isLate;
      if (!isLate && isObject(field) && size > PIECE) kept.push([key, scrubFields(field, () => false)]);
      else kept.push(...Object.entries(scrubValue({ [key]: isLate ? lateNotice(size) : field }).value));
    }
    return Object.fromEntries(kept);
  };
  // What a person or an agent said stands at the top, and has no second copy under the same id.
  const scrubbed = isObject(value) ? scrubFields(value, isText) : scrubValue(value).value;
  return { value: scrubbed, isIncomplete };
}

const isText = (value: unknown) => typeof value === 'string';

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const sizeOf = (value: unknown) => (typeof value === 'string' ? value.length : (JSON.stringify(value)?.length ?? 0));

// The text that is told, cut into its records and the words around them.
import type { ToldRecord } from '../../../../src/core/shapes/context.ts';

export type ToldPart = { text: string; record: ToldRecord | null };

/** All parts together are the text; a record stands in it word for word. */
export function splitTold(text: string, records: readonly ToldRecord[]): ToldPart[] {
  const parts: ToldPart[] = [];
  let from = 0;
  for (const record of records) {
    const at = text.indexOf(record.text, from);
    if (at < 0) continue;
    parts.push({ text: text.slice(from, at), record: null }, { text: record.text, record });
    from = at + record.text.length;
  }
  parts.push({ text: text.slice(from), record: null });
  return parts.map(trimBreaks).filter((part) => part.record || part.text !== '');
}

/** Each part is a block of its own: the line breaks between them are the page's. */
const trimBreaks = ({ text, record }: ToldPart): ToldPart => ({
  text: record ? text : text.replace(/^\n|\n$/g, ''),
  record,
});

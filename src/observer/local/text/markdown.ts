// Reads a Markdown message line by line into the statements it makes; code, tables and rules are left out.

import { splitSentences } from '../../../core/sentences.ts';
import { capText } from './clip.ts';
import { readLabelRow, readListMark } from './list-mark.ts';
import { plainText } from './plain.ts';

/** One sentence or list item. `section` is the nearest heading above it, in lower case. */
export type Statement = { text: string; section: string; item: boolean; checked: boolean | null; block: number };

type Block = { text: string; section: string; item: boolean; checked: boolean | null };

const BLOCKS_READ = 500;
/** Whatever is longer is no sentence; every rule reads it, so its length is paid many times. */
const SENTENCE_READ = 1500;

export function readStatements(markdown: string): Statement[] {
  return readBlocks(capText(markdown))
    .slice(0, BLOCKS_READ)
    .flatMap((block, index) =>
      splitSentences(block.text).flatMap((text) =>
        statementsOf({ ...block, text: plainText(text.slice(0, SENTENCE_READ)), block: index }),
      ),
    );
}

const COUNTED =
  /^(?:two|three|four) (?:\w+ )?(?:things|problems|causes|bugs|issues|mistakes|faults|errors|reasons)\b[^:]{0,30}:\s+(.{20,})$/i;
const PARTED = /;\s+(?:and\s+)?|,\s+and\s+(?=\S+ (?:\S+ ){0,2}(?:was|were|is|are|had|has|used|did)\b)/;

/** "Two things: A was wrong, and B was missing" is a list in one sentence; each part is a block of its own. */
function statementsOf(one: Statement): Statement[] {
  const parts = COUNTED.exec(one.text)?.[1]?.split(PARTED) ?? [];
  if (parts.length < 2) return [one];
  return parts.map((text, at) => ({ ...one, text, item: true, block: one.block + at / 10 }));
}

function readBlocks(markdown: string): Block[] {
  const lines = markdown.split('\n').map((line) => line.slice(0, 4000).replace(/^\s{0,3}>\s?/, ''));
  const reader: Reader = { blocks: [], section: '', lead: null, fence: null, open: null, nested: null, headed: -1 };
  lines.forEach((line, at) => {
    if (!isCode(line, reader)) readLine(line, lines[at - 1] ?? '', lines[at + 1] ?? '', reader);
  });
  return reader.blocks;
}

/** `section` holds until the next heading, `lead` ("Still open:") for the list below it only. */
type Reader = {
  blocks: Block[];
  section: string;
  lead: string | null;
  fence: string | null;
  open: Block | null;
  nested: { lead: string; indent: number } | null;
  /** The number of blocks above the last heading. */
  headed: number;
};

function isCode(line: string, reader: Reader): boolean {
  const mark = /^\s*(```|~~~)/.exec(line)?.[1];
  if (!mark && !reader.fence) return false;
  reader.fence = reader.fence ? (mark === reader.fence ? null : reader.fence) : (mark ?? null);
  reader.open = null;
  return true;
}

function readLine(line: string, before: string, after: string, reader: Reader) {
  const heading = headingOf(line);
  const lead = heading === null ? leadIn(line, before, after) : null;
  if (heading !== null || lead !== null) {
    reader.section = heading ?? reader.section;
    reader.lead = lead;
    reader.open = null;
    reader.headed = reader.blocks.length;
    return;
  }
  const row = readLabelRow(line);
  if (row) return openBlock(reader, { ...row, item: true });
  if (isBlank(line)) {
    reader.open = null;
    return;
  }
  const item = readListMark(line);
  if (item && isNestedLead(item.text, line, after)) {
    reader.nested = { lead: plainLower(item.text), indent: indentOf(line) };
    reader.open = null;
    return;
  }
  if (item) return openBlock(reader, { ...item, item: true }, indentOf(line));
  if (reader.open && !LABELLED.test(line)) reader.open.text += ` ${line.trim()}`;
  else openBlock(reader, { text: line.trim(), item: false, checked: null });
}

/** "Next: …", "**Why:** …" at the start of a line is a thought of its own. */
const LABELLED = /^(?:\*\*)?[A-Z][A-Za-z’' -]{2,28}(?:\*\*)?:(?:\*\*)?\s+\S/;

const indentOf = (line: string): number => line.length - line.trimStart().length;

/** "2. Open points" above deeper items is their heading. */
function isNestedLead(text: string, line: string, after: string): boolean {
  const isDeeper = readListMark(after) !== null && indentOf(after) > indentOf(line) + 1;
  return isDeeper && text.length <= 50 && !/[.!?`,;]|:\s\S/.test(text.replace(/:?(?:\*\*)?:?$/, ''));
}

function openBlock(reader: Reader, part: Omit<Block, 'section'>, indent = 0) {
  if (reader.nested && indent <= reader.nested.indent) reader.nested = null;
  const last = reader.blocks.at(-1);
  // "All is green. Still open:" leads in a list from the end of a paragraph.
  const isUnderHeading = reader.headed === reader.blocks.length;
  if (part.item && last && !last.item && last.text.endsWith(':') && !isUnderHeading)
    reader.lead = plainLower(splitSentences(last.text).at(-1) ?? '').slice(0, 120);
  if (!part.item && last?.item) reader.lead = null;
  reader.open = { ...part, section: reader.nested?.lead ?? reader.lead ?? reader.section };
  reader.blocks.push(reader.open);
}

/** '# Heading', '**Heading**', '**Heading:**'. */
function headingOf(line: string): string | null {
  const text = line.trim();
  const marked =
    /^#{1,6}\s+(.{1,200})$/.exec(text) ?? /^\*\*([^*]{1,120})\*\*:?$/.exec(text) ?? /^__([^_]{1,120})__:?$/.exec(text);
  return marked?.[1] === undefined ? null : plainLower(marked[1]);
}

/** A short line that ends with a colon, or stands bare right above a list. */
function leadIn(line: string, before: string, after: string): string | null {
  const text = line.trim();
  const colon = /^([^.!?*\-\d#|][^.!?]{0,90})[:：]$/.exec(text)?.[1];
  if (colon !== undefined) return plainLower(colon);
  const isBare = /^\p{L}[^.!?,;:|]{1,50}$/u.test(text) && isBlank(before) && readListMark(after) !== null;
  return isBare ? plainLower(text) : null;
}

function plainLower(text: string): string {
  return plainText(text)
    .replace(/[:：]$/, '')
    .toLowerCase();
}

function isBlank(line: string): boolean {
  return /^\s*$/.test(line) || /^\s*(?:\||[-=*_]{3,}\s*$)/.test(line) || /^\s*[│├└]/.test(line);
}

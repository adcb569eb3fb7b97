// Reads a Markdown message line by line into the statements it makes; code, tables and rules are left out.
import { capText } from './clip.ts';
import { plainText } from './plain.ts';
import { splitSentences } from './sentences.ts';

/** One sentence or list item. `section` is the nearest heading above it, in lower case. */
export type Statement = { text: string; section: string; item: boolean; checked: boolean | null; block: number };

type Block = { text: string; section: string; item: boolean; checked: boolean | null };

const BLOCKS_READ = 500;

export function readStatements(markdown: string): Statement[] {
  return readBlocks(capText(markdown))
    .slice(0, BLOCKS_READ)
    .flatMap((block, index) =>
      splitSentences(block.text).map((text) => ({ ...block, text: plainText(text), block: index })),
    );
}

function readBlocks(markdown: string): Block[] {
  const blocks: Block[] = [];
  let section = '';
  let fence: string | null = null;
  let open: Block | null = null;
  for (const raw of markdown.split('\n')) {
    const line = raw.slice(0, 4000);
    const mark = /^\s*(```|~~~)/.exec(line)?.[1];
    if (mark || fence) {
      fence = fence ? (mark === fence ? null : fence) : (mark ?? null);
      open = null;
      continue;
    }
    const heading = headingOf(line);
    const item = heading === null ? itemOf(line) : null;
    if (heading !== null) {
      section = heading;
      open = null;
    } else if (item) {
      open = { ...item, section };
      blocks.push(open);
    } else if (isBlank(line)) {
      open = null;
    } else if (open) {
      open.text += ` ${line.trim()}`;
    } else {
      open = { text: line.trim(), section, item: false, checked: null };
      blocks.push(open);
    }
  }
  return blocks;
}

/** '# Heading', '**Heading**', '**Heading:**' and a short line that ends with a colon before a list. */
function headingOf(line: string): string | null {
  const text = line.trim();
  const marked =
    /^#{1,6}\s+(.{1,200})$/.exec(text) ?? /^\*\*([^*]{1,120})\*\*:?$/.exec(text) ?? /^__([^_]{1,120})__:?$/.exec(text);
  const colon = /^([^.!?*\-\d#|][^.!?]{0,70})[:：]$/.exec(text);
  const found = marked?.[1] ?? colon?.[1];
  return found === undefined
    ? null
    : plainText(found)
        .replace(/[:：]$/, '')
        .toLowerCase();
}

function itemOf(line: string): Omit<Block, 'section'> | null {
  const found = /^\s*(?:[-*+•]|\d{1,2}[.)])\s+(.{1,4000})$/.exec(line);
  if (!found?.[1]) return null;
  const box = /^\[([ xX✓~-])\]\s*(.*)$/.exec(found[1]);
  if (!box) return { text: found[1], item: true, checked: null };
  return { text: box[2] ?? '', item: true, checked: box[1] !== ' ' };
}

function isBlank(line: string): boolean {
  return /^\s*$/.test(line) || /^\s*(?:\||[-=*_]{3,}\s*$)/.test(line) || /^\s*[│├└]/.test(line);
}

// Takes a text apart: fences of code, lists, and the code within a line.

export type Block = { kind: 'text'; text: string } | { kind: 'code'; text: string } | { kind: 'list'; items: string[] };

export type Piece = { isCode: boolean; text: string };

const FENCE = /^[ \t]*(`{3,})[^`\n]*\n([\s\S]*?)\n?^[ \t]*\1[ \t]*$\n?/gm;

/** What is only begun, like a fence without an end, stays the text it is. */
export function splitBlocks(text: string, { withLists }: { withLists: boolean }): Block[] {
  const blocks: Block[] = [];
  let end = 0;
  const add = (plain: string) => blocks.push(...(withLists ? splitLists(plain) : asText(plain)));
  for (const { index, 0: whole, 2: code = '' } of text.matchAll(FENCE)) {
    add(text.slice(end, index));
    blocks.push({ kind: 'code', text: code });
    end = index + whole.length;
  }
  add(text.slice(end));
  return blocks;
}

/** Around a block that stands by itself, empty lines would be a second distance. */
function asText(text: string): Block[] {
  const trimmed = text.replace(/^(?:[ \t]*\n)+/, '').trimEnd();
  return trimmed === '' ? [] : [{ kind: 'text', text: trimmed }];
}

const ITEM = /^[ \t]*[-*•] +(?=\S)/;

function splitLists(text: string): Block[] {
  const blocks: Block[] = [];
  let plain: string[] = [];
  let items: string[] = [];
  const flush = () => {
    blocks.push(...asText(plain.join('\n')));
    if (items.length > 0) blocks.push({ kind: 'list', items });
    plain = [];
    items = [];
  };
  for (const line of text.split('\n')) {
    const isItem = ITEM.test(line);
    if (isItem) {
      if (items.length === 0) flush();
      items.push(line.replace(ITEM, ''));
    } else if (items.length === 0 || line.trim() !== '') {
      if (items.length > 0) flush();
      plain.push(line);
    }
  }
  flush();
  return blocks;
}

/** What a title makes of a fence: its lines in one, the language at first. */
const FLAT_FENCE = /^\w*[ \t](\S.*?)[ \t]$/;

/** Backticks count only in pairs and within a line. */
export function splitCode(text: string): Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  for (const { index, 0: whole, 2: code = '' } of text.matchAll(/(?<!`)(`{1,3})(?!`)([^\n]+?)(?<!`)\1(?!`)/g)) {
    if (index > end) pieces.push({ isCode: false, text: text.slice(end, index) });
    pieces.push({ isCode: true, text: code.replace(FLAT_FENCE, '$1') });
    end = index + whole.length;
  }
  if (end < text.length) pieces.push({ isCode: false, text: text.slice(end) });
  return pieces;
}

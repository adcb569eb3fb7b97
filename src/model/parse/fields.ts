// One field of an observation or summary: where it ends, and its text or items.
import { isSelfClosed, readAttributes } from './attributes.ts';
import { type Container, elementOf, type FieldKey, fieldOf, isItem, isList, isSingular } from './grammar.ts';
import type { Token } from './tokens.ts';

/** `isItem`: one thing of a list; otherwise the text of a list is still to be split. */
export type Value = { text: string; isItem: boolean };

type Answer = { tokens: Token[]; closings: Int32Array };
type Field = { container: Container; key: FieldKey };
type Range = { from: number; to: number };

/**
 * A field that is closed holds everything up to its closing tag as text, whatever that looks like: an observation in it is quoted.
 * One that was never closed ends where its element goes on or another begins.
 */
export function readField(
  answer: Answer,
  at: number,
  field: Field,
): { values: Value[]; next: number; isClosed: boolean } {
  const token = answer.tokens[at];
  if (token?.kind !== 'open') return { values: [], next: at + 1, isClosed: true };
  if (isSelfClosed(token.source)) return { values: [attributeValue(token.source)], next: at + 1, isClosed: true };
  const close = answer.closings[at] ?? -1;
  const to = close >= 0 ? close : findUnclosedEnd(answer.tokens, at, field, token.name);
  const range = { from: at + 1, to };
  const items = isList(field.key) && !isSingular(token.name) ? readItems(answer, range) : [];
  const values = items.length > 0 ? items : [readWhole(answer.tokens, range, token)];
  if (close >= 0) return { values, next: close + 1, isClosed: true };
  return { values: values.map(withoutTornEnd), next: to, isClosed: false };
}

function readWhole(tokens: Token[], range: Range, { name, source }: { name: string; source: string }): Value {
  const text = sourceText(tokens, range);
  return text.trim() ? { text, isItem: isSingular(name) } : attributeValue(source);
}

/** `<file path="src/a.ts"/>`, `<type value="bugfix"/>`. */
function attributeValue(source: string): Value {
  const attributes = readAttributes(source);
  const name = ['path', 'value', 'text', 'name'].find((one) => attributes.has(one)) ?? '';
  return { text: attributes.get(name) ?? '', isItem: true };
}

function findUnclosedEnd(tokens: Token[], at: number, { container, key }: Field, name: string): number {
  const isEnd = (token: Token) => {
    if (token.kind === 'text') return false;
    if (token.name === name) return token.kind === 'close';
    if (isList(key) && isItem(token.name)) return false;
    return elementOf(token.name) !== null || fieldOf(container, token.name) !== null;
  };
  let end = at + 1;
  for (let token = tokens[end]; token && !isEnd(token); token = tokens[end]) end++;
  return end;
}

/** Far more than any list keeps. */
const MOST_ITEMS = 1000;

function readItems({ tokens, closings }: Answer, { from, to }: Range): Value[] {
  const items: Value[] = [];
  for (let at = from; at < to && items.length < MOST_ITEMS; ) {
    const token = tokens[at];
    if (token?.kind !== 'open' || !isItem(token.name)) {
      at++;
      continue;
    }
    const close = closings[at] ?? -1;
    const end = close >= 0 && close < to ? close : isSelfClosed(token.source) ? at + 1 : nextItem(tokens, at + 1, to);
    const text = sourceText(tokens, { from: at + 1, to: end });
    items.push(text.trim() ? { text, isItem: true } : attributeValue(token.source));
    at = end;
  }
  return items;
}

function nextItem(tokens: Token[], from: number, to: number): number {
  let at = from;
  for (let token = tokens[at]; at < to && token; token = tokens[at]) {
    if (token.kind !== 'text' && isItem(token.name)) return at;
    at++;
  }
  return to;
}

/** Far more than any field keeps. */
const MOST_TEXT = 100_000;

function sourceText(tokens: Token[], { from, to }: Range): string {
  const parts: string[] = [];
  let length = 0;
  for (let at = from; at < to && length < MOST_TEXT; at++) {
    const token = tokens[at];
    const part = token?.kind === 'text' ? token.text : (token?.source ?? '');
    parts.push(part);
    length += part.length;
  }
  return parts.join('');
}

/** A closing tag with a slip in its name, or the fence around the answer, is not what the field says. */
function withoutTornEnd(value: Value): Value {
  const text = value.text.trimEnd();
  const torn = /(?:<\/?[a-z][\w-]*>|`{3,})$/i.exec(text.slice(-60));
  return torn ? { ...value, text: text.slice(0, text.length - torn[0].length).trimEnd() } : value;
}

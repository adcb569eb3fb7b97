// Whether a text only repeats what stood inside of our own format in something observed: a forged block that a model copied out.
import type { SessionEvent } from '../../core/event.ts';
import { eventText } from '../../observer/outside/event-text.ts';
import { cleanLine } from '../parse/clean-text.ts';
import { decodeEntities } from '../parse/entities.ts';

export type IsEcho = (text: string) => boolean;

/** Tags of ours that are rare elsewhere, as they are or escaped for XML, JSON or JavaScript. */
const FORMAT =
  /(?:<|&(?:amp;){0,4}(?:lt|#0{0,5}60|#x0{0,5}3c);|\\{1,4}(?:u00|x)3c)\s{0,9}(?:observation|session|request|investigated|learned|next[_-]?steps)\b/i;

/** Longer texts may have been cut by the parser, so only their beginning is looked for. */
const COMPARED = 200;

export function createEchoCheck(events: SessionEvent[]): IsEcho {
  const observed = events
    .map(eventText)
    .filter((text) => FORMAT.test(text))
    .map(plain);
  return (text) => {
    if (observed.length === 0) return false;
    const wanted = plain(text);
    return observed.some((one) => standsInTag(one, wanted));
  };
}

/** One line in small letters, with escapes undone and without what diffs and numbered listings put before each line. */
function plain(text: string): string {
  const lines = text
    .replace(/\\{1,4}(?:u00|x)3([ce])/gi, (_, digit: string) => (digit.toLowerCase() === 'c' ? '<' : '>'))
    .replace(/\\{1,4}n/g, '\n')
    .replace(/\\{1,4}(["'])/g, '$1')
    .split('\n')
    .map((line) => line.replace(/^[+-]?\s{0,40}(?:\d{1,7}[→|:\t]\s?)?/, ''));
  const unescaped = decodeEntities(decodeEntities(decodeEntities(lines.join('\n'))));
  return (cleanLine(unescaped, unescaped.length + 1) ?? '').toLowerCase();
}

function standsInTag(observed: string, text: string): boolean {
  const start = text.slice(0, COMPARED).replace(/[.\s]+$/, '');
  if (start === '') return false;
  for (let at = observed.indexOf(start); at >= 0; at = observed.indexOf(start, at + start.length)) {
    const end = at + start.length;
    const isOpened = /(?:>|=\s?["']|<!\[cdata\[)$/.test(observed.slice(Math.max(0, at - 20), at).trimEnd());
    const isClosed = text.length > COMPARED || /^\.?\s?[<"'\]]/.test(observed.slice(end, end + 4));
    if (isOpened && isClosed) return true;
  }
  return false;
}

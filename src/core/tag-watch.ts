// Whether a long string of JSON, of which only pieces are at hand, holds the start of one of our tags in any disguise that privacy.ts knows.
import { lookForTag } from './privacy.ts';

export type TagWatch = {
  /** The bytes between the quotes, as they come. True from the first tag on; in doubt there is one. */
  look: (bytes: Buffer) => boolean;
};

export function createTagWatch(isOver: () => boolean): TagWatch {
  let decoder = new TextDecoder();
  let isFound = false;
  /** An escape that is not over. */
  let rest = '';
  let seam = '';

  const lookAt = (bytes: Uint8Array) => {
    const json = rest + decoder.decode(bytes, { stream: true });
    const end = endOfEscapes(json);
    rest = json.slice(end);
    const text = readEscapes(json.slice(0, end));
    const looked = text === null ? 'tag' : lookForTag(seam + text);
    if (looked === 'tag') isFound = true;
    else seam = looked.again;
  };
  /** Nothing can begin in it, but it may go on with what began before. */
  const passOver = (bytes: Buffer) => {
    if (rest !== '' || /[<＜&%\\]/.test(seam)) lookAt(bytes.subarray(0, SEAM));
    decoder = new TextDecoder();
    // Two of them are a backslash of the text, the odd one begins an escape.
    const count = backslashesAtEnd(bytes);
    seam = count > 1 ? '\\' : '';
    rest = count % 2 === 1 ? '\\' : '';
  };

  return {
    look(bytes) {
      if (isFound) return true;
      if (isOver()) isFound = true;
      else if (bytes.length > 2 * SEAM && !mayBegin(bytes)) passOver(bytes);
      else lookAt(bytes);
      return isFound;
    },
  };
}

/** Longer than any tag that is not in doubt. */
const SEAM = 4096;
/** What an opening bracket can look like in raw JSON: itself, an entity, a URL escape, full width, a JSON or hex escape. */
const ANCHORS = [0x3c, 0x26, 0x25, 0xef, Buffer.from('\\u'), Buffer.from('\\x')];

const mayBegin = (bytes: Buffer) => ANCHORS.some((anchor) => bytes.includes(anchor));

function backslashesAtEnd(bytes: Buffer): number {
  let back = bytes.length;
  while (back > 0 && bytes[back - 1] === 0x5c) back--;
  return bytes.length - back;
}

/** Null for what is no JSON: nobody knows what a reader would make of it. */
function readEscapes(json: string): string | null {
  try {
    return JSON.parse(`"${json}"`);
  } catch {
    return null;
  }
}

/** Where the text ends that no escape is cut off in. It begins outside of one. */
function endOfEscapes(json: string): number {
  const cut = json.lastIndexOf('\\');
  if (cut < json.length - 6) return json.length;
  let first = cut;
  while (first > 0 && json[first - 1] === '\\') first--;
  // Of an even number each is the escape of another.
  if ((cut - first) % 2 === 1) return json.length;
  const length = json[cut + 1] === 'u' ? 6 : 2;
  return cut + length > json.length ? cut : json.length;
}

// Encoding makes a text longer: writes it again, shorter, until it fits encoded.
import { oneLine } from '../condense/words.ts';
import { encodeObserved } from '../encode.ts';

/** `write` keeps to the characters it is given, and `written` is what it makes of maxChars; the result keeps to maxChars. */
export function encodeWithin(write: (maxChars: number) => string, maxChars: number, written = write(maxChars)): string {
  let room = maxChars;
  let text = written;
  for (let tries = 0; tries < 3; tries++) {
    const encoded = encodeObserved(text);
    if (encoded.length <= maxChars) return encoded;
    room = Math.floor(((room * maxChars) / encoded.length) * 0.95);
    text = write(room);
  }
  // Encoding makes nothing more than five times as long.
  return encodeObserved(oneLine(text, Math.floor(maxChars / 5)));
}

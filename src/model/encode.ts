// Text that was observed, made safe to quote: it can neither forge our grammar nor be taken for a command.

/**
 * `<` never appears in it, no `@` starts a token, no character is invisible; whatever entity decoder undoes it.
 * At most five times as long.
 */
export function encodeObserved(text: string): string {
  return stripInvisible(text).replace(ENTITY_START, '&amp;').replaceAll('<', '&lt;').replace(TOKEN_AT, '&#64;');
}

/** On one line and without double quotes: goes between the quotes of an attribute. */
export function encodeAttribute(text: string): string {
  return encodeObserved(text.replace(/\s+/g, ' ').trim()).replaceAll('"', '&quot;');
}

/** `write` keeps to the characters it is given; encoding makes that longer, so it is written again, shorter, until it fits. */
export function encodeWithin(write: (maxChars: number) => string, maxChars: number): string {
  let room = maxChars;
  for (let tries = 0; tries < 4; tries++) {
    const encoded = encodeObserved(write(room));
    if (encoded.length <= maxChars) return encoded;
    room = Math.floor(((room * maxChars) / encoded.length) * 0.95);
  }
  return encodeObserved(write(Math.floor(maxChars / 5)).slice(0, Math.floor(maxChars / 5)));
}

/** Stripped before anything else: what stood on both sides of it may only then read as an entity. */
function stripInvisible(text: string): string {
  return text.toWellFormed().replace(/\r\n?/g, '\n').replace(INVISIBLE, '').normalize('NFC');
}

/** Control characters but newline and tab; soft hyphen, zero-width, bidi marks and overrides; tags and variation selectors. */
const INVISIBLE =
  /[\0-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e0fff}]/gu;

/** Decoders read these also without their semicolon. */
const ENTITY_START = /&(?=[A-Za-z][A-Za-z0-9]{0,40};|#\d|#[xX][0-9a-fA-F]|(?:lt|gt|amp|quot|apos|LT|GT|AMP|QUOT))/g;

/** Inside a path, an address or a word it stays readable: there nobody takes it for a mention. */
const TOKEN_AT = /(?<![\p{L}\p{N}_./\\%+-])@/gu;

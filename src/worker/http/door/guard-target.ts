// The path that a request asks for, if it is written plainly.

const MAX_LENGTH = 8192;
/** Visible ASCII without backslash and fragment. */
const PLAIN = /^\/[!"$-[\]-~]*$/;
/** What would be another path after decoding: a slash, a backslash, a control character. */
const HIDDEN = /%(2f|5c|[01][0-9a-f]|7f)/i;

/** Decoded, as routes are matched; null when two readers could read it in two ways. */
export function readPath(target: string): string | null {
  if (target.length > MAX_LENGTH || !PLAIN.test(target)) return null;
  const [raw = ''] = target.split('?', 1);
  if (raw.includes('//') || HIDDEN.test(raw)) return null;
  const path = decode(raw);
  if (path === null || path.split('/').some((part) => part === '.' || part === '..')) return null;
  return path;
}

function decode(raw: string): string | null {
  try {
    return decodeURIComponent(raw);
  } catch {
    // Not percent-encoded UTF-8: nobody can say what is meant.
    return null;
  }
}

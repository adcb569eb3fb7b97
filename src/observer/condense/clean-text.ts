// Takes out of a text what nobody reads: colours, progress bars drawn over, encoded blobs, runs of empty lines.

export function cleanText(text: string): string {
  const plain = text.includes('\x1b') ? text.replace(ESCAPES, '') : text;
  return collapseBlobs(plain)
    .split('\n')
    .map(lastDrawn)
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .replace(/^\n+|\n+$/g, '');
}

/** Terminal escapes: CSI, OSC and the short ones. */
const ESCAPES = /\x1b(?:\[[0-?]{0,40}[ -/]{0,8}[@-~]|\][^\x07\x1b\n]{0,2000}(?:\x07|\x1b\\)?|[@-Z\\^_=>])/g;

/** Base64, data URIs and long hex: only what they are and how long. */
function collapseBlobs(text: string): string {
  return text.replace(BLOB, (blob) => {
    if (/^[0-9a-fA-F]+$/.test(blob)) return `[hex, ${blob.length} characters]`;
    return isEncoded(blob) ? `[base64, ${blob.length} characters]` : blob;
  });
}

/** A git or SHA-256 hash (40 or 64 digits) is a name and stays. The lookbehind keeps it linear. */
const BLOB = /(?<![A-Za-z0-9+/=_-])[A-Za-z0-9+/_-]{65,}={0,2}/g;

/** A long path or identifier has slashes or words; encoded bytes mix cases and digits all along. */
function isEncoded(blob: string): boolean {
  if (blob.length < 120) return false;
  const sample = blob.slice(0, 400);
  const switches = sample.match(/[a-z](?=[A-Z0-9])|[A-Z](?=[0-9])|[0-9](?=[A-Za-z])/g)?.length ?? 0;
  return switches > sample.length / 8 || /^(.)\1+$/.test(sample);
}

/** Of a line that was drawn over with carriage returns, what stood there last. */
function lastDrawn(line: string): string {
  const end = line.trimEnd();
  return end.slice(end.lastIndexOf('\r') + 1);
}

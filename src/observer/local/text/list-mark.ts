// What stands before a line of a list: a bullet, a number, a box, an emoji, the stamp of a log line.

/** `checked` true = marked as done, false = marked as open. */
export type Listed = { text: string; checked: boolean | null };

const BULLET = /^\s*(?:[-*+•‣▸▪◦►»→–]|\(?(?:\d{1,2}|[a-z])[.)])\s+(.{1,4000})$/;
const EMOJI =
  /^\s*((?:[\u{1F000}-\u{1FAFF}\u{2600}-\u{27BF}\u{2B00}-\u{2BFF}\u{23E9}-\u{23F3}\u231A\u231B]\u{FE0F}?)+)\s*(\S.{1,4000})$/u;
const STAMP =
  /^\s*(?:\[?(?:\d{4}-\d\d-\d\dT?\s?)?\d\d:\d\d(?::\d\d)?[\d.,Z]{0,8}\]?\s+)?(?:\[([A-Za-z][A-Za-z -]{1,20})\]|(TODO|DONE|FIXED|FIXME|NEXT|OPEN|LATER|PENDING|DECISION|DECIDED|REJECTED|CHOICE|WHY|REASON|NOTE|INFO|WARN|OK)\b)(?::\s*|\s+)(\S.{1,4000})$/;
const TIME = /^\s*\[?(?:\d{4}-\d\d-\d\dT?\s?)?\d\d:\d\d(?::\d\d)?[\d.,Z]{0,8}\]?\s+(\S.{1,4000})$/;
const DONE_MARK = /[✅✔☑🎉👍]/u;
const OPEN_MARK = /[⏳⌛🔜⬜🔲☐🚧📝📋⏭👉🕐]/u;
const DONE_WORD = /^(?:done|ok|fixed|pass(?:ed)?|completed?|merged|closed)$/i;
const OPEN_WORD = /^(?:todo|open|next|pending|left|wip|later|missing|follow-?up|blocked)$/i;

const LABEL_CELL =
  /^(?:root )?(?:cause|problem|issue|symptom|why|reason|fix|solution|change|done|open|next(?: steps?)?|to-?do|remaining|left|follow[- ]?up|pending|decision|decided|rejected|tried|dead end|finding|caveat|risk)s?$/i;

/** "| Cause | the pool was closed |": a row of a table whose first cell is a label. */
export function readLabelRow(line: string): Listed | null {
  if (!line.trimStart().startsWith('|')) return null;
  const [, first = '', second = '', ...rest] = line.slice(0, 800).split('|');
  const label = first.replace(/[^\p{L}\s-]/gu, '').trim();
  const isPair = rest.length <= 1 && (rest[0] ?? '').trim() === '' && second.trim().length >= 12;
  return isPair && label.length <= 40 && LABEL_CELL.test(label) ? plain(`${label}: ${second.trim()}`) : null;
}

/** Null for a line of prose. */
export function readListMark(line: string): Listed | null {
  const bullet = BULLET.exec(line)?.[1];
  if (bullet !== undefined) return readBox(bullet) ?? readEmoji(bullet) ?? readStamp(bullet) ?? plain(bullet);
  return readBox(line.trim()) ?? readEmoji(line) ?? readStamp(line);
}

function readBox(text: string): Listed | null {
  const box = /^\[([ xX✓~-])\]\s*(.*)$/.exec(text);
  return box ? { text: box[2] ?? '', checked: box[1] !== ' ' } : null;
}

function readEmoji(text: string): Listed | null {
  const found = EMOJI.exec(text);
  if (!found?.[1] || !found[2]) return null;
  const checked = DONE_MARK.test(found[1]) ? true : OPEN_MARK.test(found[1]) ? false : null;
  return { text: found[2], checked };
}

/** "[todo] fuzz test", "12:04 [decision] keep v2": the word in the brackets stays as a label. */
function readStamp(text: string): Listed | null {
  const found = STAMP.exec(text);
  const word = found?.[1] ?? found?.[2];
  if (!found?.[3] || !word) return readTime(text);
  const rest = found[3];
  if (DONE_WORD.test(word)) return { text: rest, checked: true };
  if (OPEN_WORD.test(word)) return { text: rest, checked: false };
  return /^(?:info|debug|log|note|warn)$/i.test(word) ? plain(rest) : plain(`${word}: ${rest}`);
}

/** "10:05 chart bumped". */
function readTime(text: string): Listed | null {
  const rest = TIME.exec(text)?.[1];
  return rest === undefined ? null : plain(rest);
}

const plain = (text: string): Listed => ({ text, checked: null });

// What the edits of a turn did to one file: the lines they added and removed, and how it was before.
import type { Hunk, SessionEvent } from '../core/event.ts';
import { markLine, markLines, packMarks } from './line-marks.ts';
import { pathInTree } from './tree-path.ts';

export type FileEdit = { id: string; hunks: Hunk[]; created: boolean };

/** By the file's name in the work tree, in the order they happened. A failed one did nothing. */
export function listEdits(events: SessionEvent[], root: string): Map<string, FileEdit[]> {
  const edits = new Map<string, FileEdit[]>();
  for (const event of events) {
    if (event.kind !== 'tool' || event.error !== null || event.action?.type !== 'edit') continue;
    const path = pathInTree(event.action.file ?? '', root, event.cwd);
    if (path === null) continue;
    const edit = { id: event.id, hunks: soundHunks(event.action.hunks), created: event.action.created === true };
    edits.set(path, [...(edits.get(path) ?? []), edit]);
  }
  return edits;
}

/** A stored event may come from an older version: what has another shape is read as none. */
function soundHunks(hunks: unknown): Hunk[] {
  const isHunk = (hunk: unknown): hunk is Hunk =>
    typeof hunk === 'object' && hunk !== null && 'lines' in hunk && Array.isArray(hunk.lines);
  return Array.isArray(hunks) ? hunks.filter(isHunk) : [];
}

export type ChangedLines = {
  added: string[];
  removed: string[];
  /** The file shows something of the change. Not so: it was taken back or written over before anybody looked. */
  isThere: boolean;
};

const MOST_LINES = 40;

/**
 * Of the edits that a memory rests on. A line that was both added and removed was only moved, or did not last.
 * What the file shows otherwise does not count either: a part of a line, or one whose secret was taken out of the event.
 */
export function listChangedLines(own: FileEdit[], all: FileEdit[], text: string): ChangedLines {
  const lines = markLines(text);
  const [mine, others] = [markChanges(own), markChanges(all)];
  const added = [...mine.added.keys()].filter((mark) => !others.removed.has(mark));
  const removed = [...mine.removed].filter((mark) => !others.added.has(mark));
  const kept = added.filter((mark) => lines.has(mark));
  const gone = removed.filter((mark) => !lines.has(mark));
  const said = added.flatMap((mark) => mine.added.get(mark) ?? []);
  const isThere =
    added.length > 0
      ? kept.length > 0 || said.some((line) => isPartOf(text, line))
      : gone.length > 0 || (removed.length === 0 && hasMoved(mine, lines));
  // Of what is not there, all that is known is told: so it is seen when the lines before it are back.
  return { added: spread(kept.length > 0 ? kept : added), removed: spread(isThere ? gone : removed), isThere };
}

type Changes = { added: Map<string, string>; removed: Set<string> };

function markChanges(edits: FileEdit[]): Changes {
  const changes: Changes = { added: new Map(), removed: new Set() };
  for (const line of edits.flatMap(({ hunks }) => hunks.flatMap((hunk) => hunk.lines))) {
    const mark = isChange(line) ? markLine(line.slice(1)) : null;
    if (mark === null) continue;
    if (line.startsWith('+')) changes.added.set(mark, line.slice(1).trim());
    else changes.removed.add(mark);
  }
  return changes;
}

/** Every line it added was removed as well: moved, if one of them is still there, else taken back. */
const hasMoved = ({ added }: Changes, lines: ReadonlySet<string>) =>
  added.size === 0 || [...added.keys()].some((mark) => lines.has(mark));

/** A host may tell a part of a line, and a secret is never told: then the rest of it is looked for. */
const isPartOf = (text: string, line: string) =>
  line.split(/\[secret:[^\]]*\]/).every((part) => hasWords(text, part.trim()));

function hasWords(text: string, words: string): boolean {
  if (words === '') return true;
  const isWord = (character: string | undefined) => /^[\p{L}\p{N}_]$/u.test(character ?? '');
  for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + 1)) {
    const end = at + words.length;
    const isCutBefore = isWord(words[0]) && isWord(text[at - 1]);
    const isCutAfter = isWord(words.at(-1)) && isWord(text[end]);
    if (!isCutBefore && !isCutAfter) return true;
  }
  return false;
}

const isChange = (line: unknown): line is string =>
  typeof line === 'string' && (line.startsWith('+') || line.startsWith('-'));

/** Evenly over all of them: of a new file not only its head counts. One last entry stands for them all. */
function spread(marks: string[]): string[] {
  if (marks.length <= MOST_LINES) return marks;
  const some = Array.from({ length: MOST_LINES }, (_, at) => marks[Math.floor((at * marks.length) / MOST_LINES)] ?? '');
  return [...some, packMarks(marks)];
}

/** The text without these edits; null where they do not fit it. Empty edits are of no help: nothing says what they did. */
export function undoEdits(text: string, edits: FileEdit[]): string | null {
  let lines: string[] | null = text.split('\n');
  for (const { hunks, created } of edits.toReversed()) {
    if (created || hunks.length === 0) return null;
    for (const hunk of hunks.toReversed()) lines = lines && undoHunk(lines, hunk);
  }
  return lines === null ? null : lines.join('\n');
}

function undoHunk(lines: string[], { newStart, lines: changes }: Hunk): string[] | null {
  // A mark about the end of the file, or what is no line at all: nothing to rely on.
  if (!changes.every((line) => typeof line === 'string' && /^[ +-]/.test(line))) return null;
  const after = changes.filter((line) => !line.startsWith('-')).map((line) => line.slice(1));
  const before = changes.filter((line) => !line.startsWith('+')).map((line) => line.slice(1));
  const start = after.length === 0 ? newStart : newStart - 1;
  const isThere = start >= 0 && after.every((line, at) => lines[start + at] === line);
  return isThere ? [...lines.slice(0, start), ...before, ...lines.slice(start + after.length)] : null;
}

// The worker's log from its end: entries newest first, over the files of several days, in bounded pieces.
import { closeSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { LOG_LEVELS, type LogLevel } from '../../log.ts';
import { scrubSecrets, scrubValue } from '../../secrets/scrub.ts';

export type LogEntry = { at: string; level: LogLevel; message: string; details: Record<string, unknown> | null };

export type LogQuery = {
  /** This one and graver ones. */
  level: LogLevel;
  /** Words that the entry must hold, whatever the case. */
  query: string;
  limit: number;
  /** Where an earlier page ended. */
  before: LogPlace | null;
};

/** A day, and where in its file an entry begins: what is written later changes nothing of it. */
export type LogPlace = { day: string; offset: number };

export type LogPage = {
  entries: LogEntry[];
  /** Null when there is nothing before. */
  next: LogPlace | null;
};

/** Of one question, however many entries do not match. */
const MOST_BYTES = 1024 * 1024;
/** Of an entry that is longer the end is passed over. */
const PIECE_BYTES = 256 * 1024;

export function readLog(folder: string, { level, query, limit, before }: LogQuery): LogPage {
  const entries: LogEntry[] = [];
  const least = LOG_LEVELS.indexOf(level);
  const wanted = query.toLowerCase();
  let bytes = 0;
  for (const day of listDays(folder, before)) {
    const path = `${folder}/worker-${day}.log`;
    let end = before?.day === day ? before.offset : sizeOf(path);
    while (end > 0) {
      if (bytes >= MOST_BYTES) return { entries, next: { day, offset: end } };
      const piece = readPiece(path, Math.min(end, sizeOf(path)));
      bytes += PIECE_BYTES;
      for (const { offset, text } of piece.entries) {
        // Most are passed over: what can be seen at a glance goes before the parsing.
        if (!isGrave(text, least) || !text.toLowerCase().includes(wanted)) continue;
        const entry = parseEntry(text);
        if (!entry) continue;
        entries.push(entry);
        if (entries.length === limit) return { entries, next: { day, offset } };
      }
      end = piece.start;
    }
  }
  return { entries, next: null };
}

function isGrave(text: string, least: number): boolean {
  const levels: readonly string[] = LOG_LEVELS;
  return levels.indexOf(/^\S+ ([A-Z]+) /.exec(text)?.[1]?.toLowerCase() ?? '') >= least;
}

function listDays(folder: string, before: LogPlace | null): string[] {
  const days = readdirSync(folder).flatMap((name) => /^worker-(\d{4}-\d\d-\d\d)\.log$/.exec(name)?.[1] ?? []);
  return days
    .filter((day) => before === null || day <= before.day)
    .sort()
    .reverse();
}

const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

/** What begins an entry; other lines, such as those of a stack, go on with the one before. */
const BEGINNING = /^\d{4}-\d\d-\d\dT[\d:.]+Z (?:DEBUG|INFO|WARN|ERROR) /gm;

type Piece = { start: number; entries: { offset: number; text: string }[] };

/** The entries of the last piece before `end`, newest first, and where the piece before them ends. */
function readPiece(path: string, end: number): Piece {
  const from = Math.max(0, end - PIECE_BYTES);
  const bytes = readBytes(path, from, end - from);
  // One character for each byte, so that places in it are places in the file.
  const starts = [...bytes.toString('latin1').matchAll(BEGINNING)].map(({ index }) => index);
  const entries = starts.map((start, i) => ({
    offset: from + start,
    text: bytes.toString('utf8', start, starts[i + 1] ?? bytes.length).trimEnd(),
  }));
  return { start: from === 0 ? 0 : from + (starts[0] ?? 0), entries: entries.reverse() };
}

function readBytes(path: string, from: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  const file = openSync(path, 'r');
  try {
    return bytes.subarray(0, readSync(file, bytes, 0, length, from));
  } finally {
    closeSync(file);
  }
}

const ENTRY = /^(\S+) (\S+) (.*)$/s;
/** A message may hold a brace itself: so many are tried. */
const MOST_BRACES = 20;

function parseEntry(text: string): LogEntry | null {
  const [, at, level, rest] = ENTRY.exec(text) ?? [];
  const known = LOG_LEVELS.find((one) => one === level?.toLowerCase());
  if (at === undefined || rest === undefined || known === undefined) return null;
  const { message, details } = splitDetails(rest);
  return {
    at,
    level: known,
    // It was scrubbed when it was written; what a newer rule finds must not leave either.
    message: scrubSecrets(message).text,
    details: details && scrubValue(details).value,
  };
}

function splitDetails(rest: string): { message: string; details: Record<string, unknown> | null } {
  if (!rest.endsWith('}')) return { message: rest, details: null };
  let at = rest.indexOf(' {');
  for (let tried = 0; at >= 0 && tried < MOST_BRACES; tried++) {
    try {
      return { message: rest.slice(0, at), details: JSON.parse(rest.slice(at + 1)) };
    } catch {
      // A brace of the message: the details begin at a later one.
      at = rest.indexOf(' {', at + 1);
    }
  }
  return { message: rest, details: null };
}

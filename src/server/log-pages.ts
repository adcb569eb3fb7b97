// The worker's log from its end: entries newest first, over the files of several days, page by page.
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { AskError } from '../core/ask-error.ts';
import { LOG_LEVELS, type LogLevel } from '../log.ts';
import { listFolder } from '../own-files.ts';
import { scrubSecrets, scrubValue } from '../secrets/scrub.ts';

export const LogSchema = z.object({
  entries: z.array(
    z.object({
      at: z.string(),
      level: z.enum(LOG_LEVELS),
      message: z.string(),
      details: z.record(z.string(), z.unknown()).nullable(),
    }),
  ),
  next: z.string().nullable().describe('For `before`, to go on; null when there is nothing more'),
});
type LogPage = z.output<typeof LogSchema>;
type LogEntry = LogPage['entries'][number];

type LogQuery = {
  /** This one and graver ones. */
  level: LogLevel;
  /** Words that the entry must hold, whatever the case. */
  query: string;
  limit: number;
  /** The `next` of an earlier page: a day, and where in its file an entry begins. What is written later changes nothing of it. */
  before?: string | undefined;
};

/** Of one question, however many entries do not match; a file has at most five megabytes. */
const MOST_BYTES = 1024 * 1024;

export function readLog(folder: string, { level, query, limit, before }: LogQuery): LogPage {
  const from = before === undefined ? null : readPlace(before);
  const [least, wanted] = [LOG_LEVELS.indexOf(level), query.toLowerCase()];
  const entries: LogEntry[] = [];
  let bytes = 0;
  for (const day of listDays(folder).filter((one) => from === null || one <= from.day)) {
    if (bytes >= MOST_BYTES) return { entries, next: `${day}.${Number.MAX_SAFE_INTEGER}` };
    const file = readFileSync(`${folder}/worker-${day}.log`).subarray(0, from?.day === day ? from.offset : undefined);
    bytes += file.length;
    for (const { offset, text } of splitEntries(file)) {
      const entry = text.toLowerCase().includes(wanted) ? parseEntry(text, least) : null;
      if (!entry) continue;
      entries.push(entry);
      if (entries.length === limit) return { entries, next: `${day}.${offset}` };
    }
  }
  return { entries, next: null };
}

function readPlace(text: string): { day: string; offset: number } {
  const [, day, offset] = /^(\d{4}-\d\d-\d\d)\.(\d{1,16})$/.exec(text) ?? [];
  if (day !== undefined) return { day, offset: Number(offset) };
  throw new AskError('invalid', 'before is not the end of a page.', 'Give the `next` of an earlier answer.');
}

function listDays(folder: string): string[] {
  return listFolder(folder)
    .flatMap((name) => /^worker-(\d{4}-\d\d-\d\d)\.log$/.exec(name)?.[1] ?? [])
    .sort()
    .reverse();
}

/** What begins an entry; other lines, such as those of a stack, go on with the one before. */
const BEGINNING = /^\d{4}-\d\d-\d\dT[\d:.]+Z (?:DEBUG|INFO|WARN|ERROR) /gm;

/** Newest first. */
function splitEntries(file: Buffer): { offset: number; text: string }[] {
  // One character for each byte, so that places in it are places in the file.
  const starts = [...file.toString('latin1').matchAll(BEGINNING)].map(({ index }) => index);
  return starts.map((offset, at) => ({ offset, text: file.toString('utf8', offset, starts[at + 1] ?? file.length).trimEnd() })).reverse();
}

function parseEntry(text: string, least: number): LogEntry | null {
  const [, at, name, rest] = /^(\S+) (\S+) (.*)$/s.exec(text) ?? [];
  const level = LOG_LEVELS.slice(least).find((one) => one === name?.toLowerCase());
  if (at === undefined || rest === undefined || level === undefined) return null;
  const { message, details } = splitDetails(rest);
  // It was scrubbed when it was written; what a newer rule finds must not leave either.
  return { at, level, message: scrubSecrets(message).text, details: details && scrubValue(details).value };
}

/** A message may hold a brace itself: so many are tried. */
const MOST_BRACES = 20;

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

// By what an error is known again, whatever numbers, paths and times stand in it, and which of its lines tell what went wrong.
import { lazily } from '../secrets/span.ts';
import { readTable } from '../secrets/table.ts';
import table from './error-mark.txt' with { type: 'text' };
import { hashParts } from './ids.ts';

const MARKS_KEPT = 4;

/**
 * Hashes of what tells what went wrong, as far as it would be the same the next time: the lines that tell most, the tests that failed,
 * and what the error is about where that alone is enough. None for what any failure may print.
 */
export function markError(error: string): string[] {
  if (NO_ERROR.test(error.slice(0, 400))) return [];
  const lines = readErrorLines(error);
  const subject = findSubject(lines);
  const told = findTellingLines(lines)
    .filter((line) => !IS_OF_PORT.test(line))
    .flatMap((line) => shapeOf(line) ?? []);
  const texts = [...new Set(told)].slice(0, subject ? MARKS_KEPT - 1 : MARKS_KEPT).concat(subject ?? []);
  return texts.map((text) => hashParts(['error', text]).slice(0, 16));
}

/** Without its port it could be any service's, and with it the subject tells it. */
const IS_OF_PORT = /ECONNREFUSED|EADDRINUSE|connection refused|already in use|already allocated/i;

/** What the agent's own tools answer to a slip, and what a person did not let happen: nothing of the project failed. */
const NO_ERROR = new RegExp(
  String.raw`^(?:Exit code (?:130|137|143)\s*$|String to replace not found` +
    '|File (?:has not been read|does not exist|has been (?:unexpectedly )?modified)|InputValidationError' +
    String.raw`|<tool_use_error>|Found \d+ matches of the string|No changes to make|EISDIR|File content \()` +
    String.raw`|doesn't want to (?:proceed|take this action)|interrupted by user|\[Request interrupted` +
    '|was rejected|permission to use|requires approval',
);

/** So much of the beginning and of the end is read: what went wrong stands in one of them. */
const PART_READ = 24_000;
const LINES_READ = 1500;
const LINE_LENGTH = 300;

export function readErrorLines(error: string): string[] {
  const text = error.length <= PART_READ * 2 ? error : `${error.slice(0, PART_READ)}\n${error.slice(error.length - PART_READ)}`;
  const clean = (line: string) =>
    line
      .slice(0, LINE_LENGTH * 2)
      .replace(ESCAPES, '')
      .replace(LOG_MARK, '')
      .slice(0, LINE_LENGTH)
      .trimEnd();
  return text
    .split('\n')
    .slice(0, LINES_READ)
    .map(clean)
    .filter((line) => line.trim() !== '' && !/^Exit code \d+$/.test(line));
}

const ESCAPES = /\u001b\[[0-?]{0,40}[ -/]{0,8}[@-~]|\r/g;
/** "2026-01-02 10:00:00,123 - ", "[12:01:33.120] ", "web-1  | ", "#12 0.345 ". */
const LOG_MARK = new RegExp(
  String.raw`^(?:\[?\d{4}-\d\d-\d\d[T ][\d:.,]{5,18}(?:Z|[+-]\d\d:?\d\d)?\]?[\s:|-]{1,5}` +
    String.raw`|\[?\d{1,2}:\d\d:\d\d(?:[.,]\d{1,6})?(?: [AP]M)?\]?[\s:|-]{1,5}` +
    String.raw`|[\w.-]{2,30}-\d{1,3} {1,4}\| |#\d{1,3} \d{1,5}\.\d{1,3} ){1,3}`,
);

type Rule = { what: string; pattern: RegExp };

// Compiled at first use: a worker that starts has hooks that wait.
const readRules = lazily(() => {
  const rows = readTable(table);
  const of = (use: string) => rows.filter(([one]) => one === use);
  const rules = (use: string): Rule[] =>
    of(use).map(([, what = '', flags = '', text = '']) => ({ what, pattern: new RegExp(text, flags === '-' ? '' : flags) }));
  const joined = (use: string) => of(use).map(([, , , text = '']) => text);
  return {
    tests: rules('test'),
    kinds: Map.groupBy(rules('line'), ({ what }) => what),
    noise: new RegExp(String.raw`^\s*(?:error:? )?(?:${joined('noise').join('|')})`, 'i'),
    common: new RegExp(joined('common').join('|')),
    subjects: rules('subject'),
    swaps: rules('swap'),
    words: new Set(joined('words').flatMap((text) => text.split(' '))),
  };
});

const LINES_TOLD = 3;
/** More tests at once have a cause of their own, and their names do not tell it. */
const FEW_TESTS = 3;

export function findTellingLines(lines: string[]): string[] {
  const tests = [...new Set(lines.flatMap((line) => failingName(line) ?? []))].map(withoutCounts);
  const few = tests.length <= FEW_TESTS ? tests : [];
  const found = strongest(lines).map(({ at, text, kind }) => tell({ lines, at, text, kind, tests: few }));
  return [...found.filter((text) => text !== null).slice(0, few.length > 0 ? 2 : LINES_TOLD), ...few.map((test) => `failing test ${test}`)];
}

const NOT_A_TEST = /^(?:failing tests|\d+ )|^\S+\.[a-z]{1,4}$|^(?:build|compilation|compile|bundl\w+|lint\w*)\b.{0,20}\bfail/i;

function failingName(line: string): string | null {
  for (const { pattern } of readRules().tests) {
    const name = pattern.exec(line)?.[1]?.trim();
    if (name && !NOT_A_TEST.test(name)) return name.replace(/:$|\s*[─━═]{3,}$/, '').slice(0, 120);
  }
  return null;
}

const withoutCounts = (test: string) => test.replace(/\s*\(?\d+(?:\.\d+)? ?m?s\)?$/, '');

type Found = { at: number; text: string; kind: string };

function strongest(lines: string[]): Found[] {
  const { kinds, noise } = readRules();
  for (const [kind, rules] of kinds) {
    const found = lines.flatMap((line, at): Found[] => {
      if (noise.test(line)) return [];
      const text = firstMatch(rules, line);
      return text === null ? [] : [{ at, text: continued(text, lines[at + 1]), kind }];
    });
    if (found.length > 0) return found.slice(0, LINES_TOLD * 2);
  }
  return [];
}

function firstMatch(rules: Rule[], line: string): string | null {
  for (const { pattern } of rules) {
    const text = pattern.exec(line)?.[1]?.trim();
    if (text) return text;
  }
  return null;
}

/** A panic puts its message on the next line, and so does what ends with a colon. */
const continued = (text: string, next: string | undefined) =>
  next && /:$/.test(text) && (text.length < 60 || text.startsWith('panicked')) ? `${text} ${next.trim()}` : text;

/** An assertion is told with its test, what any code may throw with the file it was thrown in. */
function tell({ kind, text, tests, lines, at }: Found & { lines: string[]; tests: string[] }): string | null {
  if (kind === 'assertion') return tests[0] ? `${tests[0]}: ${text}` : null;
  const isCommon = kind === 'exception' ? readRules().common.test(text) : /^(?:error\[E\d+\]|Type error)/.test(text);
  const file = isCommon ? fileNear(lines, at) : null;
  return file === null ? text : `${text} in ${file}`;
}

const FRAMES_READ = 12;
const FRAME =
  /^\s*(?:at .{0,160}?\(?(?:file:\/\/)?|File "|-->\s|from )?((?:[A-Za-z]:)?[^\s"'():]{1,200}\.[a-z]{1,5})(?:"?, line |:|\()\d+/i;
const FOREIGN = /node_modules|site-packages|dist-packages|\/lib\/python|^node:|\/rustc\/|\/gems\/|internal\/|^java\.|\/go\/src\//;

/** Of the project's own code: after the message, or, as Python tells it, before. */
function fileNear(lines: string[], at: number): string | null {
  const after = lines.slice(at + 1, at + 1 + FRAMES_READ);
  const before = lines.slice(Math.max(0, at - FRAMES_READ), at).reverse();
  const isPython = before.some((line) => /^\s*File "/.test(line));
  for (const line of isPython ? before : [...after, ...before]) {
    const file = FRAME.exec(line)?.[1];
    if (file && !FOREIGN.test(file)) return file.split(/[\\/]/).at(-1) ?? null;
  }
  return null;
}

function findSubject(lines: string[]): string | null {
  for (const { what, pattern } of readRules().subjects) {
    for (const line of lines) {
      const name = pattern.exec(line)?.slice(1).find(Boolean);
      // A relative path may be written from anywhere.
      const last = name && /^[./\\]|^[A-Za-z]:\\/.test(name) ? name.split(/[\\/]/).at(-1) : name;
      if (last) return `${what} ${last.toLowerCase()}`;
    }
  }
  return null;
}

/** Less than this says too little to be known again. */
const FEWEST_WORDS = 2;

/** Without what is different each time: one line in lower case; null when nothing is left that tells it from others. */
export function shapeOf(text: string): string | null {
  const { swaps, words } = readRules();
  const swapped = swaps.reduce((shape, { what, pattern }) => shape.replace(pattern, what.slice(1, -1)), text.slice(0, LINE_LENGTH));
  const shape = swapped.toLowerCase().replace(/\s+/g, ' ').trim();
  const own = new Set(shape.match(/[\p{L}_$][\p{L}\p{N}_$]{2,}/gu) ?? []).difference(words);
  return own.size >= FEWEST_WORDS ? shape : null;
}

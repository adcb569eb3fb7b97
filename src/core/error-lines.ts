// Which lines of a failed command tell what went wrong, and with what they are told together.
import { failingName } from './failing-test.ts';

/** So much of the beginning and of the end is read: what went wrong stands in one of them. */
const PART_READ = 24_000;
const LINES_READ = 1500;
const LINE_LENGTH = 300;
const LINES_TOLD = 3;
/** More tests at once have a cause of their own, and their names do not tell it. */
const FEW_TESTS = 3;

export function readErrorLines(error: string): string[] {
  const text =
    error.length <= PART_READ * 2 ? error : `${error.slice(0, PART_READ)}\n${error.slice(error.length - PART_READ)}`;
  return text
    .split('\n')
    .slice(0, LINES_READ)
    .map((line) =>
      line
        .slice(0, LINE_LENGTH * 2)
        .replace(ESCAPES, '')
        .replace(LOG_MARK, '')
        .slice(0, LINE_LENGTH)
        .trimEnd(),
    )
    .filter((line) => line.trim() !== '' && !/^Exit code \d+$/.test(line));
}

const ESCAPES = /\u001b\[[0-?]{0,40}[ -/]{0,8}[@-~]|\r/g;
/** "[12:01:33.120] ", "2026-01-02 10:00:00,123 - ", "web-1  | ", "[vite] ", "#12 0.345 ". */
const LOG_MARK =
  /^(?:\[?\d{4}-\d\d-\d\d[T ][\d:.,]{5,18}(?:Z|[+-]\d\d:?\d\d)?\]?[\s:|-]{1,5}|\[?\d{1,2}:\d\d:\d\d(?:[.,]\d{1,6})?(?: [AP]M)?\]?[\s:|-]{1,5}|[\w.-]{2,30}-\d{1,3} {1,4}\| |#\d{1,3} \d{1,5}\.\d{1,3} ){1,3}/;

/** Most telling first. */
export function findTellingLines(lines: string[]): string[] {
  const tests = [...new Set(lines.flatMap((line) => failingName(line) ?? []))].map(withoutCounts);
  const few = tests.length <= FEW_TESTS ? tests : [];
  const found = strongest(lines).map(({ at, text, kind }) => tell({ lines, at, text, kind, tests: few }));
  return [...found.filter((text) => text !== null).slice(0, few.length > 0 ? 2 : LINES_TOLD), ...few.map(named)];
}

const named = (test: string) => `failing test ${test}`;
const withoutCounts = (test: string) => test.replace(/\s*\(?\d+(?:\.\d+)? ?m?s\)?$/, '');

type Kind = 'compiler' | 'assertion' | 'exception' | 'tool' | 'system' | 'words';
type Found = { at: number; text: string; kind: Kind };

/** Of the strongest kind that is there: after a compiler's error, "could not build" tells nothing more. */
function strongest(lines: string[]): Found[] {
  for (const [kind, patterns] of KINDS) {
    const found = lines.flatMap((line, at): Found[] => {
      if (GENERIC.test(line)) return [];
      const text = firstMatch(patterns, line);
      return text === null ? [] : [{ at, text: continued(text, lines[at + 1]), kind }];
    });
    if (found.length > 0) return found.slice(0, LINES_TOLD * 2);
  }
  return [];
}

function firstMatch(patterns: RegExp[], line: string): string | null {
  for (const pattern of patterns) {
    const text = pattern.exec(line)?.[1]?.trim();
    if (text) return text;
  }
  return null;
}

/** A panic puts its message on the next line, and so does what ends with a colon. */
const continued = (text: string, next: string | undefined) =>
  next && /:$/.test(text) && (text.length < 60 || text.startsWith('panicked')) ? `${text} ${next.trim()}` : text;

/** An assertion is told with its test, what any code may throw with the file it was thrown in. */
function tell(found: Found & { lines: string[]; tests: string[] }): string | null {
  const { kind, text, tests } = found;
  if (kind === 'assertion') return tests[0] ? `${tests[0]}: ${text}` : null;
  const isCommon = kind === 'exception' ? COMMON_EXCEPTION.test(text) : /^(?:error\[E\d+\]|Type error)/.test(text);
  const file = isCommon ? fileNear(found.lines, found.at) : null;
  return file === null ? text : `${text} in ${file}`;
}

const COMMON_EXCEPTION =
  /\b(?:Type|Key|Attribute|Value|Index|Reference|Range|Name|Runtime|Unbound\w*|ZeroDivision|Argument|NoMethod)Error\b|\b(?:NullPointer|IllegalState|IllegalArgument|ClassCast|IndexOutOfBounds|NullReference|InvalidOperation|Argument\w*)Exception\b|\bpanic/;

const FRAMES_READ = 12;
const FRAME =
  /^\s*(?:at .{0,160}?\(?(?:file:\/\/)?|File "|-->\s|from )?((?:[A-Za-z]:)?[^\s"'():]{1,200}\.[a-z]{1,5})(?:"?, line |:|\()\d+/i;
const FOREIGN =
  /node_modules|site-packages|dist-packages|\/lib\/python|^node:|\/rustc\/|\/gems\/|internal\/|^java\.|\/go\/src\//;

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

/** What is printed whatever went wrong. */
const GENERIC =
  /^\s*(?:error:? )?(?:(?:script|command|task|recipe|target|process) .{0,80}(?:exited|failed|error)\b.{0,30}(?:code|status|error)? ?\d*\.?$|error Command failed|Command failed(?: with exit code)?[ :]\d*$|ELIFECYCLE|npm (?:ERR!|error)\s+(?:code (?:1|ELIFECYCLE)|Error: command failed|Lifecycle script|Exit status|A complete log|path |command |errno|syscall|in workspace|at location|Test failed|Failed at the)|make(?:\[\d+\])?: \*\*\*|error: (?:test failed|could not compile|aborting due to|build failed|process didn't)|Found \d+ errors?|\d+ errors? |Traceback \(|BUILD FAILED|FAILURE: Build|FAILED?$|Tests? failed\.?$|Process (?:completed|exited|finished)|Segmentation fault|Aborted|Killed|Terminated|Some tests failed|Error: Process completed|> Process|Execution failed for task|> Compilation (?:error|failed)|error Found \d+)/i;

const KINDS: [Kind, RegExp[]][] = [
  [
    'compiler',
    [
      /^\s*(\S{1,200}\.\w+[:(]\d+[,:]\d+\)?:?(?: -)? error (?:TS|CS|FS|BC)?\d*:? ?.+?)(?: \[\S{1,200}proj\])?$/,
      /^\s*(error(?:\[E\d+\]): .+)$/,
      /^\s*(Type error: .+)$/,
      /^\s*(\S{1,200}\.\w+:\d+(?::\d+)?: (?:fatal )?error: .+)$/,
      /^\[ERROR\] (\S{1,200}\.\w+:\[\d+,\d+\] .+)$/,
      /^e: (.+)$/,
      /^\s*(\.{0,2}\/?\S{1,200}\.go:\d+:\d+: .+)$/,
      /^(error: (?:cannot find|expected|mismatched|linking|unused|no such|failed to (?:resolve|select|parse|load)) .+)$/,
      /(undefined reference to .+)$/,
      /^\s*(\S{1,200}\.\w+:\d+:\d+: [A-Z]{1,5}\d{3,4} .+)$/,
      /^\s*(\S{1,200}\.py:\d+: error: .+)$/,
      /^\s*\d+:\d+\s+error\s+(.+)$/,
    ],
  ],
  [
    'exception',
    [
      /^E\s{2,}([A-Za-z_.]*(?:Error|Exception)\b: (?!expect|assert).+)$/,
      /^\s*thread '[^']*' (?:\(\d+\) )?(panicked at .+)$/,
      /^(panic: .+)$/,
      /^\s*(?:\[[\w-]{1,30}\] )?(?:Uncaught |Unhandled |Caused by: |✘ |⨯ |error: |Exception in thread "[^"]{1,60}" )?(?!Assertion|Error: (?:expect|assert))((?:[A-Za-z_][\w.$:]{0,120})?(?:Error|Exception)(?: \[[A-Z_]+\])?: (?!expect\(|assert).+)$/,
      /^((?:[a-z_]\w{0,40}\.){1,6}[A-Z]\w{2,60}: .+)$/,
      /^\s*\*\* (\((?!ExUnit)\w+Error\) .+)$/,
      /^PHP (?:Fatal|Parse) error:\s+(.+)$/,
      /^(?:==\d+==)?\s*(ERROR: AddressSanitizer: .+?)(?: on address.*)?$/,
      /^\s*Failure\/Error: (.+)$/,
    ],
  ],
  [
    'assertion',
    [
      /^E\s{2,}(assert .+|AssertionError.*)$/,
      /^\s*((?:AssertionError|AssertionFailedError|Error)(?: \[\w+\])?: .+)$/,
      /^\s*(?:error: )?(expect\(.+)$/,
      /^\s*(Expected\b.*:.+)$/,
      /^\s*(assertion .+failed.*)$/,
      /^\s*\w+_test\.go:\d+: (.+)$/,
    ],
  ],
  [
    'tool',
    [
      /^npm (?:ERR!|error) (?!code|errno|A complete log|path|syscall|\s*$)(.{8,})$/,
      /^(?:psql:\S+ )?(ERROR: .+)$/,
      /^(?:fatal|FATAL|ERROR|Error|error)[:\s]\s*(.{6,})$/,
      /^\s*│? ?(Error: .{6,})$/,
      /^\* What went wrong:$/,
      /^> (?!Task |Configure |Run )(.{12,})$/,
      /^remote: (?:error|fatal|ERROR): (.+)$/,
      /^ ! \[(?:remote )?rejected\]\s+(.+)$/,
    ],
  ],
  [
    'system',
    [
      /(.*\b(?:command not found|not found$|No such file or directory|Permission denied|Connection refused|ECONNREFUSED|EADDRINUSE|ENOSPC|EACCES|Cannot find module|does not exist|already in use|timed out|is not recognized as|heap out of memory|No space left|Too many open files)\b.*)/i,
    ],
  ],
  [
    'words',
    [
      /^\s*(.{0,120}\b(?:[Ff]ailed to|[Uu]nable to|[Cc]ould not|[Cc]annot|[Cc]an't|is invalid|is forbidden|exceeded|denied|unauthorized|rejected)\b.*)$/,
    ],
  ],
];

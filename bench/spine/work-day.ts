// Days of ordinary work as hook calls: sessions of several turns that read, search, edit, fail, repair, test and commit.
import { type BenchSession, createBenchSession, type HookCall, makeText } from './payloads.ts';

const TURNS = 5;

/** Whole sessions, one after the other over the projects, until there are at least so many calls. */
export function* workDays(folders: string[], atLeast: number): Generator<HookCall> {
  for (let number = 0, sent = 0; sent < atLeast; number++) {
    const session = workSession(folders[number % folders.length] ?? '/', number);
    yield* session;
    sent += session.length;
  }
}

/** One of them. */
export function workSession(folder: string, number: number, length = TURNS): HookCall[] {
  const session = createBenchSession(folder);
  const turns = Array.from({ length }, (_, turn) => playTurn(session, folder, number * length + turn));
  return [session.start(), ...turns.flat(), session.end()];
}

function playTurn(session: BenchSession, folder: string, number: number): HookCall[] {
  const file = `${folder}/src/price-${number % 40}.ts`;
  const source = makeText(2000 + ((number * 613) % 14_000), number);
  return [
    session.prompt(`The price of cart ${number} is wrong when the cache is cold. Find out why and fix it, with a test.`),
    session.tool('Grep', { pattern: `price${number}`, path: folder }, found(folder, number)),
    ...[0, 1, 2].map((part) => readFile(session, `${folder}/src/part-${(number + part) % 60}.ts`, source)),
    readFile(session, file, source),
    session.bash('git log --oneline -5', makeText(400, number)),
    edit(session, file, source, number),
    session.bashFails('bun test price', `Exit code 1\n${makeText(1500, number)}\n 11 pass\n 1 fail\nerror: expected 12, got ${number}`),
    edit(session, file, source, number + 1),
    session.bash('bun test price', `${makeText(1200, number)}\n 12 pass\n 0 fail`),
    session.tool('Write', { file_path: `${file}.md`, content: source }, written(`${file}.md`, source)),
    session.bash('cat build.log', makeText(8000 + ((number * 977) % 30_000), number)),
    session.bash(
      `git commit -am "Fill the cache before price ${number} is read"`,
      `[main ${1000000 + number}] Fill the cache\n 1 file changed`,
    ),
    session.stop(
      `Fixed: the price of cart ${number} was read before the cache was filled. I decided to fill it at start instead of waiting. All 12 tests pass and the change is committed. Next: do the same for the invoice.`,
    ),
  ];
}

const found = (folder: string, number: number) => ({
  mode: 'files_with_matches',
  numFiles: 12,
  filenames: Array.from({ length: 12 }, (_, at) => `${folder}/src/part-${(number + at) % 60}.ts`),
});

function readFile(session: BenchSession, path: string, content: string): HookCall {
  const numLines = content.split('\n').length;
  const file = { filePath: path, content, numLines, startLine: 1, totalLines: numLines };
  return session.tool('Read', { file_path: path }, { type: 'text', file });
}

function edit(session: BenchSession, path: string, originalFile: string, number: number): HookCall {
  const [oldString, newString] = [`const price = cache.${number}`, `const price = await fill(${number})`];
  const lines = [' export function readPrice() {', `-  ${oldString}`, `+  ${newString}`, ' }'];
  return session.tool(
    'Edit',
    { file_path: path, old_string: oldString, new_string: newString, replace_all: false },
    {
      filePath: path,
      oldString,
      newString,
      originalFile,
      structuredPatch: [{ oldStart: 10, oldLines: 3, newStart: 10, newLines: 3, lines }],
      userModified: false,
      replaceAll: false,
    },
  );
}

const written = (path: string, content: string) => ({
  type: 'create',
  filePath: path,
  content,
  structuredPatch: [],
  originalFile: null,
  userModified: false,
});

// File work of a long session: edits, new files, reads and searches, each with one thing in it that matters.
import type { Planted } from './commands.ts';
import { linesOf, type Random } from './random.ts';

const ROOT = '/home/dev/shop';

/** A change or a few, in a file that is sent along whole. */
export function edit(random: Random, size: number): Planted {
  const file = sourceFile(random);
  const isLong = random.chance(0.2);
  const hunks = Array.from({ length: isLong ? 1 : random.int(1, 4) }, (_, at) =>
    makeHunk(random, 20 + at * 60, isLong ? random.int(20, 40) : random.int(1, 6)),
  );
  const added = hunks.flatMap(({ lines }) => lines.filter((line) => line.startsWith('+')));
  const needle = random.pick(added).slice(1).trim();
  return patched({
    kind: isLong ? 'line of a long hunk' : 'changed line',
    file,
    hunks,
    original: codeLines(random, size - 600).join('\n'),
    needle,
  });
}

/** One call renamed in more than thirty places, and in the thirtieth something else as well. */
export function wideEdit(random: Random, size: number): Planted {
  const [from, to] = [random.name(), random.name()];
  const needle = `const ${random.mark()} = retries + ${random.int(10, 99)};`;
  const hunks = Array.from({ length: random.int(34, 45) }, (_, at) => {
    const around = () => Array.from({ length: 1 }, () => ` ${codeLine(random)}`);
    const call = `  const ${random.noun()} = ${from}(${random.noun()}, ${random.noun()});`;
    const changed = [`-${call}`, `+${call.replace(from, () => to)}`, ...(at === 29 ? [`+  ${needle}`] : [])];
    return hunk(10 + at * 30, [...around(), ...changed, ...around()]);
  });
  const used = JSON.stringify(hunks).length;
  const original = codeLines(random, Math.max(200, size - used)).join('\n');
  return patched({ kind: 'thirtieth hunk', file: sourceFile(random), hunks, original, needle });
}

/** A new file: code, or a document. */
export function write(random: Random, size: number): Planted {
  const isDocument = random.chance(0.3);
  const file = isDocument ? `${ROOT}/docs/${random.name()}.md` : sourceFile(random);
  const mark = random.mark();
  const needle = isDocument ? `## ${mark} and the ${random.noun()}` : `export function use${mark}(${random.noun()}: string): number {`;
  const lines = isDocument ? documentLines(random, size) : codeLines(random, size);
  const starts = lines.flatMap((line, at) => (/^(?:export )?function|^## /.test(line) ? [at] : []));
  const at = random.pick(starts.slice(Math.floor(starts.length / 4)));
  const block = isDocument ? [needle, ''] : [needle, '  return 1;', '}', ''];
  const content = [...lines.slice(0, at), ...block, ...lines.slice(at)].join('\n');
  const response = {
    type: 'create',
    filePath: file,
    content,
    structuredPatch: [],
    originalFile: null,
    userModified: false,
  };
  return { kind: 'new file', tool: 'Write', input: { file_path: file, content }, response, needle };
}

export function read(random: Random, size: number): Planted {
  const file = sourceFile(random);
  const lines = codeLines(random, size);
  const names = lines.flatMap((line) => /^(?:export )?function (\w+)/.exec(line)?.[1] ?? []);
  const needle = random.mark();
  const at = lines.findIndex((line) => line.includes(` ${random.pick(names)}(`));
  const content = [...lines.slice(0, at), `export function ${needle}(): void {`, '}', '', ...lines.slice(at)].join('\n');
  const numLines = content.split('\n').length;
  const shown = { filePath: file, content, numLines, startLine: 1, totalLines: numLines };
  return { kind: 'read', tool: 'Read', input: { file_path: file }, response: { type: 'text', file: shown }, needle };
}

export function grep(random: Random, size: number): Planted {
  const filenames = linesOf(size, () => `${ROOT}/src/${random.noun()}/${random.noun()}/${random.name()}.ts`);
  const needle = `src/${random.noun()}/${random.mark()}.ts`;
  filenames.splice(random.int(0, 3), 0, `${ROOT}/${needle}`);
  const input = { pattern: `${random.name()}\\(`, path: ROOT, output_mode: 'files_with_matches' };
  const response = { mode: 'files_with_matches', filenames, numFiles: filenames.length };
  return { kind: 'search', tool: 'Grep', input, response, needle };
}

/** A tool of an MCP server that answers in text blocks. */
export function mcp(random: Random, size: number): Planted {
  const needle = `next page: ${random.mark()}`;
  const issues = linesOf(size, (at) =>
    JSON.stringify({
      number: at + 1,
      title: `${random.name()} fails for ${random.noun()}`,
      state: 'open',
      labels: [random.noun()],
      body: random.name(),
    }),
  );
  const response = [{ type: 'text', text: [...issues, needle].join('\n') }];
  return {
    kind: 'last line',
    tool: 'mcp__tracker__list_issues',
    input: { project: 'shop', label: random.noun() },
    response,
    needle,
  };
}

type Hunk = { oldStart: number; oldLines: number; newStart: number; newLines: number; lines: string[] };

function makeHunk(random: Random, start: number, changes: number): Hunk {
  const around = () => Array.from({ length: 3 }, () => ` ${codeLine(random)}`);
  const removed = Array.from({ length: Math.ceil(changes / 2) }, () => `-${codeLine(random)}`);
  const added = Array.from(
    { length: changes },
    () => `+  const ${random.mark()} = ${random.name()}(${random.noun()}, ${random.int(2, 999)});`,
  );
  return hunk(start, [...around(), ...removed, ...added, ...around()]);
}

function hunk(start: number, lines: string[]): Hunk {
  const oldLines = lines.filter((line) => !line.startsWith('+')).length;
  const newLines = lines.filter((line) => !line.startsWith('-')).length;
  return { oldStart: start, oldLines, newStart: start, newLines, lines };
}

type Patched = { kind: string; file: string; hunks: Hunk[]; original: string; needle: string };

function patched({ kind, file, hunks, original, needle }: Patched): Planted {
  const strip = (sign: string) =>
    (hunks[0]?.lines ?? [])
      .filter((line) => !line.startsWith(sign))
      .map((line) => line.slice(1))
      .join('\n');
  const strings = { oldString: strip('+'), newString: strip('-') };
  const input = {
    file_path: file,
    old_string: strings.oldString,
    new_string: strings.newString,
    replace_all: hunks.length > 1,
  };
  const response = {
    filePath: file,
    ...strings,
    originalFile: original,
    structuredPatch: hunks,
    userModified: false,
    replaceAll: hunks.length > 1,
  };
  return { kind, tool: 'Edit', input, response, needle };
}

const sourceFile = (random: Random) => `${ROOT}/src/${random.noun()}/${random.name()}.ts`;

const codeLine = (random: Random) =>
  random.pick([
    `  const ${random.noun()} = ${random.name()}(${random.noun()});`,
    `  if (${random.noun()} === null) return ${random.name()}(${random.noun()});`,
    `  ${random.noun()}.push({ ${random.noun()}: ${random.int(0, 99)}, ${random.noun()}: '${random.noun()}' });`,
    `  for (const ${random.noun()} of ${random.noun()}s) total += ${random.noun()}.price;`,
  ]);

/** Functions of some twenty lines each, after a few imports. */
function codeLines(random: Random, size: number): string[] {
  const imports = Array.from({ length: 4 }, () => `import { ${random.name()} } from './${random.noun()}.ts';`);
  let left = 0;
  const body = linesOf(size - 200, () => {
    left -= 1;
    if (left === 1) return '}';
    if (left === 0) return '';
    if (left > 0) return codeLine(random);
    left = random.int(12, 30);
    return `${random.chance(0.5) ? 'export ' : ''}function ${random.name()}(${random.noun()}: string) {`;
  });
  return [...imports, '', ...body];
}

function documentLines(random: Random, size: number): string[] {
  return linesOf(size, (at) =>
    at % 9 === 0 ? `## ${random.name()}` : `The ${random.noun()} is kept by ${random.name()} until the ${random.noun()} closes.`,
  );
}

// Splits a shell line into its simple commands, with quotes, environment, redirections and wrappers taken off.

export type ShellCommand = {
  program: string;
  args: string[];
  /** Called by its path: the project's own program. */
  local: boolean;
  /** What joins it to the next command: `&&`, `||`, `|`, `;`, a line's end; empty for the last one. */
  joint: string;
  /** The subshells it stands in, outermost first: what `cd` does in one ends with it. */
  scopes: number[];
  /** Files that its output was written to. */
  writes: string[];
};

export function splitShell(line: string): ShellCommand[] {
  const commands: ShellCommand[] = [];
  for (const { words, joint, scopes } of splitWords(line.slice(0, 12_000)).slice(0, MOST_COMMANDS)) {
    const { words: rest, writes } = takeRedirections(words);
    const [program, ...args] = stripWrappers(rest);
    if (program) commands.push({ program: baseName(program), args, local: isLocal(program), joint, scopes, writes });
  }
  return commands;
}

/** More than any line that a person or an agent writes: whoever reads them compares each with others. */
const MOST_COMMANDS = 300;
/** Deeper than anybody nests them: each command has a list of its own. */
const MOST_SCOPES = 20;

type Words = { words: string[]; joint: string; scopes: number[] };

function splitWords(text: string): Words[] {
  const out: Words[] = [];
  let words: string[] = [];
  let word: string | null = null;
  let quote = '';
  let scopes: number[] = [];
  let opened = 0;
  let depth = 0;
  const endWord = () => {
    if (word !== null) words.push(word);
    word = null;
  };
  const endCommand = (joint: string) => {
    endWord();
    const last = out.at(-1);
    if (words.length > 0) out.push({ words, joint, scopes });
    // What stands after a bracket joins what is in it: `(make test) | tail`.
    else if (last && !['', '(', '{'].includes(joint) && /^[\n;)}]$/.test(last.joint)) last.joint = joint;
    words = [];
    if (joint === '(') depth++;
    if (joint === '(' && depth <= MOST_SCOPES) scopes = [...scopes, ++opened];
    if (joint === ')' && depth > 0 && --depth < MOST_SCOPES) scopes = scopes.slice(0, -1);
  };
  for (let at = 0; at < text.length; at++) {
    const char = text[at] ?? '';
    if (quote) {
      if (char === quote) quote = '';
      else word += char === '\\' && quote === '"' ? (text[++at] ?? '') : char;
    } else if (char === "'" || char === '"') {
      quote = char;
      word ??= '';
    } else if (char === '\\') {
      const next = text[++at] ?? '';
      if (next !== '\n') word = (word ?? '') + next;
    } else if (char === '<' && text[at + 1] === '<' && text[at + 2] !== '<') {
      at = skipHeredoc(text, at);
    } else if (char === '#' && word === null) {
      at = lineEnd(text, at) - 1;
    } else if (isSeparator(text, at)) {
      const double = text[at + 1] === char;
      endCommand(double && '&|'.includes(char) ? char + char : char);
      if (double && char !== '(' && char !== ')') at++;
    } else if (/\s/.test(char)) {
      endWord();
    } else {
      word = (word ?? '') + char;
    }
  }
  endCommand('');
  return out;
}

function isSeparator(text: string, at: number): boolean {
  const char = text[at] ?? '';
  if (char === '&') return text[at - 1] !== '>' && text[at + 1] !== '>';
  return (
    ';|\n(){}'.includes(char) &&
    !(char === '{' && text[at - 1] === '$') &&
    !(char === '}' && /[\w:/.-]/.test(text[at - 1] ?? ''))
  );
}

/** The rest of the line still counts; the body does not. Returns the index before the next character to read. */
function skipHeredoc(text: string, at: number): number {
  const found = /^<<-?\s*['"]?(\w{1,40})['"]?/.exec(text.slice(at, at + 60));
  if (!found?.[1]) return at + 1;
  const bodyStart = lineEnd(text, at);
  const close = text.indexOf(`\n${found[1]}`, bodyStart);
  const restOfLine = text.slice(at + found[0].length, bodyStart);
  // A redirection after the marker names the file that is written.
  if (restOfLine.includes('>')) return at + found[0].length - 1;
  return close < 0 ? text.length : close + found[1].length;
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end;
}

function takeRedirections(words: string[]): { words: string[]; writes: string[] } {
  const kept: string[] = [];
  const writes: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    const found = /^(\d|&)?(>>?|<)(.*)$/.exec(word);
    if (!found) {
      kept.push(word);
      continue;
    }
    const target = found[3] || (words[++at] ?? '');
    if (found[2] !== '<' && found[1] !== '2' && /^[^&]/.test(target) && !target.startsWith('/dev/'))
      writes.push(target);
  }
  return { words: kept, writes };
}

const ONE_WORD_WRAPPERS = new Set(
  'sudo env time nice nohup command exec npx bunx pnpx cross-env xvfb-run valgrind gdb strace ltrace winpty then do else !'.split(
    ' ',
  ),
);
const TWO_WORD_WRAPPERS = new Set([
  'pnpm exec',
  'pnpm dlx',
  'yarn dlx',
  'npm exec',
  'bun x',
  'uv run',
  'poetry run',
  'pipenv run',
  'bundle exec',
  'hatch run',
  'pdm run',
  'rye run',
]);

function stripWrappers(words: string[]): string[] {
  let rest = words;
  for (let guard = 0; guard < 12 && rest.length > 0; guard++) {
    const [first = '', second = ''] = rest;
    if (/^[A-Za-z_]\w*=/.test(first)) rest = rest.slice(1);
    else if (ONE_WORD_WRAPPERS.has(first)) rest = skipFlags(rest.slice(1));
    else if (first === 'timeout') rest = skipFlags(rest.slice(1)).slice(1);
    else if (TWO_WORD_WRAPPERS.has(`${first} ${second}`)) rest = skipFlags(rest.slice(2));
    else if (/^docker(-compose)?$/.test(first) && rest.slice(1, 3).includes('exec')) rest = afterContainer(rest);
    else if (/^python[\d.]*$/.test(baseName(first)) && second === '-m') rest = rest.slice(2);
    else return rest;
  }
  return rest;
}

function skipFlags(words: string[]): string[] {
  const start = words.findIndex((word) => !word.startsWith('-'));
  return start < 0 ? [] : words.slice(start);
}

function afterContainer(words: string[]): string[] {
  return skipFlags(words.slice(words.indexOf('exec') + 1)).slice(1);
}

function isLocal(program: string): boolean {
  return program.includes('/') && !/^\/(?:usr|bin|opt|sbin)\/|node_modules|\.?venv\//.test(program);
}

function baseName(program: string): string {
  return program.split('/').at(-1) ?? program;
}

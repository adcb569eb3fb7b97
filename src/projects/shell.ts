// Splits a shell line into its simple commands, with quotes, environment, redirections and wrappers taken off.

export type ShellCommand = {
  program: string;
  args: string[];
  /** The subshells it stands in, outermost first: what `cd` does in one ends with it. */
  scopes: number[];
  /** Files that its output was written to. */
  writes: string[];
};

const LONGEST = 12_000;
/** More than any line that a person or an agent writes: whoever reads them compares each with others. */
const MOST_COMMANDS = 300;
/** Deeper than anybody nests them: each command has a list of its own. */
const MOST_SCOPES = 20;

export function splitShell(line: string): ShellCommand[] {
  return splitWords(line.slice(0, LONGEST))
    .slice(0, MOST_COMMANDS)
    .flatMap(({ words, scopes }) => {
      const { words: rest, writes } = takeRedirections(words);
      const [program, ...args] = stripWrappers(rest);
      return program ? [{ program: program.split('/').at(-1) ?? program, args, scopes, writes }] : [];
    });
}

type Words = { words: string[]; scopes: number[] };

function splitWords(text: string): Words[] {
  const out: Words[] = [];
  let words: string[] = [];
  let word: string | null = null;
  let quote = '';
  let scopes: number[] = [];
  let [opened, depth] = [0, 0];
  const endWord = () => {
    if (word !== null) words.push(word);
    word = null;
  };
  const endCommand = (joint: string) => {
    endWord();
    if (words.length > 0) out.push({ words, scopes });
    words = [];
    if (joint === '(' && ++depth <= MOST_SCOPES) scopes = [...scopes, ++opened];
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
    } else if (char === '<' && text[at + 1] === '<' && text[at + 2] !== '<') at = skipHeredoc(text, at);
    else if (char === '#' && word === null) at = lineEnd(text, at) - 1;
    else if (isSeparator(text, at)) endCommand(char);
    else if (/\s/.test(char)) endWord();
    else word = (word ?? '') + char;
  }
  endCommand('');
  return out;
}

function isSeparator(text: string, at: number): boolean {
  const char = text[at] ?? '';
  if (char === '&') return text[at - 1] !== '>' && text[at + 1] !== '>';
  return ';|\n(){}'.includes(char) && !(char === '{' && text[at - 1] === '$') && !(char === '}' && /[\w:/.-]/.test(text[at - 1] ?? ''));
}

/** The rest of the line still counts; the body does not. Returns the index before the next character to read. */
function skipHeredoc(text: string, at: number): number {
  const found = /^<<-?\s*['"]?(\w{1,40})['"]?/.exec(text.slice(at, at + 60));
  if (!found?.[1]) return at + 1;
  const bodyStart = lineEnd(text, at);
  const close = text.indexOf(`\n${found[1]}`, bodyStart);
  // A redirection after the marker names the file that is written.
  if (text.slice(at + found[0].length, bodyStart).includes('>')) return at + found[0].length - 1;
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
    if (found[2] !== '<' && found[1] !== '2' && /^[^&]/.test(target) && !target.startsWith('/dev/')) writes.push(target);
  }
  return { words: kept, writes };
}

const WRAPPERS = new Set('sudo env time timeout nice nohup command exec then do else !'.split(' '));

/** `FOO=1 sudo -E timeout 30 git …` */
function stripWrappers(words: string[]): string[] {
  const start = words.findIndex((word) => !/^[A-Za-z_]\w*=/.test(word));
  const rest = start < 0 ? [] : words.slice(start);
  if (!WRAPPERS.has(rest[0] ?? '')) return rest;
  const inner = rest.slice(1).findIndex((word) => !/^(?:-.*|\d+[smhd]?)$/.test(word));
  return inner < 0 ? [] : stripWrappers(rest.slice(inner + 1));
}

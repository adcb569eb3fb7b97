// Rules that look at one file alone: its name, its size, its first line, and what only a few places may touch.
import { lineAt, type SourceFile, type Violation } from './source-file.ts';

const MAX_LINES = 400;
export const MAX_COLUMNS = 140;
const KEBAB_CASE = /^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+)*$/;
const EMPTY_WORDS = /(^|[-.])(managers?|helpers?|services?|utils?)([-.]|$)/;

type Reserved = { pattern: RegExp; isAllowedIn: (path: string) => boolean; why: string };

const RESERVED: Reserved[] = [
  {
    pattern: /\b(?:process|Bun|import\.meta)\s*\.\s*env\b|\bprocess\s*\[|\}\s*=\s*process\b(?!\s*\.)/g,
    isAllowedIn: (path) => ['src/config.ts', 'src/environment.ts', 'src/paths.ts'].includes(path),
    why: 'reads the environment; only src/config.ts, src/environment.ts and src/paths.ts do',
  },
  {
    pattern: /\bconsole\s*[.[]|\bprocess\s*\.\s*(?:stdout|stderr)\b|\bBun\s*\.\s*(?:stdout|stderr)\b/g,
    isAllowedIn: (path) => /^src\/(cli|hook)\//.test(path),
    why: 'prints; only src/cli/ and the hook do, others return or log',
  },
  {
    pattern: /\bprocess\s*\.\s*(?:exit|exitCode|abort|reallyExit)\b/g,
    isAllowedIn: (path) => /^src\/(cli|hook)\//.test(path),
    why: 'ends the process; only src/cli/ and the hook do, others return or throw',
  },
  {
    pattern:
      /\b(?:innerHTML|outerHTML|insertAdjacentHTML|dangerouslySetInnerHTML|createContextualFragment|srcdoc|DOMParser)\b|\bdocument\s*\.\s*write/g,
    isAllowedIn: (path) => !path.startsWith('viewer/'),
    why: 'makes elements of a text; stored text is only ever shown as text',
  },
];

export function checkFile(file: SourceFile): Violation[] {
  return [
    ...checkName(file.path),
    ...checkSize(file),
    ...checkWidth(file),
    ...checkOpening(file),
    ...checkReserved(file),
    ...checkLimits(file),
    ...checkWordLists(file),
  ];
}

/** Also for files that are not TypeScript. */
export function checkName(path: string): Violation[] {
  return path.split('/').flatMap((name) => {
    if (!KEBAB_CASE.test(name)) return [{ file: path, line: 1, text: `"${name}" is not kebab-case` }];
    if (!EMPTY_WORDS.test(name)) return [];
    return [{ file: path, line: 1, text: `"${name}" says nothing; name it for the one thing it is about` }];
  });
}

function checkSize({ path, text }: SourceFile): Violation[] {
  const lines = text.replace(/\n$/, '').split('\n').length;
  if (lines <= MAX_LINES) return [];
  return [{ file: path, line: MAX_LINES + 1, text: `has ${lines} lines, more than ${MAX_LINES}; split it` }];
}

function checkWidth({ path, text }: SourceFile): Violation[] {
  return text.split('\n').flatMap(({ length }, index) => {
    if (length <= MAX_COLUMNS) return [];
    return [{ file: path, line: index + 1, text: `has ${length} characters, more than ${MAX_COLUMNS}; break it` }];
  });
}

function checkOpening({ path, text }: SourceFile): Violation[] {
  if (/^\/\/ \S/.test(text)) return [];
  return [{ file: path, line: 1, text: 'does not open with a // line saying what it is for' }];
}

const MAX_WORDS = 25;
/** In an expression or an array, over several lines, too. */
const WORD_LIST = new RegExp(
  `(?:\\w{2,}(?:['\`]\\s*\\+\\s*['\`])?\\|(?:['\`]\\s*\\+\\s*['\`])?){${MAX_WORDS},}|(?:(['"\`])[\\p{L} -]+\\1,\\s*){${MAX_WORDS + 1},}`,
  'gu',
);

/** What is looked for in texts is data, per language. What the name of a key may end in is a form. */
function checkWordLists({ path, text }: SourceFile): Violation[] {
  if (path === 'src/secrets/name.ts') return [];
  return [...text.matchAll(WORD_LIST)].map(({ index }) => ({
    file: path,
    line: lineAt(text, index),
    text: `lists more than ${MAX_WORDS} words; put them into a data file`,
  }));
}

/** SQLite plans a statement anew at each call when it can read its LIMIT from a parameter, which costs up to fifty times what it does. */
function checkLimits({ path, text }: SourceFile): Violation[] {
  return [...text.matchAll(/\bLIMIT (?:\?\d*|\$[a-z]\w*)(?! \+ 0)(?=\W)/gi)].map((match) => ({
    file: path,
    line: lineAt(text, match.index),
    text: `\`${match[0]}\` is planned anew at each call; write \`${match[0]} + 0\``,
  }));
}

function checkReserved({ path, text, code, imports }: SourceFile): Violation[] {
  const uses = RESERVED.filter(({ isAllowedIn }) => !isAllowedIn(path)).flatMap(({ pattern, why }) =>
    [...code.matchAll(pattern)].map((match) => ({
      file: path,
      line: lineAt(text, match.index),
      text: `\`${match[0]}\` ${why}`,
    })),
  );
  const hidden = imports.filter(({ specifier }) => /^(node:)?process$/.test(specifier));
  return [...uses, ...hidden.map(({ line }) => ({ file: path, line, text: 'imports node:process; use the global, which is checked' }))];
}

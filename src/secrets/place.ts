// Finds the value that belongs to a name: what stands between the two, in every way of writing that puts one beside the other.
import type { Language, NamedSecret } from './name.ts';
import { readTable, wordPattern } from './table.ts';
import wayTable from './tables/places.txt' with { type: 'text' };
import { isRandom } from './value.ts';

/** How the value is written there: tables/places.txt tells what each means. */
export type Place = { how: string; start: number };

export function createPlaceFinder(languages: readonly Language[]): (at: At) => Place | null {
  const ways = readWays(languages);
  return (at) => {
    for (const { how, between, isFit } of ways) {
      between.lastIndex = at.name.end;
      if (!between.test(at.text)) continue;
      const start = between.lastIndex;
      if (isFit({ ...at, start })) return { how, start };
    }
    return null;
  };
}

type Way = { how: string; between: RegExp; isFit: (at: At) => boolean };

/** Made when the first name is found, not when a worker starts. */
function readWays(languages: readonly Language[]): Way[] {
  const verbs = [...new Set(languages.flatMap((language) => language.verbs))];
  const isWord = (verb: string): boolean =>
    /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Devanagari}' —]+$/u.test(verb);
  const parts: Record<string, string> = {
    BREAK: String.raw`(?:\s|\\[nrt])`,
    BELOW: String.raw`[ \t]{0,4}\r?\n(?:\r?\n)?(?:\x60{3}\w{0,10}\r?\n)?[ \t>]{0,8}(?=[^\s()[\]{};=<>]{6,200}[ \t]{0,8}(?:\r?\n|$))`,
    FEW: '(?:[ \\t]{1,2}\\(?[^\\s:=,;"\'`<>|{}]{1,30})',
    IS: verbs.filter(isWord).join('|'),
    JOINED: verbs.filter((verb) => !isWord(verb) && verb !== '=').join('|'),
  };
  return readTable(wayTable).map(([how = '', fits = '', flags = '', between = '']) => ({
    how,
    between: new RegExp(
      between.replace(/\{([A-Z]{2,})\}/g, (_, name: string) => parts[name] ?? ''),
      flags === '-' ? 'y' : `${flags}y`,
    ),
    isFit: FITS[fits] ?? (() => true),
  }));
}

export type Name = {
  start: number;
  end: number;
  /** -name, --name. */
  isOption: boolean;
  /** Of several words, or of a script that is written without blanks. */
  isWritten: boolean;
};

type At = { text: string; name: Name; named: NamedSecret; start: number };

/** What a way of writing asks of the name, and of what stands around the two. */
const FITS: Record<string, (at: At) => boolean> = {
  account: (at) => isAfter(at, ACCOUNT),
  broken: ({ text, name, start }) => text.slice(name.end, start).includes('\n'),
  directive: isDirective,
  element: isElement,
  'first-argument': isFirstArgument,
  form: ({ text, name }) => /form-data;[^\n]{0,40} name=["']$/i.test(text.slice(Math.max(0, name.start - 60), name.start)),
  given: ({ text, named, start }) => named.by === 'human' || /^.?["'`][\w+/=.~:-]{20,}["'`]\s?\)/.test(text.slice(start, start + 300)),
  'handed-over': isHandedOver,
  human: ({ named }) => named.by === 'human',
  'line-start': isLineStart,
  'named-for': ({ text, named, start }) => named.by === 'human' && isMade(text, start),
  netrc: (at) => isAfter(at, NETRC),
  'no-code': isNoCode,
  option: ({ name }) => name.isOption,
  set: isSet,
  sign: isSign,
  // In quotes, or with a digit in it: else it is a word of the sentence.
  spoken: ({ named, text, start }) =>
    (named.by !== 'word' || isMade(text, start)) && /^(?:\\{0,3}["'`\u201c\u300c\u00ab*]|\S{0,64}\d)/.test(text.slice(start, start + 70)),
  written: ({ name, named }) => named.by === 'human' || (name.isWritten && named.by === 'machine'),
};

const QUOTE = /["'`\\\u2018\u201c\u00ab\u300c]/;

// "Mot de passe : …" as the French write it; in code a blank before the colon is `a ? password : other`.
function isSign({ text, name, start }: At): boolean {
  if (text.charAt(name.end) !== ' ' && text.charAt(name.end) !== '\t') return true;
  if (isLineStart({ text, name }) && /^[^\s()]{4,128}[ \t]{0,4}(?:\r?\n|$)/.test(text.slice(start, start + 140))) return true;
  return name.isWritten || QUOTE.test(text.charAt(start)) || !/^[ \t]{1,4}:/.test(text.slice(name.end, start));
}

// Not the C<passwd> of a manual page nor the <password> of a pattern to fill in.
function isElement({ text, name, start }: At): boolean {
  const before = text.slice(Math.max(0, name.start - 24), name.start);
  if (!/(?:(?:^|[^\w])<(?:\w{1,12}:)?|(?:name|key|id)=\\?["'])$/i.test(before)) return false;
  const end = text.slice(start, start + 1024).search(/[<\n]/);
  return end > 0 && text.charAt(start + end) === '<';
}

// if not password:, def check_password(x):
function isNoCode({ text, name }: At): boolean {
  return !/(?:^|\n)[ \t]*(?:if|elif|else|while|for|with|def|case|except|class)\b[^\n]*$/.test(
    text.slice(Math.max(0, name.start - 120), name.start),
  );
}

function isLineStart({ text, name }: Pick<At, 'text' | 'name'>): boolean {
  return /(?:^|\n)[ \t|│┃*>]{0,24}$/.test(text.slice(Math.max(0, name.start - 26), name.start));
}

function isFirstArgument({ text, name, named }: At): boolean {
  return (
    named.by === 'human' &&
    /\(\s{0,20}(?:[a-z]\w{0,20},\s?)?[brufN]?\\{0,3}["'`](?:[#.]|\[?(?:name|id)=['"]?|input\[\w{1,8}=['"]?)?$/.test(
      text.slice(Math.max(0, name.start - 48), name.start),
    )
  );
}

const setters = wordPattern('setter');
const configured = wordPattern('configured');

/** Words before a command: `Error: `, `Note 3: `, `Changed it. `, `then run `. */
const LABEL = /^.*(?:[:.!] |\b(?:run|ran|try|then|with|by) )(?=[A-Za-z$])/;

/** The command that the name stands in sets it to what follows. */
function isSet({ text, name }: At): boolean {
  const words = text
    .slice(startOfCommand(text, name.start), startOfWord(text, name.start))
    .replace(/^.*\\n/, '')
    .replace(/[ \t]+/g, ' ')
    .replace(LABEL, '')
    .replace(/^ ?(?:RUN |sudo |[$>#] )*/, '')
    .replace(/ ?["']?$/, '');
  return words.length > 1 && (setters().test(words) || configured().test(words));
}

// Both looked for by hand: a pattern that ends in $ is tried at every place before the end.
function startOfCommand(text: string, end: number): number {
  let start = end;
  while (start > 0 && end - start < 120 && !'\n;&|(`'.includes(text.charAt(start - 1))) start--;
  return start;
}

function startOfWord(text: string, end: number): number {
  let start = end;
  while (start > 0 && end - start < 120 && /[\w./:-]/.test(text.charAt(start - 1))) start--;
  return start;
}

/** A name of one word that is no word of a language, at the start of a line. */
function isDirective({ text, name }: At): boolean {
  if (!/^(?:[a-z]{2,12}(?:pass|pwd?|auth)|[a-z]+(?:[._-][a-z]+)+)$/i.test(text.slice(name.start, name.end))) return false;
  return /(?:^|\n)[ \t]{0,16}$/.test(text.slice(Math.max(0, name.start - 18), name.start));
}

const NETRC = /\blogin\s{1,20}[\w@.+-]{1,100}\s{1,20}$/;
const ACCOUNT =
  /\b(?:login|user(?:name)?|account|benutzer|usuario|utilisateur)[\s:=]{1,4}[\w@.+"'-]{1,99}[,;]?\s{1,4}(?:(?:and|with|und|mit|et|y)\s)?$/i;

function isAfter({ text, name, named }: At, lead: RegExp): boolean {
  return named.by !== 'machine' && lead.test(text.slice(Math.max(0, name.start - 160), name.start));
}

const handed = wordPattern('handed');

/** `use token …`: only what looks as if a generator had made it. */
function isHandedOver({ text, name, start }: At): boolean {
  return isMade(text, start) && handed().test(text.slice(Math.max(0, name.start - 48), name.start));
}

function isMade(text: string, start: number): boolean {
  const word = /^[^\s()<>{}=/"'`]{8,64}(?=\s|$)/.exec(text.slice(start, start + 66))?.[0].replace(/[.,;:!?]+$/, '') ?? '';
  return /[a-z]/.test(word) && /[A-Z]/.test(word) && isRandom(word);
}

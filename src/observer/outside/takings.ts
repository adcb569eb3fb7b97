// Whether a text takes from outside what could be acted on: a command, an address, a setting, or a line word for word.
import type { ReadWords } from './words.ts';

/** The texts of a turn, by whose they are. */
export type Heard = {
  /** The user's words and what tools really did, as far as the model was shown it: a whole long file would bear out anything. */
  inside: string[];
  /** What the agent and its subagents say, to MCP tools too: it may repeat what was read outside. */
  told: string[];
  /** All that came from outside, in earlier turns too: the agent may have said it again since. */
  outside: string[];
  /** What of it came in this turn. The model was not shown it, and the agent may have told it. */
  outsideNow: string[];
};

export type Takings = {
  /** Holds something to run, visit or set that was not used here. */
  hasOrder: (text: string) => boolean;
  /** Holds a row of words that stand so only outside. */
  hasQuote: (text: string) => boolean;
};

/** `isOpen`: the model was shown something from outside, so that even what stands nowhere may come from there. */
export function createTakings(heard: Heard, readWords: ReadWords, isOpen: boolean): Takings {
  const inside = flatten(heard.inside.join('\n'));
  const outside = flatten(heard.outside.join('\n'));
  const rowsInside = new Set(heard.inside.flatMap((text) => rowsOf(text, readWords)));
  const rowsOutside = new Set(heard.outside.flatMap((text) => rowsOf(text, readWords)));
  const isTaken = (found: string) => !inside.includes(found) && outside.includes(found);
  const isUnused = (found: string) => (isOpen ? !inside.includes(found) : isTaken(found));
  return {
    hasOrder: (text) => find(ORDERS, text).some(isUnused) || find(NAMES, text).some(isTaken),
    hasQuote: (text) => rowsOf(text, readWords).some((row) => rowsOutside.has(row) && !rowsInside.has(row)),
  };
}

/** Of flattened text. */
const ORDERS = [
  // An address.
  /[a-z][a-z0-9+.-]{0,20}:\/\/[^\s<>"'`]{1,500}/g,
  // An option, a variable with its value.
  /(?<![\p{L}\p{N}_-])--?[a-z][a-z0-9_-]{0,60}/gu,
  /(?<![\p{L}\p{N}_-])[a-z_][a-z0-9_]{1,60}=[^\s,;]{1,100}/gu,
  // What is fed to a shell.
  /[^\s|]{1,200} ?\| ?(?:sudo )?(?:ba|da|z|k)?sh\b/g,
  // A program with what it is given.
  /\b(?:curl|wget|npx|bunx|pipx|uvx|sudo|chmod|chown|iwr|iex|ssh|scp) [^\s,;]{1,200}/g,
  /\b(?:npm|pnpm|yarn|bun|deno|pip3?|uv|cargo|gem|brew|apt|apt-get|dnf|yum|apk|go|docker|git) (?:install|i|add|get|exec|dlx|x|pull|run|create|clone|push|config) [^\s,;]{1,200}/g,
  /\b(?:bash|sh|zsh|python3?|node|perl|ruby|source|eval) [^\s,;]{0,100}[./$][^\s,;]{0,100}/g,
];

const NAMES = [
  // A host or a script. What ends like a source file may be any project's.
  /(?<![\p{L}\p{N}_.@-])(?:[a-z0-9-]{1,60}\.){1,8}(?!(?:[cm]?[jt]sx?|json|mdx?|py|rb|go|rs|java|kt|cpp|cs|php|sql|ya?ml|toml|xml|s?css|html?|svelte|vue|lock|txt|csv|log|net)\b)[a-z]{2,20}\b/gu,
  // A scoped package.
  /(?<![\p{L}\p{N}_.-])@[a-z0-9-]{1,60}\/[a-z0-9._-]{1,60}/gu,
];

function find(patterns: RegExp[], text: string): string[] {
  const flat = flatten(text);
  return patterns.flatMap((pattern) => flat.match(pattern) ?? []).map((found) => found.replace(/[.,;:!?)\]'"`]+$/, ''));
}

const flatten = (text: string): string => text.replace(/\s+/g, ' ').toLowerCase();

/** Shorter rows are names and turns of speech. */
const ROW = 5;

function rowsOf(text: string, readWords: ReadWords): string[] {
  const words = readWords(text).map(({ whole }) => whole);
  return words.slice(ROW - 1).map((_, at) => words.slice(at, at + ROW).join(' '));
}

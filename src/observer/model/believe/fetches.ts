// Whether a command line brings in what others wrote, from the network. A best effort: a script may do so unseen.

/** `first`: that is what it is for. `later`: it does so besides. */
export type Fetching = 'first' | 'later' | null;

export function readFetching(command: string): Fetching {
  const line = command.slice(0, LONGEST);
  const parts = line
    .split(/&&|\|\||[;|&\n`]|\$\(|<\(/)
    .map((part) => part.trim().replace(BEFORE, ''))
    .filter((part) => part !== '' && !BESIDES.test(part));
  const at = parts.findIndex(isFetch);
  if (at < 0 && parts.some((part) => CLONE.test(part))) return 'later';
  if (at < 0) return SCRIPT.test(line) && !isFromHere(line) ? 'later' : null;
  return at === 0 ? 'first' : 'later';
}

const LONGEST = 20_000;
/** What may stand before the name of a program. */
const BEFORE =
  /^(?:(?:\w+=\S*|sudo|time|command|env|nohup|timeout +\S+|(?:ba|z)?sh +-l?c) +|["'({]+ *)*(?:[\w.~/-]*\/)?/;
const BESIDES = /^(?:cd|export|set|echo|printf|sleep|true|mkdir|source)(?=\s|$)/;

const PROGRAM = /^(?:curl|wget|https?|xh|lynx|w3m|e?links|iwr|irm|invoke-webrequest|invoke-restmethod)(?:\.exe)?\s/i;
/** Tickets and their discussions, and what strangers say of their packages. */
const SERVICE =
  /^(?:(?:gh|glab)(?: +-\S+(?: +[^-\s]\S*)?)* +(?:api\b|search\b|(?:issue|pr|mr|gist|release|repo|discussion)s? +(?:view|list|diff|status|search|note)\b)|(?:npm|pnpm|yarn|bun pm) +(?:view|info|show)\b)/;
/** What it is for are the files; what it shows of them is theirs. */
const CLONE =
  /^(?:git(?: +-\S+(?: +[^-\s]\S*)?)* +(?:clone|archive +--remote|submodule +(?:add|update))\b|(?:gh|glab) +repo +clone\b|(?:npx +|bunx +)?(?:degit|giget)\b)/;
const SCRIPT =
  /\b(?:python[\d.]*|node|bun|deno|ruby|perl) (?:-\w+ )?(?:-c|-e|--eval|eval|-|-p)\s[\s\S]{0,2000}?\bhttps?:\/\//;

function isFetch(part: string): boolean {
  if (SERVICE.test(part)) return true;
  return PROGRAM.test(part) && !isFromHere(part);
}

const HERE = String.raw`(?:localhost|127(?:\.\d{1,3}){3}|0\.0\.0\.0|\[::1?\]|[\w-]{1,60}\.localhost)(?=[:/\s"']|$)`;
const NAMES_HERE = new RegExp(String.raw`(?:[\s"']|:\/\/)${HERE}`, 'i');
const NAMES_OTHER = new RegExp(String.raw`\bhttps?:\/\/(?!${HERE})`, 'i');

/** The program under work is asked all the time. */
const isFromHere = (part: string) => NAMES_HERE.test(part) && !NAMES_OTHER.test(part);

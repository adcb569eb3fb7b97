// Whether a command line brings in what others wrote: from the network, a ticket, a package, a remote branch. A best
// effort: a script may do so unseen.
import { lazily } from '../secrets/span.ts';
import { readTable } from '../secrets/table.ts';
import table from './fetch.txt' with { type: 'text' };

/** `first`: that is what it is for. `later`: it does so besides. */
type Fetching = 'first' | 'later' | null;

export const isFetch = (command: string): boolean => readFetching(command) !== null;

export function readFetching(command: string): Fetching {
  // Longer than anybody reads: in doubt it does.
  if (command.length > LONGEST) return 'later';
  const isFed = FED_TO_SHELL.test(command);
  const parts = splitParts(command)
    .map((part) => part.trim().replace(BEFORE, ''))
    .filter((part) => part !== '' && (isFed || !isNamed('text', part)));
  const at = parts.findIndex(bringsWords);
  if (at === 0 && !isNamed('files', parts[0] ?? '')) return 'first';
  return at >= 0 || OPENS_SOCKET.test(command) || DOWNLOADED.test(command) ? 'later' : null;
}

const LONGEST = 200_000;
/** Words that a shell then runs are no mere words. */
const FED_TO_SHELL = /\|\s{0,20}(?:sudo )?(?:[\w.~/-]{0,80}\/)?(?:(?:ba|z|da|k)?sh|python[\d.]*|node|perl|ruby)\b/;
const OPENS_SOCKET = /\/dev\/(?:tcp|udp)\//;
/** What a browser or a messenger laid down. */
const DOWNLOADED = /(?:~|\$HOME|\$\{HOME\}|\/home\/[\w.-]{1,60}|\/Users\/[\w.-]{1,60})\/Downloads\//;
/** What may stand before the name of a program. */
const BEFORE = new RegExp(
  String.raw`^(?:(?:\w+=\S*|sudo|time|command(?! +-v)|env|nohup|nice|exec|then|do|else|!|xargs(?: +-\S+)*` +
    String.raw`|timeout +\S+) +|[\\"'({]+ *)*(?:[\w.~/-]*\/)?`,
);

function bringsWords(part: string): boolean {
  if (isNamed('files', part)) return true;
  if (NAMES_OTHER.test(part)) return true;
  const { anywhere, anyProgram } = readPatterns();
  const isAsked = anywhere.test(part) || isNamed('program', part) || (isNamed('runs', part) && anyProgram.test(part));
  // The program under work is asked all the time.
  return isAsked && !NAMES_HERE.test(part);
}

type How = 'anywhere' | 'program' | 'files' | 'runs' | 'text';

// Compiled at first use: a worker that starts has hooks that wait.
const readPatterns = lazily(() => {
  const rows = readTable(table).map(([how = '', programs = '', behind = '']) => ({ how, names: programs.split(' '), behind }));
  const namesOf = (...hows: How[]): string =>
    rows
      .filter(({ how, behind }) => hows.some((one) => one === how) && behind === '')
      .flatMap(({ names }) => names)
      .map((name) => name.replaceAll('.', '\\.'))
      .join('|');
  const starts = [...Map.groupBy(rows, ({ how }) => how)].map(([how, same]): [string, RegExp] => {
    const forms = same.map(({ names, behind }) => {
      const name = `(?:${names.join('|')})(?:\\.exe)?(?=[\\s"'>|;)]|$)`;
      return behind === '' ? name : `${name}${OPTIONS} +(?:${behind})`;
    });
    return [how, new RegExp(`^(?:${forms.join('|')})`, 'i')];
  });
  return {
    anywhere: asWord(namesOf('anywhere')),
    anyProgram: asWord(namesOf('anywhere', 'program')),
    starts: new Map(starts),
  };
});

const OPTIONS = '(?: +-\\S+(?: +[^-\\s]\\S*)?)*';

/** A whole word, also in quotes, by its path or as the value of a variable. */
const asWord = (names: string) => new RegExp(`(?<![\\w.@-])(?:${names})(?:\\.exe)?(?=[\\s"'\`;|&)]|$)`, 'i');

const isNamed = (how: How, part: string): boolean => readPatterns().starts.get(how)?.test(part) ?? false;

const HERE = String.raw`(?:localhost|127(?:\.\d{1,3}){3}|0\.0\.0\.0|\[::1?\]|[\w-]{1,60}\.localhost)(?=[:/\s"']|$)`;
const NAMES_HERE = new RegExp(String.raw`(?:[\s"'@]|:\/\/)${HERE}`, 'i');
/** An address of anything but a file or this machine: with a host. */
const NAMES_OTHER = new RegExp(
  String.raw`(?<![a-z0-9+.-])(?!file:|unix:|sqlite:)[a-z][a-z0-9+.-]{0,30}:\/\/(?!(?:[^\s/@"']{1,200}@)?${HERE})[\w[$%{<]`,
  'i',
);

/** At what joins commands, outside of quotes; what is put in place of a `$(…)` or comes by a here-document is a part or belongs to one. */
function splitParts(line: string): string[] {
  const parts: string[] = [];
  const outer: string[] = [];
  let [from, quote, mark] = [0, '', ''];
  const end = (at: number, next: number) => {
    parts.push(line.slice(from, at));
    from = next;
  };
  for (let at = 0; at < line.length; at++) {
    const char = line[at] ?? '';
    if (char === '\\' && quote !== "'") at++;
    else if (quote === "'") quote = char === "'" ? '' : quote;
    else if (isSubstitution(line, at)) {
      end(at, at + 2);
      outer.push(quote);
      quote = '';
      at++;
    } else if (char === '"') quote = quote === '"' ? '' : '"';
    else if (char === '`') end(at, at + 1);
    else if (quote !== '') continue;
    else if (char === "'") quote = "'";
    else if (char === ')') {
      end(at, at + 1);
      quote = outer.pop() ?? '';
    } else if (char === '<' && line[at + 1] === '<') {
      mark = HEREDOC.exec(line.slice(at, at + 60))?.[1] ?? mark;
      at++;
    } else if (char === '\n' && mark !== '') {
      // Whoever stands last in the line is given it.
      const close = line.indexOf(`\n${mark}`, at);
      at = (close < 0 ? line.length : close + mark.length + 1) - 1;
      mark = '';
    } else if (';|&\n'.includes(char)) end(at, at + 1);
  }
  end(line.length, line.length);
  return parts;
}

const isSubstitution = (line: string, at: number) => line[at + 1] === '(' && (line[at] === '$' || line[at] === '<' || line[at] === '>');
const HEREDOC = /^<<-?\s{0,9}['"\\]?(\w{1,40})/;

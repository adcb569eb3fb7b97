// Texts with secrets and texts that only look like it, read from the files beside this one.
import { lettersOf, toPattern } from '../../src/secrets/table.ts';
import harmlessTable from './harmless.txt' with { type: 'text' };
import hostileTable from './hostile.txt' with { type: 'text' };
import namedTable from './named.txt' with { type: 'text' };

const SIGNS: Record<string, string> = { n: '\n', t: '\t', r: '\r', e: '\u001b', u: '\u200b' };

export const readLines = (table: string) =>
  table
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('# '))
    .map((line) => line.replace(/\\(.)/g, (_, sign: string) => SIGNS[sign] ?? sign));

/** Put together here, so that no scanner takes them for real ones in our own source. */
export const HUMAN = ['hunt', 'er2'].join('');
export const WORD = ['correct', 'horse'].join('');
export const MACHINE = ['q8Zt3LmW0xYb', '7RkV5nJc2HdP', '9sGf4TaE'].join('');
const SECRETS: Record<string, string> = { human: HUMAN, word: WORD, machine: MACHINE, basic: btoa(`admin:${HUMAN}`) };

const fill = (line: string) => line.replace(/\{(human|word|machine|basic)\}/g, (_, name: string) => SECRETS[name] ?? '');

export const NAMED_SECRETS = readLines(namedTable).map((line) => {
  const [kind = ''] = line.split(' ', 1);
  return [kind, fill(line.slice(kind.length + 1))] as const;
});
export const HARMLESS_TEXTS = readLines(harmlessTable).map(fill);
export const HOSTILE_UNITS = readLines(hostileTable).map((line) => line.slice(1, -1));

/** Makes a random text of a length from an alphabet: so no example of a secret stands in our own source. */
type Pick = (alphabet: string, length: number) => string;

/** `ghp_{alnum:36}`: a token that nobody has, and the random parts of it that must not survive. `{login}` is a user and a password in base64. */
export function makeExample(template: string, pick: Pick): { secret: string; parts: string[] } {
  const parts: string[] = [];
  const draw = (place: string, length: number) => {
    const part = pick(lettersOf(/^\[(.*)\]/.exec(toPattern(place))?.[1] ?? ''), length);
    parts.push(part);
    return part;
  };
  const secret = template
    .replace(/\{[A-Za-z]+\d*:(\d+)\}/g, (place, length: string) => draw(place, Number(length)))
    .replace('{login}', () => btoa(`admin:${draw('{lower:12}', 12)}`));
  return { secret, parts: parts.filter((part) => part.length >= 12) };
}

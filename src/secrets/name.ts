// Tells from the name of a field, variable, header or option whether its value is a secret, and of what kind.
import { lazily, lazyPattern } from './span.ts';
import { readTable } from './table.ts';
import languageTable from './tables/languages.txt' with { type: 'text' };
import nameTable from './tables/names.txt' with { type: 'text' };

/** A human may take plain words, a machine's value looks random, a login is user:password in base64. */
export type By = 'human' | 'word' | 'machine' | 'login';

export type NamedSecret = { kind: string; by: By };

type NameRule = NamedSecret & { pattern: () => RegExp; parts: string[]; examples: string[] };
export type Language = { names: string[]; verbs: string[]; example: string };

export function readNameRules(): NameRule[] {
  const rules = readTable(nameTable).map(([kind = '', by, parts = '', pattern, examples = '']): NameRule => {
    const noticed = parts === '-' ? [] : parts.split(' ');
    // The table has no other words for it.
    return { kind, by: by as By, parts: noticed, pattern: lazyPattern(() => `(?:${pattern})$`), examples: examples.split(' ') };
  });
  return [...rules, readWordsForPassword()];
}

export function readLanguages(): Language[] {
  return readTable(languageTable).map(([, names = '', verbs = '', , example = '']) => ({
    names: names.split(','),
    verbs: verbs.split(','),
    example,
  }));
}

function readWordsForPassword(): NameRule {
  const words = readLanguages().flatMap(({ names }) => names);
  const pattern = lazyPattern(() => `(?:^|_)(?:${words.map((word) => word.replaceAll(/[ -]/g, '_')).join('|')})$`);
  // Capital letters of other alphabets do not differ from small ones by the one bit that the pre-filter ignores.
  const parts = words.flatMap((word) => (/^[ -~]*$/.test(word) ? [word] : [word, word.toUpperCase(), capitalise(word)]));
  return { kind: 'password', by: 'human', pattern, parts: [...new Set(parts)], examples: [] };
}

const capitalise = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

const SUFFIX = new RegExp(
  String.raw`(?:_?v?\d{1,3}|_(?:value|data|base64|b64|enc|prod|production|dev|development|staging|test|live|old|new` +
    '|current|primary|secondary|plain|raw|default|base|admin|root|db|smtp|mail|ftp|ssh|wifi|backup|qa|uat))$',
);
const PREFIX = /^(?:set|update|change|with|reset|check|verify|hash|use)_/;

const LONGEST_NAME = 80;
const KNOWN_LIMIT = 4096;

/** Answers are remembered: the same few names come again and again. */
export function createNameJudge(readRules: () => NameRule[]): (name: string) => NamedSecret | null {
  const rules = lazily(() => readRules().map((rule) => ({ ...rule, parts: [...new Set(rule.parts.map(toSnakeCase))] })));
  const known = new Map<string, NamedSecret | null>();
  return (name) => {
    if (name.length < 2 || name.length > LONGEST_NAME) return null;
    const remembered = known.get(name);
    if (remembered !== undefined) return remembered;
    if (known.size >= KNOWN_LIMIT) known.clear();
    const snake = toSnakeCase(name);
    // A rule whose letters are not in it does not match, and its pattern need not be made: `_path` must not cost a hundred of them.
    const bounded = `_${snake}`;
    const isNoticed = ({ parts }: NameRule) => parts.some((part) => bounded.includes(part));
    const noticed = rules().filter((rule) => rule.parts.length === 0 || isNoticed(rule));
    const answer = noticed.some(isNoticed) ? judgeName(noticed, snake) : null;
    known.set(name, answer);
    return answer;
  };
}

function judgeName(rules: readonly NameRule[], snake: string): NamedSecret | null {
  const bare = snake.replace(SUFFIX, '').replace(SUFFIX, '').replace(PREFIX, '');
  const rule = rules.find(({ pattern }) => pattern().test(snake) || pattern().test(bare));
  return rule === undefined || rule.kind === '-' ? null : rule;
}

function toSnakeCase(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[-. ]/g, '_')
    .toLowerCase();
}

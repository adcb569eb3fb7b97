// Tells from the name of a field, variable, header or option whether its value is a secret, and of what kind.
import { readTable } from './table.ts';
import nameTable from './tables/names.txt' with { type: 'text' };

export type NamedSecret = {
  kind: string;
  /** A person may have chosen the value. */
  human: boolean;
};

type NameRule = NamedSecret & { pattern: RegExp; parts: string[]; examples: string[] };

export function readNameRules(): NameRule[] {
  return readTable(nameTable).map(([kind = '', by, parts = '', pattern, examples = '']) => ({
    kind,
    human: by === 'human',
    parts: parts === '-' ? [] : parts.split(' '),
    pattern: new RegExp(`(?:${pattern})$`),
    examples: examples.split(' '),
  }));
}

const SUFFIX =
  /_(?:\d{1,3}|value|data|base64|b64|enc|prod|production|dev|development|staging|test|live|old|new|current|primary|secondary|plain|raw|default)$/;

const LONGEST_NAME = 80;
const KNOWN_LIMIT = 4096;

/** Answers are remembered: the same few names come again and again. */
export function createNameJudge(rules: readonly NameRule[]): (name: string) => NamedSecret | null {
  const known = new Map<string, NamedSecret | null>();
  return (name) => {
    if (name.length < 2 || name.length > LONGEST_NAME) return null;
    const remembered = known.get(name);
    if (remembered !== undefined) return remembered;
    if (known.size >= KNOWN_LIMIT) known.clear();
    const answer = judgeName(rules, name);
    known.set(name, answer);
    return answer;
  };
}

function judgeName(rules: readonly NameRule[], name: string): NamedSecret | null {
  const snake = toSnakeCase(name);
  const bare = snake.replace(SUFFIX, '').replace(SUFFIX, '');
  const rule = rules.find(({ pattern }) => pattern.test(snake) || pattern.test(bare));
  return rule === undefined || rule.kind === '-' ? null : rule;
}

function toSnakeCase(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[-. ]/g, '_')
    .toLowerCase();
}

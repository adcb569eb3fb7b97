// Search operators: `type:bugfix file:cart.ts since:7d project:shop` in the field narrow down what is asked; and what can be suggested.
import { MEMORY_TYPES } from '../../types.ts';

export const OPERATORS = ['type', 'file', 'since', 'until', 'project', 'branch', 'session'] as const;
export type Operator = (typeof OPERATORS)[number];

export type Parsed = { words: string; said: Partial<Record<Operator, string>> };

const TERM = new RegExp(`(^|\\s)(${OPERATORS.join('|')}):("[^"]*"|\\S+)`, 'gi');

/** Of one that is said twice, types add up and the last of the others counts. */
export function parseQuery(text: string): Parsed {
  const said: Parsed['said'] = {};
  for (const [, , name = '', value = ''] of text.matchAll(TERM)) {
    const operator = name.toLowerCase() as Operator;
    const bare = value.replaceAll('"', '');
    if (operator !== 'type') said[operator] = bare;
    else if (!isBeginning(bare)) said.type = said.type ? `${said.type},${bare}` : bare;
  }
  return { words: text.replace(TERM, ' ').replace(/\s+/g, ' ').trim(), said };
}

/** Of a type, as long as one types it. */
const isBeginning = (text: string) => MEMORY_TYPES.some((type) => type !== text && type.startsWith(text.toLowerCase()));

const TIMES = ['today', 'yesterday', '7d', '1 month'];
const MOST = 8;

/** What the last term could be; the whole text with it. */
export function suggest(text: string, projects: readonly string[]): { name: string; text: string }[] {
  const [, before = '', term = ''] = /^(.*?)(\S*)$/s.exec(text) ?? [];
  const [, operator, value = ''] = /^([a-z]+):(.*)$/i.exec(term) ?? [];
  const offer = (names: readonly string[], make: (name: string) => string) =>
    names.map((name) => ({ name: make(name), text: `${before}${make(name)}` }));
  if (operator === undefined) {
    if (term === '') return [];
    return offer(
      OPERATORS.filter((name) => name.startsWith(term.toLowerCase()) && name !== term),
      (name) => `${name}:`,
    );
  }
  const fits = valuesOf(operator.toLowerCase(), projects).filter(
    (name) => name.toLowerCase().startsWith(value.toLowerCase()) && name !== value,
  );
  return offer(fits.slice(0, MOST), (name) => `${operator}:${/\s/.test(name) ? `"${name}"` : name} `);
}

function valuesOf(operator: string, projects: readonly string[]): readonly string[] {
  if (operator === 'type') return MEMORY_TYPES;
  if (operator === 'project') return projects;
  return operator === 'since' || operator === 'until' ? TIMES : [];
}

// What is wrong with a parameter or a field, in a sentence, and what would be right.

import type { z } from 'zod';
import { wordTable } from '../../core/word-table.ts';

export type Described = { message: string; hint: string | null };

/** `path` is its name; '' is the whole. `hint` is null when the names that are known say most. */
export function describeIssue(issue: z.core.$ZodIssue): Described {
  const name = issue.path.join('.') || 'The body';
  const say = (rest: string, hint: string | null = null) => ({ message: `${name}${rest}.`, hint });
  if (issue.input === undefined) return say(' is missing');
  switch (issue.code) {
    case 'invalid_type':
      return say(` must be ${NOUNS[issue.expected] ?? 'something else'}`);
    case 'invalid_value':
      return describeChoice(issue, say);
    case 'invalid_format':
      return say(issue.pattern ? ' must be a whole number' : ' cannot be read');
    case 'too_small':
      return say(issue.origin === 'number' ? ` must be at least ${issue.minimum}` : ' is empty');
    case 'too_big':
      return say(tooBig(issue), tooBigHint(issue));
    case 'invalid_union':
      return say(' must be a text or a number');
    default:
      return say(' cannot be read');
  }
}

const NOUNS = wordTable<string>({
  string: 'a text',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
});

type Choice = Extract<z.core.$ZodIssue, { code: 'invalid_value' }>;
type Say = (rest: string, hint?: string | null) => Described;

function describeChoice({ path, values, input }: Choice, say: Say): Described {
  // A flag of the query may be written in many ways.
  if (values.includes('true')) return say(' must be true or false');
  const given = typeof input === 'string' ? `"${input.slice(0, 60)}"` : 'this';
  const known = `Known: ${values.join(', ')}.`;
  const [parameter] = path;
  if (parameter === 'type') return { message: `type: ${given} is not a type.`, hint: known };
  return say(` cannot be ${given}`, known);
}

type TooBig = Extract<z.core.$ZodIssue, { code: 'too_big' }>;

function tooBig({ origin, maximum }: TooBig): string {
  if (origin === 'string') return ` is too long: at most ${maximum} characters`;
  if (origin === 'array') return ` has too many entries: at most ${maximum}`;
  return ` must be at most ${maximum}`;
}

const tooBigHint = ({ path }: TooBig) => (path.at(-1) === 'limit' ? 'Ask for the next ones with offset.' : null);

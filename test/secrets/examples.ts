// One line for every row of the tables of secrets, and for every form of forms.txt, with a random secret in it, and what of it must be found
// nowhere afterwards.

import { readOptions } from '../../src/secrets/command.ts';
import { writeTokens } from '../../src/secrets/compile.ts';
import { type By, readLanguages, readNameRules } from '../../src/secrets/name.ts';
import { readTable } from '../../src/secrets/table.ts';
import callTable from '../../src/secrets/tables/calls.txt' with { type: 'text' };
import { readPlaces, readTokenRule } from '../../src/secrets/tokens.ts';
import { seededRandom } from '../core/seeded-random.ts';
import { makeExample, readLines } from './cases.ts';
import formTable from './forms.txt' with { type: 'text' };

export const TOKEN_RULES = writeTokens()
  .split('\n')
  .map((_, at) => readTokenRule(at));

export type Example = { line: string; parts: string[] };

/** Another seed, other secrets. */
export function makeExamples(seed: number): Example[] {
  const random = seededRandom(seed);
  const human = () => `${random.pick('bcdfghjklmnpqrstvwxz', 8)}7${random.pick('BCDFGH', 3)}4${random.pick('kqvwxz', 2)}`;
  const machine = () => `${random.pick('ABCDefgh0123456789', 30)}a7B`;
  const write = (template: string): Example => {
    const secret = human();
    return { line: template.replace('{secret}', secret), parts: [secret] };
  };
  const shapes = TOKEN_RULES.map(({ example }): Example => {
    const { secret, parts } = makeExample(example, random.pick);
    return { line: secret, parts };
  });
  const values: Record<By, () => string> = { human, word: human, machine, login: () => btoa(`joe:${human()}`) };
  const names = readNameRules()
    // The values of these are no secrets.
    .filter(({ kind }) => kind !== '-')
    .flatMap(({ kind, examples, by }) =>
      examples.filter(Boolean).map((name): Example => {
        const secret = values[by]();
        return { line: kind === 'cookie' ? `${name}: sid=${secret}` : `${name}: "${secret}"`, parts: [secret] };
      }),
    );
  const options = readOptions().map(({ programs, option }) => {
    const program = (programs.split(' ')[0] ?? '').replace('+', ' ');
    return write(`${program} ${option.replace('{user}', 'joe').replace('{word}', 'file')}`);
  });
  const calls = readTable(callTable).map(([, , example = '']) => write(example));
  const sentences = readLanguages().map(({ example }) => write(example));
  const unnamed = readPlaces().map(({ example }): Example => {
    const three = () => `${random.pick('abcdefgh', 1)}${random.pick('0123456789', 1)}${random.pick('BCDFGH', 1)}`;
    const secret = Array.from({ length: 12 }, three).join('');
    return { line: example.replace('{secret}', secret), parts: [secret] };
  });
  return [...shapes, ...names, ...options, ...calls, ...sentences, ...unnamed];
}

/** Each form of forms.txt with secrets of its own. Another seed, other secrets. */
export function makeForms(seed: number): Example[] {
  const { pick } = seededRandom(seed);
  const human = () => `${pick('bcdfghkmnpqrstvz', 5)}${pick('ABCDEF', 2)}${pick('23456789', 2)}${pick('!_#', 1)}q`;
  const makers: Record<string, () => string> = {
    human,
    word: () => pick('bcdfghkmnpqrstvz', 12),
    machine: () => `${pick('ABCDEFGHabcdefgh0123456789', 26)}a7B`,
    hex: () => pick('0123456789abcdef', 16),
    login: () => btoa(`joe:${human()}`),
    dotted: () =>
      `${pick('bcdfghkmnpqrstvz', 4)}${pick('23456789', 2)}${pick('ABCDEF', 2)}.${pick('bcdfghkmnpqrstvz', 3)}${pick('23456789', 1)}`,
  };
  return readLines(formTable).map((form) => {
    const parts: string[] = [];
    const line = form.replace(/\{(human|word|machine|hex|login|dotted)\}/g, (_, kind: string) => {
      const secret = makers[kind]?.() ?? '';
      parts.push(secret);
      return secret;
    });
    return { line, parts };
  });
}

// Of many ways of writing a secret nearly all are known, whatever the secret is; of what only looks like one nearly nothing is taken.
import { expect, test } from 'bun:test';
import { scrubSecrets } from '../../src/secrets/scrub.ts';
import { seededRandom } from '../core/seeded-random.ts';
import formTable from './forms.txt' with { type: 'text' };
import lookalikeTable from './lookalikes.txt' with { type: 'text' };

const SIGNS: Record<string, string> = { n: '\n', t: '\t', r: '\r' };
const readLines = (table: string) =>
  table
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('# '))
    .map((line) => line.replace(/\\(.)/g, (_, sign: string) => SIGNS[sign] ?? sign));

test.each([1, 2, 3, 4])('at least 93 of 100 forms are scrubbed (seed %d)', (seed) => {
  const { pick } = seededRandom(seed);
  const human = () => `${pick('bcdfghkmnpqrstvz', 5)}${pick('ABCDEF', 2)}${pick('23456789', 2)}${pick('!_#', 1)}q`;
  const makers: Record<string, () => string> = {
    human,
    word: () => pick('bcdfghkmnpqrstvz', 12),
    machine: () => `${pick('ABCDEFGHabcdefgh0123456789', 26)}a7B`,
    hex: () => pick('0123456789abcdef', 16),
    login: () => btoa(`joe:${human()}`),
  };
  const missed = readLines(formTable).filter((form) => {
    const parts: string[] = [];
    const text = form.replace(/\{(human|word|machine|hex|login)\}/g, (_, kind: string) => {
      const secret = makers[kind]?.() ?? '';
      parts.push(secret);
      return secret;
    });
    const scrubbed = scrubSecrets(text).text;
    return parts.some((part) => scrubbed.includes(part));
  });
  expect(missed.length / readLines(formTable).length).toBeLessThan(0.07);
});

test('at most 2 of 100 look-alikes are', () => {
  const lines = readLines(lookalikeTable);
  expect(lines.length).toBeGreaterThan(250);
  const taken = lines.filter((line) => scrubSecrets(line).found.length > 0);
  expect(taken.length / lines.length).toBeLessThan(0.02);
});

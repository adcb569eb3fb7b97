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

/** What may stand before a form in its line: a tool's failure, a note, the end of a sentence. */
const LABELS = ['', 'Error: ', 'Note 3: ', 'Changed it 3. '];

test.each(LABELS.flatMap((label) => [1, 2, 3, 4].map((seed) => [label, seed] as const)))(
  'at least 95 of 100 forms are scrubbed (after %j, seed %d)',
  (label, seed) => {
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
      const scrubbed = scrubSecrets(label + text).text;
      return parts.some((part) => scrubbed.includes(part));
    });
    expect(missed.length / readLines(formTable).length).toBeLessThan(0.05);
  },
);

test('the words that restore a wallet are scrubbed, and a sentence about them is not', () => {
  const words = 'zebra crane tomato glide wagon orbit picnic lunar velvet socket hammer quick';
  for (const said of [
    `My seed phrase is: ${words}`,
    `MNEMONIC="${words}"`,
    `Error: recovery words: ${words.replaceAll(' ', ', ')}`,
    `wallet phrase = ${words} ${words}`,
  ])
    expect(scrubSecrets(said).text).toMatch(/\[secret:seed-phrase/);
  expect(scrubSecrets('The seed phrase is what you write down on paper and keep in a safe place').found).toEqual([]);
});

test('at most 1 of 100 look-alikes is', () => {
  const lines = readLines(lookalikeTable);
  expect(lines.length).toBeGreaterThan(250);
  const taken = lines.filter((line) => scrubSecrets(line).found.length > 0);
  expect(taken.length / lines.length).toBeLessThan(0.01);
});

// Of many ways of writing a secret nearly all are known, whatever the secret is; of what only looks like one nearly nothing is taken.
import { expect, test } from 'bun:test';
import { scrubSecrets, scrubValue } from '../../src/secrets/scrub.ts';
import { readLines } from './cases.ts';
import { type Example, makeForms } from './examples.ts';
import lookalikeTable from './lookalikes.txt' with { type: 'text' };

/** What may stand before a form in its line: a tool's failure, a note, the end of a sentence. */
const LABELS = ['', 'Error: ', 'Note 3: ', 'Changed it 3. '];

function shareMissed(forms: Example[], scrub: (text: string) => string): number {
  const missed = forms.filter(({ line, parts }) => {
    const scrubbed = scrub(line);
    return parts.some((part) => scrubbed.includes(part));
  });
  return missed.length / forms.length;
}

test.each(LABELS.flatMap((label) => [1, 2, 3, 4].map((seed) => [label, seed] as const)))(
  'at least 95 of 100 forms are scrubbed (after %j, seed %d)',
  (label, seed) => {
    expect(shareMissed(makeForms(seed), (text) => scrubSecrets(label + text).text)).toBeLessThan(0.05);
  },
);

const eachLine = (text: string, write: (line: string, at: number) => string) => text.split('\n').map(write);

/** What a tool or a person puts before each line. */
const MARGINS: [string, (text: string) => unknown][] = [
  ['a diff', (text) => ['@@ -1,2 +1,9 @@', ' first: line', ...eachLine(text, (line) => `+${line}`)].join('\n')],
  ['the lines of a diff, one by one', (text) => [' first: line', ...eachLine(text, (line) => `+${line}`)]],
  ['the lines of a file, one by one', (text) => eachLine(text, (line) => line)],
  ['numbered lines', (text) => eachLine(text, (line, at) => `${String(at + 9).padStart(6)}→${line}`).join('\n')],
  ['what grep found', (text) => eachLine(text, (line, at) => `src/app.env:${at + 9}:${line}`).join('\n')],
  ['a quotation', (text) => eachLine(text, (line) => `> ${line}`).join('\n')],
];

test.each(MARGINS)('and of those of several lines as many in %s', (_, put) => {
  const forms = makeForms(5).filter(({ line }) => line.trim().includes('\n'));
  expect(forms.length).toBeGreaterThan(30);
  const alone = shareMissed(forms, (text) => scrubSecrets(text).text);
  expect(alone).toBeLessThan(0.1);
  expect(shareMissed(forms, (text) => JSON.stringify(scrubValue(put(text)).value))).toBeLessThanOrEqual(alone);
});

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

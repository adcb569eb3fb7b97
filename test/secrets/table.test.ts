// Every row of the tables says what it should: it finds its own example, and nothing of that is left.
import { describe, expect, test } from 'bun:test';
import { findStart } from '../../src/secrets/compile.ts';
import { readNameRules } from '../../src/secrets/name.ts';
import { scrubSecrets, scrubValue } from '../../src/secrets/scrub.ts';
import { toPattern } from '../../src/secrets/table.ts';
import { makeExamples } from './examples.ts';

const leaks = ({ parts }: { parts: string[] }, text: string) => parts.filter((part) => text.includes(part));

describe('the example of every row', () => {
  test.each([1, 2, 3])('is scrubbed in a text, in JSON and among others (seed %d)', (seed) => {
    const examples = makeExamples(seed);
    expect(examples.length).toBeGreaterThan(380);
    const together = scrubSecrets(examples.map(({ line }) => line).join('\n\n')).text;
    const left = examples.filter((example) => {
      const apart = scrubSecrets(`so far\n${example.line}\nand on`).text;
      const value = JSON.stringify(scrubValue({ output: [example.line] }).value);
      return [apart, value, together].some((text) => leaks(example, text).length > 0);
    });
    expect(left.map(({ line }) => line)).toEqual([]);
  });

  test.each([
    ['an element', '<fact>', '</fact>'],
    ['a code span', 'Set `', '`.'],
    ['brackets', '(', ')'],
  ])('is scrubbed at the end of %s', (_, before, after) => {
    const kept = makeExamples(5).filter(({ line, parts }) => {
      const { text } = scrubSecrets(`${before}${line}${after}`);
      return parts.some((part) => text.includes(part));
    });
    expect(kept.map(({ line }) => line)).toEqual([]);
  });

  test.each(['\u001b[0m', '\u001b[1;31m', '\u200b', '\u00ad', '\u2060', '\ufeff', '\u001b]0;x\u0007', '\u0000'])(
    'is scrubbed when %j tears its secret apart, and put together nothing is left',
    (torn) => {
      const left = makeExamples(4).filter(({ line, parts: [part = ''] }) => {
        const middle = line.indexOf(part) + Math.ceil(part.length / 2);
        const { text } = scrubSecrets(`${line.slice(0, middle)}${torn}${line.slice(middle)}`);
        return part !== '' && text.replaceAll(torn, '').includes(part);
      });
      expect(left.map(({ line }) => line)).toEqual([]);
    },
  );
});

test('the value of a name that is no secret stays', () => {
  const names = readNameRules().flatMap(({ kind, examples }) => (kind === '-' ? examples : []));
  expect(names.length).toBeGreaterThan(3);
  for (const name of names) expect(scrubSecrets(`${name}: "f8Kd02mQz7Lw4RtY6bNaa7B"`).found).toEqual([]);
});

test('a token that a line end tears apart is scrubbed on both sides of it', () => {
  const token = makeExamples(5).find(({ line }) => line.startsWith('ghp_'))?.line ?? '';
  for (const torn of ['\n', '\r\n', '\\\n'])
    expect(scrubSecrets(`the token ${token.slice(0, 24)}${torn}${token.slice(24)} is ours`).text).toMatch(
      /^the token \[secret:github-token:[0-9a-f]{6}\] is ours$/,
    );
});

test('lines that follow a token stay', () => {
  const [first] = makeExamples(6);
  const text = `KEY=${first?.line}\nPORT=8080\nnext line of the text\n`;
  expect(scrubSecrets(text).text).toMatch(/^KEY=\[secret:[^\]]+\]\nPORT=8080\nnext line of the text\n$/);
});

test('what a shape begins with is read from it', () => {
  const start = (shape: string) => findStart(toPattern(shape));
  expect(start('gh[po]_{alnum:36+}').literals).toEqual(['ghp_', 'gho_']);
  expect(start('(?:sk_)?e2b_{hex:36}').literals).toEqual(['sk_e2b_', 'e2b_']);
  expect(start('{hex:32}-us\\d').before).toEqual({ chars: '[0-9a-f]', max: 32 });
  expect(() => start('{alnum:20}')).toThrow('at least 3 letters');
});

// Reading and cutting texts: prompts, Markdown, sentences, titles.
import { expect, test } from 'bun:test';
import { splitSentences } from '../../../src/core/sentences.ts';
import { changesOf } from '../../../src/observer/local/edits/changes.ts';
import { relativePath } from '../../../src/observer/local/project-path.ts';
import { cleanPrompt } from '../../../src/observer/local/text/clean-prompt.ts';
import { titleOf } from '../../../src/observer/local/text/clip.ts';
import { readStatements } from '../../../src/observer/local/text/markdown.ts';

test.each([
  ['<ide_opened_file>a.ts</ide_opened_file>\nfix it', 'fix it'],
  ['<command-message>x</command-message>\n<command-name>/review</command-name>', '/review'],
  ['[Request interrupted by user for tool use]', ''],
  ['a < b and <T> stays', 'a < b and <T> stays'],
  ['<system-reminder>never closed', 'never closed'],
])('a prompt is cleaned: %j', (text, cleaned) => {
  expect(cleanPrompt(text)).toBe(cleaned);
});

test.each([
  ['Use v1.2.3 of a.ts. It works.', ['Use v1.2.3 of a.ts.', 'It works.']],
  ['See e.g. the docs. Done!', ['See e.g. the docs.', 'Done!']],
  ['The v1 routes (list, get, etc.) stay. Done.', ['The v1 routes (list, get, etc.) stay.', 'Done.']],
  ['(It works.) Done.', ['(It works.)', 'Done.']],
  ['No. `a.sql` fails.', ['No.', '`a.sql` fails.']],
  ['修复了。完成！', ['修复了。', '完成！']],
])('sentences are split: %j', (text, sentences) => {
  expect(splitSentences(text)).toEqual(sentences);
});

test('statements know their section and whether they are ticked', () => {
  const found = readStatements('Intro.\n\n## Next steps\n- [ ] one thing\n- [x] other\n\n```\ncode\n```\n');
  expect(found.map((one) => [one.text, one.section, one.checked])).toEqual([
    ['Intro.', '', null],
    ['one thing', 'next steps', false],
    ['other', 'next steps', true],
  ]);
});

test.each([
  ['fix the thing.', 'Fix the thing'],
  ['parseRange drops it', 'parseRange drops it'],
  [
    `${'word '.repeat(30)}end`,
    'Word word word word word word word word word word word word word word word word word word word word',
  ],
])('a title is one short line: %j', (text, title) => {
  expect(titleOf(text)).toBe(title);
});

test('a title is cut at a clause and closes what it opened', () => {
  const title = titleOf(
    'The endpoint now validates the body, rejects unknown fields (those that the schema does not name at all) and logs',
  );
  expect(title).toBe('The endpoint now validates the body, rejects unknown fields');
});

test.each([
  ['/r/src/a.ts', 'src/a.ts'],
  ['src/a.ts', 'src/a.ts'],
  ['/r/src/../b.ts', 'b.ts'],
  ['/other/a.ts', '/other/a.ts'],
])('%s is %s in the project', (file, expected) => {
  expect(relativePath(file, '/r', '/r')).toBe(expected);
});

test.each([
  ['+def total(cart):', 'newNames', ['total']],
  ['+pub async fn drain(&self) {', 'newNames', ['drain']],
  ['+func (c *Cart) Total() int {', 'newNames', ['Total']],
  ['+public static int total(Cart c) {', 'newNames', ['total']],
  ['+export const toCsv = (rows: Row[]) => {', 'newNames', ['toCsv']],
  ['-class Cart', 'goneNames', ['Cart']],
  ['+CREATE TABLE orders (id int);', 'newNames', ['orders']],
] as const)('%s changes %s', (line, field, names) => {
  const edit = {
    id: 'e1',
    index: 0,
    time: 0,
    old: false,
    file: 'a',
    created: false,
    deleted: false,
    hunks: [{ oldStart: 1, newStart: 1, lines: [line] }],
  };
  expect(changesOf([edit])[0]?.[field]).toEqual([...names]);
});

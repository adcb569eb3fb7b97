// Pieces of work for the mock to do with real tools in a real repository.
import type { Script, Step, ToolCall } from './mock-api.ts';

/** Writes a bug and a test, sees the test fail, repairs it, sees it pass, commits, and says so. */
export function fixSlugify(repo: string): Script {
  const runTest = bash('node --test test/slug.test.mjs');
  return [
    { tools: [write(`${repo}/src/slug.mjs`, SLUG_WITH_BUG), write(`${repo}/test/slug.test.mjs`, SLUG_TEST)] },
    { tools: [runTest] },
    { text: 'Only the first space was replaced.', tools: [edit(`${repo}/src/slug.mjs`, ".replace(' '", ".replaceAll(' '")] },
    { tools: [runTest] },
    { tools: [bash('git add -A && git commit -m "Replace every space in a slug"')] },
    {
      text: 'Fixed slugify: it replaced only the first space, because String.replace with a string stops after one match. It now uses replaceAll. Both tests pass and the fix is committed.',
    },
  ];
}

/** A small feature that is recognised by one word: in its file name, its commit and the closing message. */
export function addFeature(repo: string, word: string): Script {
  return [
    { tools: [write(`${repo}/src/${word}.mjs`, `export const ${word} = () => '${word}';\n`)] },
    { tools: [bash(`git add -A && git commit -m "Add the ${word} module"`)] },
    { text: `Added the ${word} module in src/${word}.mjs and committed it.` },
  ];
}

export const sayOnly = (text: string): Script => [{ text }];

/** As many steps of two commands each as asked for. */
export function countTo(steps: number): Script {
  const counting = Array.from(
    { length: steps },
    (_, step): Step => ({ tools: [bash(`echo first of step ${step}`), bash(`echo second of step ${step}`)] }),
  );
  return [...counting, { text: `Counted to ${steps}.` }];
}

export function bash(command: string): ToolCall {
  return { name: 'Bash', input: { command } };
}

export function read(file: string): ToolCall {
  return { name: 'Read', input: { file_path: file } };
}

export function write(file: string, content: string): ToolCall {
  return { name: 'Write', input: { file_path: file, content } };
}

export function edit(file: string, from: string, to: string): ToolCall {
  return { name: 'Edit', input: { file_path: file, old_string: from, new_string: to } };
}

const SLUG_WITH_BUG = `export const slugify = (title) => title.toLowerCase().replace(' ', '-');
`;

const SLUG_TEST = `import assert from 'node:assert';
import { test } from 'node:test';
import { slugify } from '../src/slug.mjs';
test('one space', () => assert.equal(slugify('Hello World'), 'hello-world'));
test('several spaces', () => assert.equal(slugify('Hello Big World'), 'hello-big-world'));
`;

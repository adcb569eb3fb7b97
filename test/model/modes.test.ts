// Modes: ours are sound, a user's own say only what differs, and nothing outside of the folder is ever read.
import { expect, test } from 'bun:test';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadMode, ModeError } from '../../src/model/instructions.ts';

const folder = mkdtempSync(join(tmpdir(), 'modes-'));
const save = (name: string, content: unknown) =>
  writeFileSync(join(folder, `${name}.json`), typeof content === 'string' ? content : JSON.stringify(content));

test('a mode of the user says only what differs', () => {
  save('ops', {
    label: 'Operations',
    role: 'You keep the memory of a cluster.',
    types: { bugfix: { label: 'Incident', meaning: 'an outage that is over' } },
    language: 'German',
  });
  const mode = loadMode('ops', folder);
  expect(mode.name).toBe('ops');
  expect(mode.role).toBe('You keep the memory of a cluster.');
  expect(mode.types.bugfix.label).toBe('Incident');
  expect(mode.types.feature).toEqual(loadMode('code', null).types.feature);
  expect(mode.language).toBe('German');
  expect(mode.concepts).toEqual(loadMode('code', null).concepts);
});

test('a file called like one of ours does not replace it', () => {
  save('code', { role: 'Something else.' });
  expect(loadMode('code', folder)).toEqual(loadMode('code', null));
});

test.each(['', '../code', 'a/b', 'A', 'code.json', 'c:x', '..', 'x'.repeat(61), 'constructor.', '__proto__'])(
  'refuses the name %j',
  (name) => {
    expect(() => loadMode(name, folder)).toThrow(/no name for a mode/);
  },
);

test.each(['constructor', 'tostring', 'prototype'])('knows no mode %s', (name) => {
  expect(() => loadMode(name, null)).toThrow(/There is no mode .* Choose one of: code, research/);
});

test.each([
  ['missing', null, /missing\.json cannot be read\. Create it, or choose one of: code, research\./],
  ['broken', '{"role": ', /broken\.json is not JSON\. Correct it/],
  ['typo', { rol: 'x' }, /typo\.json: the file: .*rol.*Correct it there/],
  ['repeats', { concepts: { bugfix: 'a bug' } }, /concepts: must not repeat a type/],
  ['empty', { concepts: {} }, /concepts: must hold 1 to 20/],
])('says what is wrong with %s and what to do', (name, content, message) => {
  if (content !== null) save(name, content);
  expect(() => loadMode(name, folder)).toThrow(message);
  expect(() => loadMode(name, folder)).toThrow(ModeError);
});

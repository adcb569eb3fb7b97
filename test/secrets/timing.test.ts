// The scrubber's time grows with the text and with nothing else, and is short enough for ten thousand events a second.
import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { scrubSecrets, scrubValue } from '../../src/secrets/scrub.ts';
import { readTable } from '../../src/secrets/table.ts';
import placeTable from '../../src/secrets/tables/places.txt' with { type: 'text' };
import { cpuMs } from '../support/cpu-time.ts';
import { HOSTILE_UNITS } from './cases.ts';
import { type Example, makeExamples, makeForms, TOKEN_RULES } from './examples.ts';

const SOURCE = ['v4/core/schemas.ts', 'v4/core/util.ts', 'v4/classic/schemas.ts', 'v3/types.ts']
  .map((file) => readFileSync(join(import.meta.dir, '../../node_modules/zod/src', file), 'utf8'))
  .join('\n');

const IS_FULL = Boolean(process.env.CLAUDE_MEM_TEST_FULL);

/** Up to its secret, and whole: a rule that begins again and again, and one that finds again and again. */
const cut = ({ line, parts: [part = ''] }: Example) => [line.slice(0, line.indexOf(part)), `${line} `];
/** Of every row of every table, and of every form. */
const ROWS = [
  ...[...makeExamples(1), ...makeForms(1)].flatMap(cut),
  ...readTable(placeTable).map(([, , , , example = '']) => example.split('…')[0] ?? ''),
].filter((unit) => unit !== '');

const UNITS = [...new Set(ROWS), ...new Set(TOKEN_RULES.flatMap(({ starts: [start = ''] }) => [start, `${start}-a1B2`])), ...HOSTILE_UNITS];
// What a run ends with decides whether a pattern that went through all of it is thrown away.
const ENDINGS = ['', '.', 'x'.repeat(40)];

describe('the time taken', () => {
  test(`at most doubles with the text, for ${UNITS.length} hostile ones, ${IS_FULL ? 'whatever they end with' : 'each with one of three ends'}`, () => {
    const endingsOf = (at: number) => (IS_FULL ? ENDINGS : [ENDINGS[at % ENDINGS.length] ?? '']);
    const steep = UNITS.flatMap((unit, at) => endingsOf(at).map((ending) => [unit, ending] as const)).filter(
      // One look first, for there are many: a linear pass takes less than this.
      ([unit, ending]) => cpuMs(() => scrubSecrets(repeat(unit, 10_000) + ending), 1) > 10 && !isLinear(unit, ending),
    );
    expect(steep).toEqual([]);
  }, 600_000);

  test('is little where each word may be the heading of a table', () => {
    const units = ['"password", ', 'password     "', 'password        ', '| password ', 'token;'];
    const slow = units.filter((unit) => cpuMs(() => scrubSecrets(repeat(unit, 250_000))) > 1500);
    expect(slow).toEqual([]);
  });

  test('is little where brackets follow an argument of a call', () => {
    const slow = ['{}', '[]', '{a}', '[{}'].filter((unit) => cpuMs(() => scrubSecrets(`login("joe", ${unit.repeat(26)}`), 1) > 200);
    expect(slow).toEqual([]);
  });

  test('is at most 40 ms for a megabyte of source', () => {
    const text = repeat(SOURCE, 1_000_000);
    expect(cpuMs(() => scrubSecrets(text), 10)).toBeLessThan(40);
  });

  test('is at most 15 µs for a kilobyte, and 30 µs for an event of that size', () => {
    const text = SOURCE.slice(20_000, 21_024);
    const event = { session_id: 'a', tool_name: 'Bash', tool_input: { command: 'npm test' }, tool_response: { stdout: text } };
    const thousand = (run: () => void) => () => {
      for (let i = 0; i < 1000; i++) run();
    };
    const scrubText = thousand(() => scrubSecrets(text));
    const scrubEvent = thousand(() => scrubValue(event));
    expect(cpuMs(scrubText, 10)).toBeLessThan(15);
    expect(cpuMs(scrubEvent, 10)).toBeLessThan(30);
  });
});

/** Tried several times: other work on the machine must not decide. */
function isLinear(unit: string, ending: string): boolean {
  const [small, large] = [repeat(unit, 10_000) + ending, repeat(unit, 20_000) + ending];
  for (let attempt = 0; attempt < 4; attempt++) {
    if (cpuMs(() => scrubSecrets(large)) / cpuMs(() => scrubSecrets(small)) < 2.5) return true;
  }
  return false;
}

function repeat(unit: string, length: number): string {
  return unit.repeat(Math.ceil(length / unit.length)).slice(0, length);
}

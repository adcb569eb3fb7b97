import { afterAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../src/config.ts';

const folder = mkdtempSync(join(tmpdir(), 'cmem-config-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = join(folder, 'config.json');
const load = (text: string, environment: Record<string, string> = {}) => {
  writeFileSync(file, text);
  return loadConfig(file, environment);
};

describe('settings', () => {
  test('have defaults when there is no file', () => {
    expect(loadConfig(join(folder, 'none.json'), {})).toMatchObject({
      config: { idleMinutes: 30, contextTokens: 2000 },
      problems: [],
    });
  });

  test('come from the file, and from the environment before it', () => {
    expect(load('{"idleMinutes": 5}').config.idleMinutes).toBe(5);
    expect(load('{"idleMinutes": 5}', { CLAUDE_MEM_IDLE_MINUTES: '7' }).config.idleMinutes).toBe(7);
    expect(load('{}', { CLAUDE_MEM_SKIP_TOOLS: 'Read, Skill' }).config.skipTools).toEqual(['Read', 'Skill']);
  });

  test.each([
    ['a wrong value', '{"contextTokens": -5, "idleMinutes": 5}', /contextTokens/],
    ['an unknown key', '{"colour": "blue", "idleMinutes": 5}', /unknown setting "colour"/],
  ])('with %s keep the rest and say what is wrong', (_, text, problem) => {
    const { config, problems } = load(text);
    expect(config).toMatchObject({ idleMinutes: 5, contextTokens: 2000 });
    expect(problems.join()).toMatch(problem);
  });

  test.each(['{"half":', '[]', '\uFEFF', ''])('in a broken file %j fall back to the defaults and say so', (text) => {
    const { config, problems } = load(text);
    expect(config.idleMinutes).toBe(30);
    expect(problems).toHaveLength(1);
  });
});

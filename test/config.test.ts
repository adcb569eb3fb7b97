import { afterAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { followConfig, loadConfig } from '../src/config.ts';
import { claudeEnvironment, handOn } from '../src/environment.ts';

const folder = mkdtempSync(join(tmpdir(), 'cmem-config-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = join(folder, 'config.json');
const load = (text: string, environment: Record<string, string> = {}) => {
  writeFileSync(file, text);
  return loadConfig(file, environment);
};

describe('settings', () => {
  test('have defaults when there is no file', () => {
    expect(loadConfig(join(folder, 'none.json'), {})).toMatchObject({ config: { idleMinutes: 30, contextTokens: 2000 }, problems: [] });
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

  test('of the budget may be nested or not', () => {
    expect(load('{"budget": {"dailyTokens": 5}}').config['budget.dailyTokens']).toBe(5);
    expect(load('{"budget.dailyTokens": 6}').config['budget.dailyTokens']).toBe(6);
    expect(load('{"budget": {"colour": 5}}').problems.join()).toMatch(/unknown setting "budget.colour"/);
  });

  test('may differ from project to project, and what is wrong there does not count', () => {
    const text = JSON.stringify({
      projects: {
        shop: { contextTokens: 500, off: 'yes', excludePaths: 'a, b', colour: 'blue', provider: 'local' },
        [`${folder}/`]: { contextTokens: 'many', promptRecall: 'off' },
      },
    });
    const { config, problems } = load(text);
    expect(config.projects).toEqual({
      shop: { contextTokens: 500, off: true, excludePaths: ['a', 'b'] },
      [realpathSync(folder)]: { promptRecall: 0 },
    });
    expect(problems).toEqual([
      expect.stringMatching(/projects: shop: "colour" is not known/),
      expect.stringMatching(/projects: shop: "provider" holds in all projects or in none/),
      expect.stringMatching(/contextTokens: must be a whole number from 200 to 10000; it does not count/),
    ]);
    expect(load('{"projects": ["shop"], "idleMinutes": 5}')).toMatchObject({
      config: { projects: {}, idleMinutes: 5 },
      problems: [expect.stringMatching(/projects: must be an object/)],
    });
  });

  test.each([[['!src']], [['']], [['x'.repeat(501)]]])('exclude no paths like %j', (excludePaths) => {
    const { config, problems } = load(JSON.stringify({ excludePaths }));
    expect(config.excludePaths).toEqual([]);
    expect(problems).toHaveLength(1);
  });

  test('are read again when the file changes', () => {
    writeFileSync(file, '{"idleMinutes": 5}');
    const changes: string[][] = [];
    const current = followConfig(file, ({ problems }) => changes.push(problems));
    expect(current().idleMinutes).toBe(5);
    expect(current()).toBe(current());
    writeFileSync(file, '{"idleMinutes": 55}');
    expect(current().idleMinutes).toBe(55);
    expect(changes).toEqual([[]]);
  });

  test('hand on a login only to the worker, and only known variables to claude', () => {
    const environment = {
      PATH: '/nowhere',
      HOME: '/h',
      ANTHROPIC_API_KEY: 'k',
      EVIL: 'x',
      CLAUDE_MEM_MODEL: 'm',
      CLAUDE_MEM_OBSERVER: '1',
    };
    const { config } = load('{}');
    const handed = { CLAUDE_MEM_MODEL: 'm', ANTHROPIC_API_KEY: 'k' };
    expect(handOn(config, true, environment)).toEqual({ variables: handed, heldBack: [] });
    const chosen = { ...environment, PATH: process.env.PATH };
    expect(handOn({ ...config, claudePath: '/opt/bin/claude' }, true, chosen).variables.CLAUDE_CODE_PATH).toBeUndefined();
    expect(claudeEnvironment('/opt/bin/claude', environment)).toEqual({
      HOME: '/h',
      ANTHROPIC_API_KEY: 'k',
      PATH: '/opt/bin:/usr/local/bin:/opt/homebrew/bin:/usr/bin:/bin',
    });
  });

  test.each([
    '{"off": true,}',
    '',
    '[]',
    '{"off": "ja"}',
    '{"off": null}',
    '{"excludePaths": ["!src"]}',
    '{"projects": ["shop"]}',
    '{"projects": {"shop": true}}',
    '{"projects": {"shop": {"off": "ja"}}}',
    '{"projects": {"shop": {"excludePaths": 5}}}',
  ])('that may have asked for silence in vain leave everything in doubt: %s', (text) => {
    const { config, problems } = load(text);
    expect(config.doubt).toMatch(/; fix it or (delete it|take it out)$/);
    expect(problems).toEqual([`${config.doubt}. Until then nothing is stored or added to sessions.`]);
  });

  test('are in no doubt without a file, for another slip, or when a variable decides', () => {
    expect(loadConfig(join(folder, 'none.json'), {}).config.doubt).toBeNull();
    expect(load('{"contextTokens": -5, "colour": 1}').config.doubt).toBeNull();
    expect(load('{"off": "ja"}', { CLAUDE_MEM_OFF: 'true' }).config).toMatchObject({ doubt: null, off: true });
    expect(load('{}', { CLAUDE_MEM_OFF: 'ja' }).config.doubt).toMatch(/^CLAUDE_MEM_OFF: must be true or false/);
    expect(loadConfig(folder, {}).config.doubt).toContain('cannot be read');
  });

  test('of one folder in two spellings are put together', () => {
    const text = JSON.stringify({ projects: { [folder]: { off: true }, [`${folder}/`]: { contextTokens: 500 } } });
    expect(load(text).config.projects).toEqual({ [realpathSync(folder)]: { off: true, contextTokens: 500 } });
  });

  test('stay as they were while a running worker cannot read them, but for a word about silence that is wrong', () => {
    writeFileSync(file, '{"off": true}');
    const said: string[] = [];
    const current = followConfig(file, ({ problems }) => said.push(problems.join()));
    writeFileSync(file, '{"off": true,}');
    expect(current()).toMatchObject({ off: true, doubt: null });
    expect(said.at(-1)).toContain('the settings from before apply');
    writeFileSync(file, '{"off": "nein"}');
    expect(current().doubt).toContain('off: must be true or false');
    writeFileSync(file, '{"off": "nein",}');
    expect(current().doubt).toContain('cannot be read');
    writeFileSync(file, '{}');
    expect(current()).toMatchObject({ off: false, doubt: null });
  });

  test.each(['{"half":', '[]', '\uFEFF', ''])('in a broken file %j fall back to the defaults and say so', (text) => {
    const { config, problems } = load(text);
    expect(config.idleMinutes).toBe(30);
    expect(problems).toHaveLength(1);
  });
});

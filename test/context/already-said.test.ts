import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSurroundings } from '../../src/context/surroundings.ts';
import { createTouchedFiles } from '../../src/git/touched.ts';

let home: string;
let root: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'cmem-said-'));
  root = join(home, 'work.shop');
  mkdirSync(root);
});
afterEach(() => rmSync(home, { recursive: true }));

const saidIn = async (home: string | null) =>
  (await readSurroundings(root, { home, isExcluded: () => false, hasExcluded: false, touched: createTouchedFiles() })).isSaid;

const RULES = `# Rules

- Always use tabs in Go files. Run gofmt before you commit.
- The retry cap is 7 attempts.

Deployments happen on Tuesdays,
never on Friday, because nobody is there at the weekend.
`;

describe('what the agent is told anyway', () => {
  test.each(['CLAUDE.md', 'CLAUDE.local.md', '.claude/CLAUDE.md', 'AGENTS.md'])('stands in %s', async (name) => {
    mkdirSync(join(root, '.claude'));
    writeFileSync(join(root, name), RULES);
    const isSaid = await saidIn(home);
    expect(isSaid('Use tabs in Go files, always')).toBe(true);
    expect(isSaid('The retry cap is 7 attempts')).toBe(true);
    expect(isSaid('Invoices are rounded half up')).toBe(false);
  });

  test('stands in the person’s own instructions and in the agent’s memory', async () => {
    const memory = join(home, '.claude/projects', root.replace(/[^A-Za-z0-9]/g, '-'), 'memory');
    mkdirSync(memory, { recursive: true });
    writeFileSync(join(home, '.claude/CLAUDE.md'), 'Answer in German.\n');
    writeFileSync(join(memory, 'MEMORY.md'), '- The staging database is called heron\n');
    const isSaid = await saidIn(home);
    expect(isSaid('Answer in German')).toBe(true);
    expect(isSaid('The staging database is called heron')).toBe(true);
    expect((await saidIn(null))('Answer in German')).toBe(false);
  });

  test.each([
    'Never use tabs in Go files',
    'The retry cap is 9 attempts',
    'Deployments happen on Friday, always',
    'The retry cap is not 7 attempts',
    'Run gofmt after you commit',
  ])('does not say what contradicts it: %s', async (text) => {
    writeFileSync(join(root, 'CLAUDE.md'), RULES);
    expect((await saidIn(null))(text)).toBe(false);
  });
});

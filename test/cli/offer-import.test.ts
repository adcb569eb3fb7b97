// What `install` offers of the past, to whom, and how often.
import { afterEach, beforeEach, describe, expect, spyOn, test } from 'bun:test';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { countPast, offerImport } from '../../src/cli/commands/import.ts';

const ROLLOUT = 'rollout-2026-01-05T10-00-00-0199a213-81c0-7800-8aa1-bbab2a035a53.jsonl';

let claudeFolder: string;
let printed: string[];

beforeEach(() => {
  claudeFolder = mkdtempSync(join(tmpdir(), 'claude-mem-past-'));
  printed = [];
  spyOn(console, 'log').mockImplementation((line) => void printed.push(String(line)));
});

afterEach(() => {
  spyOn(console, 'log').mockRestore();
  rmSync(claudeFolder, { recursive: true });
});

function write(path: string, bytes: number): void {
  const file = join(claudeFolder, 'projects', path);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, 'x'.repeat(bytes));
}

function makePast(): void {
  write('-home-ada-shop/one.jsonl', 1000);
  write('-home-ada-shop/two.jsonl', 2_000_000);
  write('-home-ada-shop/two/subagents/agent-a1.jsonl', 500_000);
  write('-home-ada-shop/two/tool-results/big.txt', 9_000_000);
  write('-home-ada-tea/three.jsonl', 3000);
}

type Answers = { yes?: boolean; answer?: string | null | 'nobody' };

async function offer({ yes = false, answer = 'nobody' }: Answers): Promise<{ asked: string[]; done: string[] }> {
  const asked: string[] = [];
  const done: string[] = [];
  const ask = async (question: string) => {
    asked.push(question);
    return answer;
  };
  await offerImport({
    claudeFolder,
    ask: answer === 'nobody' ? null : ask,
    yes,
    onAnswer: () => void done.push('noted'),
    importPast: async () => void done.push('imported'),
  });
  return { asked, done };
}

test('counts sessions, and the bytes of their subagents with them', async () => {
  makePast();
  expect(await countPast('/nowhere', claudeFolder)).toEqual({ sessions: { 'claude-code': 3 }, bytes: 2_504_000 });
  expect(await countPast('/nowhere', join(claudeFolder, 'nothing'))).toEqual({ sessions: {}, bytes: 0 });
});

test('counts those of other agents, where Claude Code keeps its own at the usual place', async () => {
  const home = claudeFolder;
  for (const path of ['.claude/projects/-shop/a.jsonl', `.codex/sessions/2026/01/05/${ROLLOUT}`]) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), 'x'.repeat(1000));
  }
  expect(await countPast(home, join(home, '.claude'))).toEqual({
    sessions: { 'claude-code': 1, codex: 1 },
    bytes: 2000,
  });
  expect((await countPast(home, join(home, 'elsewhere'))).sessions).toEqual({});
});

describe('offerImport', () => {
  test('asks with what was found', async () => {
    makePast();
    const { asked } = await offer({ answer: 'n' });
    expect(asked).toEqual(['Found transcripts: 3 of claude-code (2.5 MB); reading them costs no tokens. Import now? [Y/n] ']);
  });

  test.each<[string, Answers, string[]]>([
    ['Enter imports', { answer: '' }, ['noted', 'imported']],
    ['yes imports', { answer: 'Yes' }, ['noted', 'imported']],
    ['no does not, and is not asked again', { answer: 'n' }, ['noted']],
    ['what is not understood does not', { answer: 'what?' }, ['noted']],
    ['an input that ended does not, and is no answer', { answer: null }, []],
    ['nobody to ask: nothing', { answer: 'nobody' }, []],
    ['--yes imports with nobody to ask', { yes: true, answer: 'nobody' }, ['noted', 'imported']],
    ['--yes imports without a question', { yes: true, answer: 'n' }, ['noted', 'imported']],
  ])('%s', async (_, answers, expected) => {
    makePast();
    const { asked, done } = await offer(answers);
    expect(done).toEqual(expected);
    expect(asked).toHaveLength(answers.yes || answers.answer === 'nobody' ? 0 : 1);
  });

  test('says how, where nobody can be asked', async () => {
    makePast();
    await offer({});
    expect(printed.join('\n')).toContain('To import them: claude-mem import');
  });

  test('is silent without a past', async () => {
    expect(await offer({ answer: '' })).toEqual({ asked: [], done: [] });
    expect(await offer({ yes: true })).toEqual({ asked: [], done: [] });
    expect(printed).toEqual([]);
  });
});

// What `install` offers of the past: transcripts of every agent at the usual place, Claude Code's alone where it keeps them elsewhere.
import { expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { countPast } from '../../../src/cli/install/questions.ts';

const ROLLOUT = '.codex/sessions/2026/01/05/rollout-2026-01-05T10-00-00-0199a213-81c0-7800-8aa1-bbab2a035a53.jsonl';

test('counts sessions by agent, and the bytes of their subagents with them', async () => {
  const home = mkdtempSync(join(tmpdir(), 'claude-mem-past-'));
  for (const path of ['.claude/projects/-shop/a.jsonl', '.claude/projects/-shop/a/subagents/agent-a1.jsonl', ROLLOUT]) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), 'x'.repeat(1000));
  }
  expect(await countPast(home, join(home, '.claude'))).toEqual({ sessions: { 'claude-code': 1, codex: 1 }, bytes: 3000 });
  expect(await countPast('/nowhere', join(home, '.claude'))).toEqual({ sessions: { 'claude-code': 1 }, bytes: 2000 });
  expect((await countPast(home, join(home, 'elsewhere'))).sessions).toEqual({});
  rmSync(home, { recursive: true });
});

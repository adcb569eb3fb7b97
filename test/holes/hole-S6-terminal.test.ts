// hole-S6: at a terminal only a variable tells an agent from a person, and the one of VS Code's agent was not known.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createSandbox, runAtTerminal, type Sandbox } from '../support/sandbox.ts';

const CLI = join(import.meta.dir, '../../dist/cli.js');

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = createSandbox();
  await sandbox.startWorker();
});
afterAll(() => sandbox.dispose());

/** What each agent of src/agents, and some others, set for the commands that they run. */
const AGENTS: [string, Record<string, string>][] = [
  ['Claude Code', { CLAUDECODE: '1' }],
  ['Codex', { CODEX_CI: '1' }],
  ['Gemini CLI', { GEMINI_CLI: '1' }],
  ['Cursor', { CURSOR_AGENT: '1' }],
  ['opencode', { OPENCODE: '1' }],
  ['VS Code', { COPILOT_AGENT: '1' }],
  ['Roo Code', { ROO_ACTIVE: 'true' }],
  ['Pi', { PI_CODING_AGENT: 'true' }],
];

const run = (env: Record<string, string>, args: string[]) => runAtTerminal([process.execPath, CLI, ...args], { ...sandbox.env, ...env });

test.each(AGENTS)('hole-S6: %s at a terminal is no person', async (_, env) => {
  const { code, stderr } = await run(env, ['config', 'set', 'baseUrl', 'https://evil.example']);
  expect([code, existsSync(sandbox.paths.config)]).toEqual([1, false]);
  expect(stderr).toContain('Only a person may do this');
});

test('hole-S6: an agent does not read the log, which is of every project', async () => {
  expect((await run({}, ['logs'])).stdout).toContain('worker started');
  const { code, stdout, stderr } = await run({ CLAUDECODE: '1' }, ['logs']);
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toContain('agentAllProjects true');
});

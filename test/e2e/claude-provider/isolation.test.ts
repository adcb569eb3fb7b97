// The user's `claude` answers as if its user had set up nothing: no hooks, no notes, no servers, no trace of the question.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Question } from '../../../src/model/providers/contract.ts';
import { sayAnswer } from '../../model/providers/contract-cases.ts';
import { type FakeRequest, startFakeServer } from '../../model/providers/fake-server.ts';
import { messagesStreamWire } from '../../model/providers/messages-wire.ts';
import { claudeBinary } from '../claude-binary.ts';
import { makeClaudeHome } from './claude-home.ts';

const PHRASE = 'PLANTED-PHRASE-7391';
const PROMPT = 'a prompt with the rare words quokka marimba';
const claude = makeClaudeHome();
const traps = { hook: join(claude.home, 'a-hook-ran'), server: join(claude.home, 'a-server-ran') };
const server = startFakeServer();

let pid = 0;
let commandLine = '';
let request: FakeRequest;

beforeAll(async () => {
  plantEverything();
  server.replyWith(sayAnswer({ text: 'ok', stop: 'done' })(messagesStreamWire));
  const arrived = server.nextRequest();
  const ask = await claude.create(server.url);
  const question: Question = {
    instructions: 'SECRET-INSTRUCTIONS',
    prompt: PROMPT,
    maxOutputTokens: 4096,
    deadlineMs: 45_000,
    onRun: (run) => {
      if ('pid' in run) pid = run.pid;
      else commandLine = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    },
  };
  await ask(question);
  request = await arrived;
});

afterAll(async () => {
  server.close();
  await claude.close();
});

test('runs no hook and starts no server', () => {
  expect([existsSync(traps.hook), existsSync(traps.server)]).toEqual([false, false]);
});

test('tells the model nothing of what the user wrote for other sessions', () => {
  expect(JSON.stringify(request.body)).not.toContain(PHRASE);
  expect(request.body).toMatchObject({ model: 'claude-haiku-4-5', tools: [] });
});

test('tells the model nothing of the budget that ends it', () => {
  expect(JSON.stringify(request.body)).not.toContain('budget');
});

test('leaves no session and nothing of the question behind', () => {
  expect(existsSync(join(claude.home, '.claude', 'projects'))).toBe(false);
  const telling = filesUnder(claude.home).filter((file) => /quokka|SECRET-INSTRUCTIONS/.test(readFileSync(file, 'utf8')));
  expect(telling).toEqual([]);
});

test('shows the question to nobody who lists the processes', () => {
  expect(commandLine).toContain('--setting-sources');
  expect(commandLine).not.toMatch(/quokka|SECRET-INSTRUCTIONS/);
});

test('would have fallen into these traps otherwise', async () => {
  const environment = { PATH: '/usr/bin:/bin', HOME: claude.home, ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'sk' };
  const command = [await claudeBinary(), '--print', 'hello'];
  server.replyWith(sayAnswer({ text: 'ok', stop: 'done' })(messagesStreamWire));
  await Bun.spawn(command, { cwd: claude.cwd, env: environment, stdin: 'ignore', stdout: 'ignore' }).exited;
  expect([existsSync(traps.hook), existsSync(traps.server)]).toEqual([true, true]);
  expect(JSON.stringify(server.requests)).toContain(PHRASE);
  expect(existsSync(join(claude.home, '.claude', 'projects'))).toBe(true);
});

function plantEverything(): void {
  const hook = [{ hooks: [{ type: 'command', command: `touch ${traps.hook}` }] }];
  const events = ['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'Stop', 'SessionEnd', 'InstructionsLoaded', 'Setup'];
  const settings = { hooks: Object.fromEntries(events.map((event) => [event, hook])), outputStyle: 'planted' };
  const servers = { mcpServers: { planted: { command: 'touch', args: [traps.server] } } };
  const trusted = { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true, ...servers };
  plant(claude.home, '.claude/settings.json', { ...settings, enableAllProjectMcpServers: true });
  plant(claude.home, '.claude.json', { ...servers, projects: { [claude.cwd]: trusted } });
  plant(claude.cwd, '.claude/settings.json', { ...settings, enableAllProjectMcpServers: true });
  plant(claude.cwd, '.claude/settings.local.json', settings);
  plant(claude.cwd, '.mcp.json', servers);
  for (const folder of [claude.cwd, join(claude.home, '.claude')]) {
    plant(folder, 'CLAUDE.md', PHRASE);
    plant(folder, 'AGENTS.md', PHRASE);
    plant(folder, 'rules/planted.md', PHRASE);
    plant(folder, 'output-styles/planted.md', `---\nname: planted\ndescription: ${PHRASE}\n---\n${PHRASE}`);
    plant(folder, 'skills/planted/SKILL.md', `---\nname: planted\ndescription: ${PHRASE}\n---\n${PHRASE}`);
    plant(folder, 'agents/planted.md', `---\nname: planted\ndescription: ${PHRASE}\n---\n${PHRASE}`);
    plant(folder, 'commands/planted.md', PHRASE);
  }
  plant(claude.cwd, 'CLAUDE.local.md', PHRASE);
}

function plant(folder: string, name: string, content: string | object): void {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
}

function filesUnder(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

// What a client is told to start the tools by really starts them.
import { expect, test } from 'bun:test';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { createSandbox } from '../support/sandbox.ts';

const Start = z.object({ command: z.string(), args: z.array(z.string()) });

const inServers = (said: string) => JSON.parse(said).mcpServers['claude-mem'];
const CLIENTS: [string, (said: string) => unknown][] = [
  ['vscode', (said) => JSON.parse(said).servers['claude-mem']],
  ['zed', (said) => JSON.parse(said).context_servers['claude-mem']],
  ['codex', (said) => (Bun.TOML.parse(said) as { mcp_servers: Record<string, unknown> }).mcp_servers['claude-mem']], // Checked by Start.
  ...['cursor', 'gemini', 'claude-desktop', 'other'].map((client): [string, typeof inServers] => [client, inServers]),
];

async function listTools(start: string[], env: Record<string, string | undefined>): Promise<string> {
  const hello = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
  return await Bun.spawn(start, { stdin: new Blob([`${JSON.stringify(hello)}\n`]), env }).stdout.text();
}

test('each client is told to start what has the tools; once installed, without a PATH', async () => {
  const sandbox = createSandbox();
  try {
    const readStarts = async () => {
      const said = await Promise.all(CLIENTS.map(([client]) => sandbox.cli('mcp', '--config', client)));
      expect(said.map(({ code }) => code)).toEqual(CLIENTS.map(() => 0));
      return CLIENTS.map(([_, read], at) => Start.parse(read(said[at]?.stdout ?? '')));
    };
    for (const { command, args } of await readStarts()) expect([command, ...args]).toEqual(['claude-mem', 'mcp']);
    const bin = join(import.meta.dir, '../../bin/claude-mem');
    expect(await listTools([bin, 'mcp'], { ...sandbox.env, PATH: process.env.PATH })).toContain('"search"');

    mkdirSync(join(sandbox.home, '.gemini'));
    expect((await sandbox.cli('install', '--agent', 'gemini')).code).toBe(0);
    const [first, ...others] = await readStarts();
    expect(first?.command).toStartWith(sandbox.paths.dataDir);
    for (const other of others) expect(other).toEqual(first ?? expect.unreachable());
    expect(await listTools([first?.command ?? '', ...(first?.args ?? [])], { HOME: sandbox.home, PATH: '' })).toContain('"search"');
  } finally {
    await sandbox.dispose();
  }
});

test('a client that nobody knows is said to be unknown, with those that are', async () => {
  const sandbox = createSandbox();
  const { stderr, code } = await sandbox.cli('mcp', '--config', 'emacs');
  expect(code).toBe(2);
  expect(stderr).toContain('claude-desktop, cursor, vscode');
  await sandbox.dispose();
});

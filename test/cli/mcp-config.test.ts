// What a client is told to start the tools by really starts them.
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { z } from 'zod';
import { createSandbox } from '../support/sandbox.ts';

const Start = z.object({ command: z.string(), args: z.array(z.string()) });

test.each([
  ['vscode', (said: string) => JSON.parse(said).servers['claude-mem']],
  ['zed', (said: string) => JSON.parse(said).context_servers['claude-mem']],
  ['cursor', (said: string) => JSON.parse(said).mcpServers['claude-mem']],
])('%s', async (client, read) => {
  const sandbox = createSandbox();
  try {
    const { stdout, code } = await sandbox.cli('mcp', '--config', client);
    expect(code).toBe(0);
    const { command, args } = Start.parse(read(stdout));
    expect([command, ...args]).toEqual(['claude-mem', 'mcp']);
    const hello = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
    const bin = join(import.meta.dir, '../../bin', command);
    const child = Bun.spawn([bin, ...args], {
      stdin: new Blob([`${JSON.stringify(hello)}\n`]),
      env: { ...sandbox.env, PATH: process.env.PATH },
    });
    expect(await child.stdout.text()).toContain('"search"');
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

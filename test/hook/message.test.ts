// What a starting session says to its person: in the JSON for agents that show it, and on a terminal that the agent hands on.
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { join } from 'node:path';
import { sessionStart } from '../support/payloads.ts';
import { createSandbox, type Sandbox } from '../support/sandbox.ts';
import { until } from '../support/until.ts';

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = createSandbox();
  await sandbox.startWorker();
});
afterEach(() => sandbox.dispose());

/** With a terminal as stderr alone. */
async function start(env: Record<string, string>): Promise<{ message: string; seen: string }> {
  let seen = '';
  const data = (_: Bun.Terminal, bytes: Uint8Array) => {
    seen += new TextDecoder().decode(bytes);
  };
  await using terminal = new Bun.Terminal({ cols: 500, data });
  const payload = JSON.stringify(sessionStart('s', sandbox.project('shop')));
  const script = `printf %s '${payload}' | "$0" "$1" context | cat; printf END >&2`;
  const printed = join(sandbox.home, 'printed');
  const hook = [join(import.meta.dir, '../../plugin/bin/start-bun'), 'hook.js'];
  await Bun.spawn(['/bin/sh', '-c', `{ ${script}; } >'${printed}'`, ...hook], { env: { ...sandbox.env, ...env }, terminal }).exited;
  await until(() => seen.endsWith('END'));
  return { message: JSON.parse(await Bun.file(printed).text()).systemMessage, seen: seen.slice(0, -3).replaceAll('\r', '') };
}

test('is coloured there, plain where that is wanted, and nowhere else', async () => {
  const { message, seen } = await start({ TERM: 'xterm' });
  expect(message).toContain('claude-mem');
  expect(seen).toMatch(/^\x1b\[36m.*\x1b\[0m\n$/s);
  expect(Bun.stripANSI(seen)).toBe(`${message}\n`);
  for (const [name, value] of [
    ['NO_COLOR', '1'],
    ['TERM', 'dumb'],
  ] as const) {
    const plain = await start({ TERM: 'xterm', [name]: value });
    expect(plain.seen).toBe(`${plain.message}\n`);
  }
  expect((await sandbox.hook('context', sessionStart('s', sandbox.project('shop')))).stderr).toBe('');
});

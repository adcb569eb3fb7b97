// OpenCode's plugin, driven as OpenCode drives it: what it has hooks told, and what it tells the model. Its hook is a stand-in.
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SETUPS } from '../../src/agents/setups.ts';

type Call = (input: object, output?: object) => Promise<void>;
type Plugin = Record<'event' | 'chat.message' | 'tool.execute.after' | 'experimental.chat.system.transform', Call>;

let folder: string;
let plugin: Plugin;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "opencode's plugin "));
  const launcher = join(folder, 'start-bun');
  // Notes each payload, and answers with which it was.
  const answer = `printf '{"hookSpecificOutput":{"additionalContext":"told %s"}}' $(wc -l <"$0.log")`;
  writeFileSync(launcher, `#!/bin/sh\n{ cat; echo; } >>"$0.log"\n${answer}\n`);
  chmodSync(launcher, 0o755);
  const file = join(folder, 'claude-mem.mjs');
  writeFileSync(file, SETUPS.opencode?.files[0]?.put('', launcher, '') ?? '');
  plugin = await (await import(file)).ClaudeMem({ directory: folder });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const listTold = () =>
  readFileSync(join(folder, 'start-bun.log'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
const say = (text: string) => plugin['chat.message']({ sessionID: 's', messageID: text }, { message: {}, parts: [{ type: 'text', text }] });
const readSystem = async () => {
  const system: string[] = [];
  await plugin['experimental.chat.system.transform']({ sessionID: 's' }, { system });
  return system;
};

test('the model has the context with every request, and anew once the session was compacted', async () => {
  await say('one');
  expect(await readSystem()).toEqual(['told 1', 'told 2']);
  expect(await readSystem()).toEqual(['told 1', 'told 2']);
  const compacted = plugin.event({ event: { type: 'session.compacted', properties: { sessionID: 's' } } });
  expect(await readSystem()).toEqual(['told 1', 'told 2']);
  await compacted;
  expect(await readSystem()).toEqual(['told 3']);
  await say('two');
  expect(await readSystem()).toEqual(['told 3', 'told 4']);
  expect(listTold()).toMatchObject([
    { hook_event_name: 'SessionStart', source: 'startup', session_id: 's', cwd: folder },
    { hook_event_name: 'UserPromptSubmit', prompt: 'one', prompt_id: 'one' },
    { hook_event_name: 'SessionStart', source: 'compact' },
    { hook_event_name: 'UserPromptSubmit', prompt: 'two' },
  ]);
});

test('events that it does not know, and sessions that it was told nothing of, start no hook', async () => {
  for (const type of ['session.compacted', 'added.later']) await plugin.event({ event: { type, properties: { sessionID: 'x' } } });
  await say('one');
  expect(listTold()).toHaveLength(2);
});

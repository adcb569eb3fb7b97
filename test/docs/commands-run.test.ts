// What a document shows in a block of code is run as it is written, by a person at a terminal; what it names in a sentence is understood.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { chmodSync, copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildProgram } from '../../src/cli/program.ts';
import { GENERATIONS, ONE_SESSION, writePeer } from '../import/original-database.ts';
import { createLines } from '../support/claude-lines.ts';
import { createSandbox, runAtTerminal, type Sandbox } from '../support/sandbox.ts';
import { toLines } from '../support/transcript.ts';
import { until } from '../support/until.ts';

const ROOT = join(import.meta.dir, '../..');
const PAGES = ['README.md', ...readdirSync(join(ROOT, 'docs')).flatMap((name) => (name.endsWith('.md') ? [`docs/${name}`] : []))];
const read = (page: string) => readFileSync(join(ROOT, page), 'utf8');

/** Lines of code blocks that call `claude-mem`. What is npm's or Claude Code's is run by the tests of installing; what needs a hub and
 * other machines by hub-run.test.ts. */
const SHOWN = PAGES.flatMap((page) => {
  // Every second part stands between fences; those of a language other than the shell's show something else.
  const blocks = read(page)
    .split(/^```/m)
    .filter((part, at) => at % 2 === 1 && /^(sh)?\n/.test(part))
    .map((part) => part.replace(/(&&|\\)\n\s*/g, '$1 '));
  const lines = blocks.flatMap((block) => block.split('\n')).map((line) => line.replace(/^\$ /, '').trim());
  return lines
    .filter((line) => /(^|[ (])claude-mem [a-z]/.test(line) && !/^(npm|npx|claude) |^[#<]/.test(line))
    .filter((line) => !/claude-mem (hub|sync|team)\b| author:/.test(line))
    .map((line) => [page, line] as const);
});

let sandbox: Sandbox;
let shop: string;
const run = (line: string) =>
  runAtTerminal(['bash', '-c', line], { ...sandbox.env, PATH: `${sandbox.home}/bin:/usr/bin:/bin`, TERM: 'xterm' }, { cwd: shop });

/** The machine that the documents speak of. */
beforeAll(async () => {
  sandbox = createSandbox();
  shop = sandbox.project('shop');
  const stub = join(sandbox.project('bin'), 'claude-mem');
  writeFileSync(stub, `#!/bin/sh\nexec '${process.execPath}' '${join(ROOT, 'dist/cli.js')}' "$@"\n`);
  chmodSync(stub, 0o755);
  for (const folder of [
    '.local/share/bash-completion/completions',
    '.zsh/completions',
    '.config/fish/completions',
    'old-laptop/.claude/projects/shop',
    '.claude/projects/shop',
    '.codex',
  ])
    mkdirSync(join(sandbox.home, folder), { recursive: true });
  const { prompt, bash, say } = createLines({ session: 'old', cwd: shop, from: Date.now() - 86_400_000 });
  const past = toLines([prompt('Test it', 'p'), ...bash('t', 'npm test', '12 pass'), say('Done.')]);
  for (const folder of ['old-laptop/.claude/projects/shop', '.claude/projects/shop'])
    writeFileSync(join(sandbox.home, folder, 'old.jsonl'), past);
  for (const text of ['We retry uploads seven times', 'Dates are saved as epoch milliseconds']) await run(`claude-mem remember "${text}"`);
  await run('claude-mem export made.jsonl');
  writePeer(join(sandbox.paths.dataDir, 'claude-mem.db'), GENERATIONS['version 10'] ?? {}, ONE_SESSION);
});
afterAll(() => sandbox.dispose());

/** A worker that has just started names its address a moment before it serves there. */
const isServed = () =>
  until(async () => {
    const { address } = JSON.parse((await sandbox.cli('token', '--json')).stdout);
    return address !== null && (await fetch(`${address}/health`).catch(() => null))?.ok;
  });

describe.skipIf(['jq', 'curl', 'bash'].some((program) => Bun.which(program) === null))('what is shown is run', () => {
  test.each(SHOWN)('%s: %s', async (_, line) => {
    for (const name of ['memory.jsonl', 'theirs.jsonl', 'shop.jsonl', 'new.jsonl']) {
      if (line.includes(' import ')) copyFileSync(join(shop, 'made.jsonl'), join(shop, name));
      else rmSync(join(shop, name), { force: true });
    }
    if (line.includes('curl ')) await isServed();
    const { code, stderr, stdout } = await run(line);
    // The doctor says 1 of a machine on which nothing is installed.
    const isFine = code === 0 || (code === 1 && line.startsWith('claude-mem doctor'));
    expect(isFine ? '' : `${code}: ${stderr}${stdout}`).toBe('');
    if (line.includes(' pause ')) await run('claude-mem resume --all');
  });

  test('there is something to run', () => expect(SHOWN.length).toBeGreaterThan(20));
});

/** With and without what stands in brackets; a word in capitals stands for a value. */
function spellOut(said: string): string[][] {
  const whole = said.replace(/\[([^[\]]*(?:\[[^[\]]*\])?[^[\]]*)\]/g, (_, inside: string) => inside.replace(/[[\]]/g, ''));
  const bare = said.replace(/ ?\[[^[\]]*(?:\[[^[\]]*\])?[^[\]]*\]/g, '');
  return [...new Set([whole, bare])].map((line) => {
    const words = line.replace(/ [<|#].*$/, '').match(/'[^']*'|"[^"]*"|\S+/g) ?? [];
    return words.slice(1).map((word) => word.replace(/^['"]|['"]$/g, '').replace(/…$/, ''));
  });
}

const NAMED = [...new Set(PAGES.flatMap((page) => [...read(page).matchAll(/`(claude-mem [a-z][^`\n]*)`/g)].map(([, said = '']) => said)))];

test.each(NAMED)('`%s` is understood', async (said) => {
  for (const words of spellOut(said)) {
    const program = buildProgram();
    const problems: string[] = [];
    const stand = (command: typeof program): void => {
      command.exitOverride((error) => {
        // What is named without its arguments is a name, not a line to type.
        if (error.exitCode !== 0 && error.code !== 'commander.missingArgument') problems.push(error.message);
        throw error;
      });
      command.configureOutput({ writeErr: () => undefined, writeOut: () => undefined }).action(() => undefined);
      command.commands.forEach(stand);
    };
    program.commands.forEach(stand);
    program.exitOverride((error) => {
      problems.push(error.message);
      throw error;
    });
    await program.parseAsync(words, { from: 'user' }).catch(() => undefined);
    expect([words, problems]).toEqual([words, []]);
  }
});

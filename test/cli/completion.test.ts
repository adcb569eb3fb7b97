// Completion as a person meets it: a real shell at a terminal, the tab key, and the command that comes of it.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { serveFakeWorker } from '../support/fake-worker.ts';
import { createSandbox, type Sandbox } from '../support/sandbox.ts';
import { until } from '../support/until.ts';

const CLI = join(import.meta.dir, '../../dist/cli.js');
const READY = 'ready> ';
/** The name of a folder can be anything. */
const HOSTILE = 'odd$(touch pwned)`touch pwned`; touch pwned';

let sandbox: Sandbox;
let worker: ReturnType<typeof serveFakeWorker>;
beforeAll(() => {
  sandbox = createSandbox();
  const projects = ['shop', HOSTILE].map((project) => ({ project, root: `/home/dev/${project}` }));
  // As one that is busy.
  worker = serveFakeWorker(sandbox.paths, () => Bun.sleep(300).then(() => ({ items: projects, total: 2 })));
  // Answers the shell as the real one does; what is then run, it writes down.
  const stub = join(sandbox.project('bin'), 'claude-mem');
  writeFileSync(
    stub,
    `#!/bin/sh
case $1 in complete|completion) exec '${process.execPath}' '${CLI}' "$@" ;; esac
for word; do printf '%s\\n' "$word"; done > "$HOME/run.part" && mv "$HOME/run.part" "$HOME/run"
`,
  );
  chmodSync(stub, 0o755);
});
afterAll(async () => {
  await worker.close();
  await sandbox.dispose();
});

/** `file`: what it reads at its start, and not what is typed: the prompt is the first that is shown. */
const SHELLS: Record<string, { command: string[]; file: string; setUp: string }> = {
  bash: {
    command: ['bash', '--noprofile', '--rcfile', '.rc', '-i'],
    file: '.rc',
    setUp: `PS1='${READY}'; source <(claude-mem completion bash)`,
  },
  zsh: {
    command: ['zsh', '-d', '-i'],
    file: '.zshrc',
    setUp: `PS1='${READY}'; autoload -Uz compinit; compinit -D -u; source <(claude-mem completion zsh)`,
  },
  fish: {
    command: ['fish', '--no-config', '-C', 'source .fishrc', '-i'],
    file: '.fishrc',
    setUp: `claude-mem completion fish | source; function fish_prompt; printf '${READY}'; end`,
  },
};

/** What `claude-mem` was called with when this was typed, with tabs in it. */
async function type(shell: string, typed: string): Promise<string[]> {
  const { command = [], file = '', setUp = '' } = SHELLS[shell] ?? {};
  writeFileSync(join(sandbox.home, file), `${setUp}\n`);
  const ran = join(sandbox.home, 'run');
  rmSync(ran, { force: true });
  let shown = '';
  const decoder = new TextDecoder();
  const data = (_: Bun.Terminal, bytes: Uint8Array) => {
    shown += decoder.decode(bytes, { stream: true });
  };
  await using terminal = new Bun.Terminal({ cols: 120, rows: 30, data });
  const env = { ...sandbox.env, TERM: 'xterm', PATH: `${sandbox.home}/bin:/usr/bin:/bin` };
  // A shell wants to own its terminal.
  const child = Bun.spawn(['setsid', '--ctty', ...command], { cwd: sandbox.home, env, terminal });
  try {
    await until(() => shown.replace(/\x1b[^a-zA-Z]*[a-zA-Z]/g, '').includes(READY));
    terminal.write(typed);
    await until(() => existsSync(ran), 30_000).catch(() => Promise.reject(new Error(`nothing was run:\n${shown}`)));
    return readFileSync(ran, 'utf8').trimEnd().split('\n');
  } finally {
    child.kill('SIGKILL');
    await child.exited;
  }
}

describe.each(Object.keys(SHELLS))('%s', (shell) => {
  const here = test.skipIf(Bun.which(shell) === null);

  here('completes commands, options, types and settings', async () => {
    expect(await type(shell, 'claude-mem rec\t--sin\tyesterday\r')).toEqual(['recap', '--since', 'yesterday']);
    expect(await type(shell, 'claude-mem search x --ty\tdecision,bug\t\r')).toEqual(['search', 'x', '--type', 'decision,bugfix']);
    expect(await type(shell, 'claude-mem config set quiet\t9\r')).toEqual(['config', 'set', 'quietSeconds', '9']);
  });

  here('completes projects, and runs nothing of their names', async () => {
    expect(await type(shell, 'claude-mem recap --project sh\t\r')).toEqual(['recap', '--project', 'shop']);
    expect(await type(shell, 'claude-mem recap --project odd\t\r')).toEqual(['recap', '--project', HOSTILE]);
    expect(existsSync(join(sandbox.home, 'pwned'))).toBe(false);
  });
});

const complete = async (...words: string[]) => (await sandbox.cli('complete', '--', ...words)).stdout;

test('an agent gets no names of projects', async () => {
  expect(await complete('search', '--project', '')).toContain('shop\t');
  sandbox.env.CLAUDECODE = '1';
  expect(await complete('search', '--project', '')).toBe('');
  delete sandbox.env.CLAUDECODE;
});

test.each([
  [['jobs', ''], 'cancel\t'],
  [['rules', 'pro'], 'promote\t'],
  [['search', '--order', 'd'], 'date\t'],
  [['search', '--type', '=', 'dis'], 'discovery\t'],
  [['--col'], '--color\t'],
  [['--color', 'a'], 'auto\t\nalways\t'],
  [['search', '--why', '--w'], '--why\t'],
])('%p', async (words, expected) => {
  expect(await complete(...words)).toStartWith(expected);
});

// `claude-mem search --interactive` in a real terminal (tmux) with a real worker.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createSandbox, type Sandbox } from '../support/sandbox.ts';
import { until } from '../support/until.ts';

const CLI = join(import.meta.dir, '../../dist/cli.js');
const has = (program: string) => Bun.which(program) !== null;

let sandbox: Sandbox;
let socket: string;
let servers = 0;
beforeAll(async () => {
  sandbox = createSandbox();
  await sandbox.startWorker();
  for (const text of ['Uploads are retried seven times', 'Prices are kept in cents', 'The slug keeps every dash']) {
    await sandbox.person('remember', text);
  }
});
afterAll(() => sandbox.dispose());

const tmux = (...args: string[]) => {
  const { stdout, stderr, exitCode } = Bun.spawnSync(['tmux', '-S', socket, '-f', '/dev/null', ...args], {
    env: { ...sandbox.env, TERM: 'xterm' },
    timeout: 10_000,
  });
  if (exitCode !== 0) throw new Error(`tmux ${args.join(' ')}: ${stderr}`);
  return stdout.toString();
};
const screen = () => tmux('capture-pane', '-p', '-t', 'it').trimEnd();
const press = (...keys: string[]) => tmux('send-keys', '-t', 'it', ...keys);
const shows = (text: string) =>
  until(() => screen().includes(text)).catch(() => Promise.reject(new Error(`no "${text}" in:\n${screen()}`)));
/** Of the row that Enter would print. */
const chosen = () => /^> +\d+ {2}(.*?) {2}/m.exec(screen().split('\n').slice(1).join('\n'))?.[1];

let pid: number;
const settings = (name: string) => readFileSync(join(sandbox.home, name), 'utf8');

/** As it was: not the other screen, with a cursor, and lines that are edited and echoed. */
async function expectRestored(code: number): Promise<void> {
  await shows(`ended with ${code}`);
  await until(() => existsSync(join(sandbox.home, 'after')) && settings('after') !== '');
  expect(tmux('display-message', '-p', '-t', 'it', '#{alternate_on} #{cursor_flag}').trim()).toBe('0 1');
  expect(settings('after')).toBe(settings('before'));
}

describe.skipIf(!has('tmux') || !existsSync('/proc/self'))('the finder', () => {
  beforeEach(async () => {
    for (const name of ['before', 'after', 'out']) rmSync(join(sandbox.home, name), { force: true });
    // A server of its own each: one that is ending still has its socket.
    socket = join(sandbox.home, `tmux-${++servers}.sock`);
    // What it prints goes to a file, as in `x=$(claude-mem search -i)`; what the terminal was and is like, too.
    const run = `stty -g > before; '${process.execPath}' '${CLI}' search -i --all > out; echo "ended with $?"; stty -g > after; exec sleep 600`;
    tmux('new-session', '-d', '-x', '80', '-y', '24', '-s', 'it', '-c', sandbox.home, run);
    tmux('set-option', '-g', 'set-clipboard', 'on');
    await shows('Enter: print');
    const shell = tmux('display-message', '-p', '-t', 'it', '#{pane_pid}').trim();
    pid = Number(readFileSync(`/proc/${shell}/task/${shell}/children`, 'utf8').trim());
  });
  afterEach(() => void tmux('kill-server'));

  test('starts with the newest, finds as you type, and prints what Enter chooses', async () => {
    await shows('3 of 3');
    expect(screen().split('\n')).toHaveLength(24);
    expect(chosen()).toStartWith('The slug keeps');
    press('Down');
    await until(() => chosen()?.startsWith('Prices'));
    press('-l', 'uploads');
    await shows('> uploads');
    await until(() => chosen()?.startsWith('Uploads are retried'));
    await shows('From: ');
    press('Enter');
    await expectRestored(0);
    expect(settings('out')).toMatch(/^#1 .* Uploads are retried seven times\n/);
  });

  test('draws nothing more once it has left: a preview that comes late is not shown', async () => {
    await shows('3 of 3');
    press('Down', 'Enter');
    await expectRestored(0);
    expect(screen()).toBe('ended with 0');
  });

  test('copies with Ctrl-Y, and prints nothing then', async () => {
    press('-l', 'cents');
    await until(() => chosen()?.startsWith('Prices'));
    press('C-y');
    await expectRestored(0);
    expect(tmux('show-buffer')).toContain('Prices are kept in cents');
    expect(settings('out')).toBe('');
  });

  test('follows the size of the terminal, and edits the query', async () => {
    tmux('resize-window', '-t', 'it', '-x', '60', '-y', '12');
    await until(() => screen().split('\n').length === 12 && screen().includes('─'.repeat(60)));
    for (const line of screen().split('\n')) expect(Bun.stringWidth(line)).toBeLessThanOrEqual(60);
    press('-l', 'slug of zebras');
    press('C-w', 'BSpace', 'BSpace', 'BSpace');
    await until(() => /^> slug +1 of 1$/m.test(screen()));
    press('C-u');
    await shows('3 of 3');
    press('Escape');
    await expectRestored(130);
    expect(settings('out')).toBe('');
  });

  test.each([
    ['SIGTERM', 143],
    ['SIGHUP', 129],
    ['SIGINT', 130],
    ['SIGQUIT', 131],
  ] as const)('gives the terminal back on %s', async (signal, code) => {
    process.kill(pid, signal);
    await expectRestored(code);
  });

  test('Ctrl-C leaves; stopped, it gives the terminal back until it goes on', async () => {
    process.kill(pid, 'SIGTSTP');
    await until(() => tmux('display-message', '-p', '-t', 'it', '#{alternate_on}').trim() === '0');
    await until(() => readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') T '));
    process.kill(pid, 'SIGCONT');
    await shows('Enter: print');
    press('C-c');
    await expectRestored(130);
  });
});

test('without a terminal it says so', async () => {
  expect(await sandbox.cli('search', '-i')).toMatchObject({ code: 1, stderr: expect.stringContaining('needs a terminal') });
});

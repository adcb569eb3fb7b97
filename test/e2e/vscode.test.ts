// The extension in a real VS Code: its open build of npm, code-server, with its window in Chromium, and the real worker.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from '@playwright/test';
import { findChromium } from '../../scripts/chromium.ts';
import { playLive } from '../support/played-session.ts';
import { createSandbox, type Sandbox } from '../support/sandbox.ts';
import { until } from '../support/until.ts';
import { findProgram } from './npm-program.ts';
import { endProcessesOf } from './processes.ts';
import { TEST_TIMEOUT_MS } from './sandbox.ts';

setDefaultTimeout(TEST_TIMEOUT_MS);

const ROOT = join(import.meta.dir, '../..');
const EXTENSION = join(ROOT, 'extensions/vscode');
/** The command `code-server` itself needs a module that is built as it is installed; VS Code's server within does not. */
const SERVER = {
  name: 'code-server',
  package: 'code-server',
  version: '4.100.3',
  command: 'code-server/lib/vscode/out/server-main.js',
  prints: '1.100.3',
  unbuilt: 'code-server/lib/vscode',
  megabytes: 290,
};
/** What waits for the editor, on a machine that is busy with other tests. */
const MOST_MS = 120_000;

let sandbox: Sandbox;
let project: string;
let server: Bun.Subprocess;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  sandbox = createSandbox();
  project = sandbox.project('shop');
  writeFileSync(join(project, 'cart.py'), 'DAYS = 7\n');
  await sandbox.startWorker();
  await playLive(sandbox, {
    id: 'keeps',
    cwd: project,
    from: Date.now() - 60_000,
    turns: [
      {
        prompt: 'Keep carts for a week',
        acts: [{ edit: 'cart.py', old: 'DAYS = 1', new: 'DAYS = 7' }],
        closing: 'We decided to keep carts for a week because people come back at the weekend.',
      },
    ],
  });
  await until(() => sandbox.query('SELECT 1 FROM observations').length > 0);
  await placeExtension();
  const address = await startServer();
  browser = await chromium.launch({
    executablePath: await findChromium(),
    args: ['--no-sandbox', '--disable-gpu', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'],
    env: sandbox.env,
    timeout: MOST_MS,
  });
  page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  page.setDefaultTimeout(MOST_MS);
  await page.goto(`${address}/?folder=${project}`);
});

afterAll(async () => {
  await browser?.close();
  // A group of its own: the server and all that it has started.
  if (server?.exitCode === null) process.kill(-server.pid, 'SIGTERM');
  await server?.exited;
  await sandbox.dispose();
  expect(await endProcessesOf(sandbox.home)).toEqual([]);
});

/** Built by the command of its package. */
async function placeExtension(): Promise<void> {
  const place = join(sandbox.home, 'extensions/claude-mem.claude-mem-vscode-0.1.0');
  mkdirSync(place, { recursive: true });
  cpSync(join(EXTENSION, 'package.json'), join(place, 'package.json'));
  const build = Bun.spawn([process.execPath, 'run', '--silent', 'build', `--outfile=${join(place, 'dist/extension.js')}`], {
    cwd: EXTENSION,
    env: sandbox.env,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  expect(await build.exited).toBe(0);
}

/** On a port that is free; its address. */
async function startServer(): Promise<string> {
  const command = join(sandbox.home, 'claude-mem');
  writeFileSync(command, `#!/bin/sh\nexec '${process.execPath}' '${ROOT}/dist/cli.js' "$@"\n`, { mode: 0o755 });
  const data = join(sandbox.home, 'vscode');
  mkdirSync(join(data, 'Machine'), { recursive: true });
  writeFileSync(join(data, 'Machine/settings.json'), JSON.stringify({ 'claudeMem.command': command }));
  const extensions = ['--extensions-dir', join(sandbox.home, 'extensions'), '--builtin-extensions-dir', sandbox.project('none')];
  const folders = ['--server-data-dir', data, '--user-data-dir', data];
  const alone = ['--without-connection-token', '--disable-telemetry', '--disable-workspace-trust', '--disable-update-check'];
  const log = join(data, 'server.log');
  server = Bun.spawn(['node', await findProgram(SERVER), '--host=127.0.0.1', '--port=0', ...alone, ...extensions, ...folders], {
    env: { ...sandbox.env, PATH: process.env.PATH ?? '', EXTENSIONS_GALLERY: '{}' },
    stdio: ['ignore', Bun.file(log), Bun.file(log)],
    detached: true,
  });
  const port = await until(() => {
    const said = readFileSync(log, 'utf8');
    if (server.exitCode !== null) throw new Error(`VS Code's server has ended: ${said}`);
    return /listening on (\d+)/.exec(said)?.[1];
  });
  return `http://127.0.0.1:${port}`;
}

async function runCommand(title: string): Promise<void> {
  const row = page.locator('.quick-input-list .monaco-list-row', { hasText: title });
  await until(async () => {
    await page.keyboard.press('F1');
    await page.locator('.quick-input-widget input').fill(`>${title}`);
    // A list that was opened before the extension was there does not take its commands up.
    return row.click({ timeout: 5000 }).then(
      () => true,
      () => false,
    );
  });
}

const lineOf = (editor: string, text: string) => page.locator(`.monaco-editor${editor} .view-line`, { hasText: text }).first();
const [FILE, ANSWER] = ['[data-uri$="/cart.py"]', '[data-uri^="untitled:"]'];
const listSaves = () => sandbox.query<{ payload: string }>("SELECT payload FROM events WHERE payload LIKE '%FileSave%'");

test('it shows what the next session gets, records what is saved, and shows the history of the open file', async () => {
  await page.locator('.explorer-viewlet .monaco-list-row', { hasText: 'cart.py' }).dblclick();
  await lineOf(FILE, 'DAYS = 7').waitFor();
  // This starts the extension: what is saved before is not recorded.
  await runCommand('claude-mem: Show what the next session gets');
  await lineOf(ANSWER, 'keep carts for a week').waitFor();

  await page.locator('.tab[data-resource-name="cart.py"]').click();
  await lineOf(FILE, 'DAYS = 7').click();
  await page.keyboard.press('Control+End');
  await page.keyboard.insertText('HOURS = 2');
  await lineOf(FILE, 'HOURS = 2').waitFor();
  await page.keyboard.press('Control+s');
  await until(() => listSaves().length > 0);
  expect(listSaves().map(({ payload }) => payload)).toEqual([expect.stringContaining('+HOURS = 2')]);
  expect(sandbox.query("SELECT host, cwd FROM sessions WHERE host = 'vscode'")).toEqual([{ host: 'vscode', cwd: project }]);

  await runCommand('claude-mem: Show the history of this file');
  await lineOf(ANSWER, '# cart.py').waitFor();
  await lineOf(ANSWER, 'people come back at the weekend').waitFor();
});

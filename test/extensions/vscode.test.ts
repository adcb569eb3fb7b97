// The VS Code extension as it is built, in a stand-in for the editor, with the real worker: what a person saves is remembered and shown.
import { afterAll, beforeAll, expect, mock, test } from 'bun:test';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSandbox, type Sandbox } from '../support/sandbox.ts';
import { until } from '../support/until.ts';

const ROOT = join(import.meta.dir, '../..');

type Document = { uri: { scheme: string; fsPath: string }; getText: () => string };
type Listener = (document: Document) => void;

let sandbox: Sandbox;
let project: string;
const shown: string[] = [];
const commands = new Map<string, () => Promise<void>>();
const listeners: Record<string, Listener> = {};
const editor: { document?: Document } = {};
let answers: string[] = [];
let extension: { activate: (context: object) => void; deactivate: () => Promise<void> };

const on = (name: string) => (listener: Listener) => {
  listeners[name] = listener;
  return { dispose: () => undefined };
};

beforeAll(async () => {
  sandbox = createSandbox();
  project = sandbox.project('shop');
  const script = join(sandbox.home, 'claude-mem');
  writeFileSync(script, `#!/bin/sh\nHOME='${sandbox.home}' exec '${process.execPath}' '${ROOT}/dist/cli.js' "$@"\n`, { mode: 0o755 });
  const settings: Record<string, unknown> = { command: script };
  const folder = { uri: { fsPath: project } };
  mock.module('vscode', () => ({
    workspace: {
      getConfiguration: () => ({ get: (name: string, otherwise: unknown) => settings[name] ?? otherwise }),
      getWorkspaceFolder: ({ fsPath }: Document['uri']) => (fsPath.startsWith(project) ? folder : undefined),
      workspaceFolders: [folder],
      textDocuments: [],
      asRelativePath: (path: string | Document['uri']) => (typeof path === 'string' ? path : path.fsPath).slice(project.length + 1),
      openTextDocument: async ({ content }: { content: string }) => content,
      onDidOpenTextDocument: on('open'),
      onDidSaveTextDocument: on('save'),
      onDidCloseTextDocument: on('close'),
    },
    window: {
      get activeTextEditor() {
        return editor.document ? editor : undefined;
      },
      showTextDocument: async (content: string) => shown.push(content),
      showErrorMessage: (text: string) => shown.push(`error: ${text}`),
      showInputBox: async () => answers.shift(),
      showQuickPick: async (rows: object[]) => rows[0],
    },
    commands: { registerCommand: (name: string, run: () => Promise<void>) => commands.set(name, run) },
  }));
  const outdir = mkdtempSync(join(sandbox.home, 'extension-'));
  const built = await Bun.build({
    entrypoints: [join(ROOT, 'extensions/vscode/src/extension.ts')],
    target: 'node',
    external: ['vscode'],
    outdir,
  });
  expect(built.success).toBeTrue();
  extension = await import(join(outdir, 'extension.js'));
  extension.activate({ subscriptions: [] });
});

afterAll(() => sandbox.dispose());

const open = (name: string, text: string): { document: Document; write: (next: string) => void } => {
  let now = text;
  const document = { uri: { scheme: 'file', fsPath: join(project, name) }, getText: () => now };
  return { document, write: (next) => (now = next) };
};
const run = async (name: string): Promise<string> => {
  await commands.get(name)?.();
  return shown.at(-1) ?? '';
};
const tools = () => sandbox.query<{ payload: string }>("SELECT payload FROM events WHERE kind = 'tool'");

test('what is saved is an event of the project, and found again by its file, by words, and by the next session', async () => {
  const { document, write } = open('cart.ts', 'one\nDAYS = 1\nthree\n');
  listeners.open?.(document);
  write('one\nDAYS = 7\nthree\n');
  listeners.save?.(document);
  // The extension has started it.
  await until(async () => (await sandbox.workerPid()) !== null);
  await until(() => tools().length === 1);
  expect(tools()[0]?.payload).toContain('+DAYS = 7');
  expect(tools()[0]?.payload).not.toContain('three');
  expect(sandbox.query("SELECT host FROM sessions WHERE host_session_id LIKE 'vscode-%'")).toEqual([{ host: 'vscode' }]);

  // Saved without a change, outside of the workspace, or not a file: none of it is recorded.
  listeners.save?.(document);
  listeners.save?.({ uri: { scheme: 'untitled', fsPath: join(project, 'x') }, getText: () => 'x' });
  await extension.deactivate();
  await until(() => sandbox.query('SELECT 1 FROM observations').length > 0);
  expect(tools()).toHaveLength(1);

  editor.document = document;
  expect(await run('claudeMem.fileHistory')).toContain('# cart.ts');
  expect(shown.at(-1)).toMatch(/^## .*cart\.ts/m);
  answers = ['DAYS'];
  expect(await run('claudeMem.search')).toContain('cart.ts');
  expect(await run('claudeMem.context')).toContain('cart.ts');
});

test('with no file open it says so', async () => {
  editor.document = undefined;
  expect(await run('claudeMem.fileHistory')).toBe('error: Open a file first.');
});

test('no workspace changes a setting: a repository can bring files of the editor with it', () => {
  const { contributes } = JSON.parse(readFileSync(join(ROOT, 'extensions/vscode/package.json'), 'utf8'));
  const settings = Object.entries<{ scope?: string }>(contributes.configuration.properties);
  expect(settings.length).toBeGreaterThan(1);
  expect(settings.filter(([, { scope }]) => scope !== 'machine').map(([name]) => name)).toEqual([]);
});

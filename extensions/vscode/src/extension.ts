// A window of the editor is a session: its saves are recorded, and what is known of the workspace and the open file can be looked at.
import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { changedPart } from './changed-part.ts';
import { type Client, createClient } from './client.ts';

/** As long without a save, what was saved before is one piece of work. */
const IDLE_MS = 5 * 60_000;
/** Longer ones are generated. */
const MOST_TEXT = 1_000_000;

let end: (() => Promise<void>) | null = null;

export function activate(context: vscode.ExtensionContext): void {
  const settings = () => vscode.workspace.getConfiguration('claudeMem');
  const client = createClient(settings().get('command', ''));
  const window = openWindow(client, () => settings().get('recordSaves', true));
  end = window.end;
  const commands = {
    'claudeMem.context': () => showContext(client),
    'claudeMem.fileHistory': () => showHistory(client),
    'claudeMem.search': () => search(client),
  };
  const registered = Object.entries(commands).map(([name, run]) => vscode.commands.registerCommand(name, () => run().catch(complain)));
  context.subscriptions.push(
    ...registered,
    vscode.workspace.onDidOpenTextDocument(window.open),
    vscode.workspace.onDidSaveTextDocument(window.save),
    vscode.workspace.onDidCloseTextDocument(window.close),
  );
  for (const document of vscode.workspace.textDocuments) window.open(document);
}

export const deactivate = async (): Promise<void> => end?.();

const complain = (error: unknown) => void vscode.window.showErrorMessage(error instanceof Error ? error.message : String(error));

function folderOf(document?: vscode.TextDocument): string | undefined {
  const folder = document ? vscode.workspace.getWorkspaceFolder(document.uri) : vscode.workspace.workspaceFolders?.[0];
  return folder?.uri.fsPath;
}

function openWindow(client: Client, isRecording: () => boolean) {
  const sessionId = `vscode-${randomUUID()}`;
  const texts = new Map<string, string>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let cwd: string | undefined;
  const tell = (route: string, body: object) => client.tell(`/api/sessions/${route}`, { sessionId, cwd, host: 'vscode', ...body });
  const endTurn = async () => {
    clearTimeout(timer);
    if (timer === undefined) return;
    timer = undefined;
    await tell('summarize', {});
  };
  const record = async (path: string, change: { old_string: string; new_string: string }) => {
    // In words that nobody takes for the person's own: a turn begins with something.
    if (timer === undefined) await tell('init', { prompt: `Edit ${vscode.workspace.asRelativePath(path)} by hand (saved in the editor)` });
    clearTimeout(timer);
    // Nobody is disturbed while typing: what cannot be told now is left out.
    timer = setTimeout(() => endTurn().catch(() => undefined), IDLE_MS);
    await tell('observations', { tool_name: 'FileSave', tool_input: { path, ...change }, tool_response: 'File saved successfully' });
  };
  const isOurs = (document: vscode.TextDocument) => document.uri.scheme === 'file' && folderOf(document) !== undefined;
  const keep = (document: vscode.TextDocument) => {
    const text = document.getText();
    if (isOurs(document) && text.length <= MOST_TEXT) texts.set(document.uri.fsPath, text);
  };
  return {
    open: keep,
    close: (document: vscode.TextDocument) => void texts.delete(document.uri.fsPath),
    save(document: vscode.TextDocument) {
      const before = texts.get(document.uri.fsPath);
      const after = document.getText();
      keep(document);
      if (!isRecording() || !isOurs(document) || before === undefined || before === after) return;
      cwd = folderOf(document);
      record(document.uri.fsPath, changedPart(before, after)).catch(() => undefined);
    },
    async end() {
      await endTurn();
      if (cwd !== undefined) await tell('complete', { reason: 'exit' });
    },
  };
}

const show = async (content: string) =>
  void (await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ content, language: 'markdown' }), {
    preview: true,
  }));

function requireFolder(): string {
  const folder = folderOf(vscode.window.activeTextEditor?.document) ?? folderOf();
  if (folder === undefined) throw new Error('Open a folder first: memories belong to a project.');
  return folder;
}

async function showContext(client: Client): Promise<void> {
  const answer = await client.get(`/api/context/inject?cwd=${encodeURIComponent(requireFolder())}`);
  await show((await answer.text()) || 'Nothing yet: the next session would get no memory of this workspace.');
}

type Memory = { id: string | number; title: string; type: string; narrative?: string | null; createdAt?: number };

async function showHistory(client: Client): Promise<void> {
  const { document } = vscode.window.activeTextEditor ?? {};
  if (!document) throw new Error('Open a file first.');
  const query = new URLSearchParams({ path: document.uri.fsPath, cwd: requireFolder() });
  const { results } = (await (await client.get(`/api/observations/by-file?${query}`)).json()) as { results: Memory[] }; // As docs/api.md says.
  const lines = results.map(describe);
  await show(
    [`# ${vscode.workspace.asRelativePath(document.uri)}`, '', ...(lines.length > 0 ? lines : ['Nothing is known of it yet.'])].join('\n'),
  );
}

async function search(client: Client): Promise<void> {
  const query = await vscode.window.showInputBox({ prompt: 'Search what your agents and you did in this project' });
  if (!query) return;
  const asked = new URLSearchParams({ query, cwd: requireFolder(), limit: '20' });
  const { results } = (await (await client.get(`/api/search?${asked}`)).json()) as { results: Memory[] }; // As docs/api.md says.
  const rows = results.map((memory) => ({ label: memory.title, description: `${memory.type} #${memory.id}`, memory }));
  const chosen = await vscode.window.showQuickPick(rows, { placeHolder: rows.length > 0 ? query : `Nothing was found for ${query}.` });
  if (chosen) await show(describe(chosen.memory));
}

function describe({ id, title, type, narrative, createdAt }: Memory): string {
  const day = createdAt === undefined ? '' : new Date(createdAt).toISOString().slice(0, 10);
  return [`## ${title}`, `#${id} ${type} ${day}`.trim(), ...(narrative ? ['', narrative] : []), ''].join('\n');
}

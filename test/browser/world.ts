// A home of its own for one browser test file: the built worker, hooks as Claude Code would start them, and the viewer's address.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from '@playwright/test';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../..');
const BUN = join(ROOT, 'plugin/bin/bun');
const DIST = join(ROOT, 'dist');
const FILL = join(ROOT, 'test/browser/fill.ts');
const LOAD_WEEK = join(ROOT, 'scripts/load-week.ts');
const AT_TERMINAL = join(ROOT, 'test/support/at-terminal.ts');

export type World = {
  home: string;
  dataDir: string;
  /** A folder that is a project of its own. */
  project: (name: string) => string;
  /** Delivers one hook, as the host would: its own process, the payload on stdin. */
  hook: (command: string, payload: object) => Promise<string>;
  cli: (...args: string[]) => { stdout: string; stderr: string; code: number | null };
  /** The same as a person at a terminal, who says yes to every question. */
  person: World['cli'];
  /** A link that opens the viewer once. */
  link: () => Promise<string>;
  origin: () => string;
  /** A past of so many observations, one every so many minutes; before the worker runs. */
  fill: (observations: number, minutes: number) => void;
  /** The week of `claude-mem demo`, in a repository; before the worker runs. */
  playDemo: () => void;
  /** Asks the worker as a program with the token does. */
  api: (method: string, route: string, body?: object) => Promise<{ status: number; body: unknown }>;
  pid: () => number;
  dispose: () => void;
};

export function createWorld({ settings = {} }: { settings?: object } = {}): World {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'cmem-browser-')));
  const dataDir = join(home, '.claude-mem');
  const env = { HOME: home, PATH: '/usr/bin:/bin', LANG: 'C.UTF-8', TZ: 'Europe/Berlin' };
  mkdirSync(dataDir, { mode: 0o700 });
  // A port of its own: another worker that comes and goes meanwhile must not take it. The embedder that starts no process.
  const config = { workerPort: 20_000 + Math.floor(Math.random() * 10_000), embedder: 'static', ...settings };
  writeFileSync(join(dataDir, 'config.json'), JSON.stringify(config), { mode: 0o600 });

  const cli = (...args: string[]) => {
    const { stdout, stderr, status } = spawnSync(BUN, [join(DIST, 'cli.js'), ...args], { env, encoding: 'utf8' });
    return { stdout, stderr, code: status };
  };
  const person = (...args: string[]) => {
    const at = [AT_TERMINAL, join(DIST, 'cli.js'), ...args];
    const { stdout, stderr, status } = spawnSync(BUN, at, { env, encoding: 'utf8' });
    return { stdout, stderr, code: status };
  };
  const status = () => {
    const { stdout, stderr, code } = cli('status', '--json');
    if (code !== 0) throw new Error(`claude-mem status: ${stdout}${stderr}`);
    return JSON.parse(stdout);
  };
  const runScript = (script: string, ...args: string[]) => {
    const { status: code, stderr } = spawnSync(BUN, [script, ...args], { env, encoding: 'utf8' });
    if (code !== 0) throw new Error(`${script}: ${stderr}`);
  };
  let known: string | null = null;
  const origin = () => {
    // On a busy machine a worker may still be starting.
    for (let tries = 0; known === null && tries < 50; tries++) {
      const address = status().web?.address;
      if (address) known = new URL(address).origin;
    }
    if (known === null) throw new Error('the worker has no port for the viewer');
    return known;
  };

  return {
    home,
    dataDir,
    project(name) {
      const folder = join(home, name);
      mkdirSync(folder, { recursive: true });
      return folder;
    },
    async hook(command, payload) {
      const output = await runHook(env, command, payload);
      // On a busy machine a hook gives up and spools; what comes next must not come before it.
      await expect.poll(() => listSpool(dataDir), { timeout: 30_000 }).toEqual([]);
      return output;
    },
    cli,
    person,
    async link() {
      const ask = () => askSocket<{ url: string }>(join(dataDir, 'http.sock'), '/api/token/link');
      // An idle worker may be about to make place for a new one.
      const { url } = await ask().catch(() => {
        cli('start');
        return ask();
      });
      return url;
    },
    origin,
    fill: (observations, minutes) => runScript(FILL, join(dataDir, 'memory.db'), String(observations), String(minutes)),
    playDemo: () => runScript(LOAD_WEEK, home),
    async api(method, route, body) {
      const token = readFileSync(join(dataDir, 'token'), 'utf8').trim();
      const response = await fetch(origin() + route, {
        method,
        headers: { authorization: `Bearer ${token}`, ...(body ? { 'content-type': 'application/json' } : {}) },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
      return { status: response.status, body: await response.json() };
    },
    pid: () => status().pid,
    dispose() {
      // One that is busy may take longer to end than the command waits.
      for (let at = 0; at < 6 && cli('stop').code !== 0; at++);
      rmSync(home, { recursive: true, force: true });
    },
  };
}

function runHook(env: Record<string, string>, command: string, payload: object): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(BUN, [`--cwd=${DIST}`, join(DIST, 'hook.js'), command], { env });
    let output = '';
    child.stdout.on('data', (piece) => {
      output += piece;
    });
    child.on('error', reject);
    child.on('close', (code) => (code === 0 ? resolve(output) : reject(new Error(`the hook ended with ${code}`))));
    child.stdin.end(JSON.stringify(payload));
  });
}

/** What `claude-mem viewer` does, without two processes for it. */
function askSocket<T>(socketPath: string, path: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const asked = request({ socketPath, path, method: 'POST' }, async (response) => {
      let said = '';
      for await (const piece of response) said += piece;
      if (response.statusCode === 200) resolve(JSON.parse(said));
      else reject(new Error(`${path}: ${response.statusCode} ${said}`));
    });
    asked.on('error', reject).end();
  });
}

function listSpool(dataDir: string): string[] {
  const spool = join(dataDir, 'spool');
  return existsSync(spool) ? readdirSync(spool).filter((name) => name.endsWith('.json')) : [];
}

/** A picture of the page for whoever looks at the run afterwards. */
export const picture = (name: string) => join(ROOT, 'artifacts/browser', `${name}.png`);

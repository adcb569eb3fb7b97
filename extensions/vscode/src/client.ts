// The documented HTTP API of claude-mem (docs/api.md), and nothing else of it.
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

export type Client = {
  get: (route: string) => Promise<Response>;
  tell: (route: string, body: object) => Promise<void>;
};

type Door = { path: string; address: string };

/** `command`: where claude-mem is; '' for the usual places. Throws, with a remedy, when it cannot be reached. */
export function createClient(command: string): Client {
  let door: Promise<Door> | null = null;
  const call = async (route: string, init: RequestInit = {}): Promise<Response> => {
    door ??= findDoor(command);
    try {
      const { path, address } = await door;
      const headers = { authorization: `Bearer ${readFileSync(path, 'utf8').trim()}`, 'content-type': 'application/json' };
      const answer = await fetch(address + route, { ...init, headers });
      if (answer.ok) return answer;
      throw new Error(`claude-mem answered ${answer.status}: ${await answer.text()}`);
    } catch (error) {
      // Another program may have the port by now.
      door = null;
      throw error;
    }
  };
  return {
    get: (route) => call(route),
    tell: async (route, body) => void (await call(route, { method: 'POST', body: JSON.stringify(body) })),
  };
}

async function findDoor(command: string): Promise<Door> {
  const [program, ...args] = findCommand(command);
  const run = async (...more: string[]) => (await promisify(execFile)(program ?? '', [...args, ...more])).stdout;
  const ask = async () => JSON.parse(await run('token', '--json')) as { path: string; address: string | null }; // As docs/api.md says.
  let { path, address } = await ask();
  if (address === null) {
    await run('start');
    ({ path, address } = await ask());
  }
  if (address === null) throw new Error('claude-mem has no HTTP server: see `claude-mem status`.');
  return { path, address };
}

/** What `claude-mem install` has placed needs neither a PATH nor node. */
function findCommand(command: string): string[] {
  if (command !== '') return [command];
  const launcher = join(homedir(), '.claude-mem/plugin/runtime/bin/start-bun');
  return existsSync(launcher) ? [launcher, 'cli.js'] : ['claude-mem'];
}

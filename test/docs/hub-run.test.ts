// The commands of docs/hub.md as they are written there: two machines of one person and another's, with a hub between them.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sessionStart } from '../support/payloads.ts';
import { createSandbox, runAtTerminal, type Sandbox } from '../support/sandbox.ts';
import { until } from '../support/until.ts';

const ROOT = join(import.meta.dir, '../..');
const CLI = [process.execPath, join(ROOT, 'dist/cli.js')];

/** Lines of the page's blocks, without what is said of them. */
const LINES = [...readFileSync(join(ROOT, 'docs/hub.md'), 'utf8').matchAll(/```sh\n([\s\S]*?)```/g)]
  .flatMap(([, block = '']) => block.trim().split('\n'))
  .map((line) => line.replace(/\s+#.*$/, ''));
const ran = new Set<string>();

let [laptop, desk, bob]: Sandbox[] = [];
let hub: Bun.Subprocess<'ignore', 'pipe', 'ignore'> | undefined;
let url = '';

beforeAll(async () => {
  [laptop, desk, bob] = ['laptop', 'desk', 'bob'].map(() => createSandbox()) as [Sandbox, Sandbox, Sandbox];
  git(laptop.project('shop'), 'init', '-q', '-b', 'main');
  git(laptop.project('shop'), 'commit', '-q', '--allow-empty', '-m', 'Start the shop');
  for (const machine of [desk, bob]) git(machine.home, 'clone', '-q', '--no-local', laptop.project('shop'), 'shop');
  for (const machine of [laptop, desk, bob]) {
    git(machine.project('shop'), 'remote', machine === laptop ? 'add' : 'set-url', 'origin', 'https://git.example.org/acme/shop.git');
    await machine.startWorker();
    await machine.hook('context', sessionStart('first', machine.project('shop')));
  }
});
afterAll(async () => {
  hub?.kill();
  await hub?.exited;
  await Promise.all([laptop, desk, bob].map((machine) => machine?.dispose()));
});

function git(cwd: string, ...args: string[]): void {
  const env = { PATH: '/usr/bin:/bin', HOME: cwd, GIT_CONFIG_NOSYSTEM: '1' };
  const { success, stderr } = Bun.spawnSync(['git', '-c', 'user.name=anna', '-c', 'user.email=anna@example.org', ...args], { cwd, env });
  if (!success) throw new Error(stderr.toString());
}

/** The words of the line that begins so; `at`: which, when there are several. */
function shown(start: string, at = 0): string[] {
  const line = LINES.filter((one) => one.startsWith(`claude-mem ${start}`))[at] ?? expect.unreachable(`docs/hub.md does not show ${start}`);
  ran.add(line);
  const words = line.replace('https://hub.example.org', url).match(/"[^"]*"|\S+/g) ?? [];
  return words.slice(1).map((word) => word.replaceAll('"', ''));
}

/** As a person there, who gives this answer; what was printed. */
async function run(machine: Sandbox | undefined, words: string[], answer = 'y'): Promise<string> {
  if (!machine) throw new Error('no machine');
  const { stdout, stderr, code } = await runAtTerminal([...CLI, ...words], machine.env, { answer, cwd: machine.project('shop') });
  expect({ words, code, stderr: code === 0 ? '' : stderr }).toEqual({ words, code: 0, stderr: '' });
  return stdout;
}

const codeIn = (said: string) => /^ {2}(\S+)$/m.exec(said)?.[1] ?? expect.unreachable(said);
const titles = async (machine: Sandbox | undefined) => {
  await run(machine, ['sync', 'now']);
  return run(machine, ['search', '--type', 'decision']);
};

test('a hub, its first team, and two machines of one person', async () => {
  const invitation = codeIn(await run(laptop, shown('hub add')));
  // A port that nobody else has.
  hub = Bun.spawn([...CLI, ...shown('hub --database'), '--port', '0'], {
    env: laptop?.env,
    cwd: laptop?.project('shop'),
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const { value = new Uint8Array() } = await hub.stdout.getReader().read();
  url = /http:\S+/.exec(new TextDecoder().decode(value))?.[0] ?? '';
  expect(await run(laptop, shown('sync login'), invitation)).toContain('Write this down');

  const pairing = Bun.spawn([...CLI, ...shown('sync pair')], {
    env: laptop?.env,
    terminal: { cols: 200, data: (_, bytes) => hear(bytes) },
  });
  let said = '';
  const hear = (bytes: Uint8Array) => {
    said += new TextDecoder().decode(bytes);
  };
  const code = await until(() => /^ {2}(\S+)\r$/m.exec(said)?.[1]);
  await run(desk, shown('sync login', 1), code);
  expect(await pairing.exited).toBe(0);
  await run(laptop, ['remember', 'Prices are kept in cents', '--type', 'decision']);
  await run(laptop, ['sync', 'now']);
  await until(async () => (await titles(desk)).includes('Prices are kept in cents'));
});

test('a team: published, found, refused from its author, taken back and deleted', async () => {
  await run(bob, ['sync', 'login', url], codeIn(await run(laptop, ['team', 'invite', 'bob'])));
  await run(laptop, shown('team publish shop'));
  await run(laptop, shown('team publish shop', 1));
  await until(async () => (await titles(bob)).includes('Prices are kept in cents'));
  await run(bob, ['remember', 'Refunds go through the queue', '--type', 'decision']);
  await run(bob, ['team', 'publish', 'shop']);
  await run(bob, ['sync', 'now']);
  expect(await run(laptop, shown('team search'))).toContain('Refunds go through the queue');
  const id = await until(async () => /^(\d+)\t.*Refunds go through the queue/m.exec(await titles(laptop))?.[1]);
  await run(laptop, shown('block author'));
  expect(await run(laptop, ['context', '--preview'])).not.toContain('Refunds');

  const [team = '', remove = ''] = shown('team delete');
  await run(laptop, [team, remove, id]);
  expect(await run(laptop, ['team', 'search', 'refunds'])).not.toContain('Refunds go');
  await run(laptop, shown('team unpublish'));
  await until(async () => !(await titles(bob)).includes('Prices are kept in cents'));
});

test('all that the page shows was run', () => expect([...ran].sort()).toEqual([...new Set(LINES)].sort()));

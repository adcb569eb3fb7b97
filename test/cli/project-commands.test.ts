// `claude-mem projects`, `merge` and `rename`, from end to end.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { createSandbox, runProcess, type Sandbox } from '../support/sandbox.ts';

let sandbox: Sandbox;
const folders = { one: '', two: '', shop: '' };
beforeAll(async () => {
  sandbox = createSandbox();
  folders.one = sandbox.project('a/app');
  folders.two = sandbox.project('b/app');
  folders.shop = sandbox.project('shop');
  await say('remember', '--project', await known(folders.one), 'Releases are cut on zebradays, by whoever is there');
  await say('remember', '--project', await known(folders.two), 'The giraffe cache is emptied by hand');
  await say('remember', '--project', await known(folders.shop), 'Prices are kept in cents');
});
afterAll(() => sandbox.dispose());

const say = async (...args: string[]) => {
  const { stdout, stderr, code } = await sandbox.person(...args);
  expect([args, stderr, code]).toEqual([args, '', 0]);
  return stdout;
};
/** A session makes a folder a project. */
async function known(cwd: string): Promise<string> {
  await sandbox.hook('context', { session_id: cwd, cwd, hook_event_name: 'SessionStart', source: 'startup' });
  return cwd;
}
const refused = async (...args: string[]) => {
  const { stdout, stderr, code } = await sandbox.person(...args);
  // Who is not understood is shown where to look.
  expect([args, stdout, code]).toEqual([args, '', /\nRun `claude-mem .* --help`\.\n$/.test(stderr) ? 2 : 1]);
  return stderr;
};

test('lists them with where they are, and says whose folder is gone', async () => {
  const [head, ...lines] = (await say('projects')).trim().split('\n');
  expect(head).toBe('project\tsessions\tmemories\tlast used\twhere');
  expect(lines).toHaveLength(3);
  for (const folder of [folders.one, folders.two]) expect(lines.find((line) => line.endsWith(folder))).toMatch(/^app\t1\t1\t/);
  rmSync(folders.shop, { recursive: true });
  expect(await say('projects')).toContain(`${folders.shop} (gone)`);
  const { projects } = JSON.parse(await say('projects', '--json'));
  expect(projects).toMatchObject([{ project: 'shop', isGone: true }, { project: 'app' }, { project: 'app' }]);
});

test('makes two of them one, once somebody says yes', async () => {
  expect(await refused('projects', 'merge', 'app', 'shop')).toMatch(/2 projects are called "app"/);
  expect(await refused('projects', 'merge', 'shop', 'nobody')).toMatch(/No project is called "nobody"/);
  expect(await refused('projects', 'merge', '/no/such/folder', 'shop')).toMatch(/No project is called "\/no\/such/);
  expect(await refused('projects', 'merge', folders.shop, 'Shop')).toMatch(/that project already/);
  expect(await refused('projects', 'merge', 'app', 'shop', '--yes')).toMatch(/2 projects are called "app".*a\/app/s);
  expect(await refused('projects', 'merge', 'nobody', 'shop', '--yes')).toMatch(/No project is called "nobody"/);
  expect(await say('projects', 'merge', folders.one, folders.two, '--yes')).toBe(
    `app is part of app (${folders.two}) now: 1 session, 1 observation, 0 summaries.\n`,
  );
  expect(await say('projects')).toContain(`also ${folders.one}`);
  expect(await say('search', 'zebradays', '--project', 'app')).toContain('Releases are cut');
});

test('calls one of them otherwise', async () => {
  expect(await say('projects', 'rename', 'shop', 'The store')).toBe('shop is called The store now.\n');
  expect(await say('search', 'prices', '--project', 'the store')).toContain('kept in cents');
  expect(JSON.parse(await say('projects', 'rename', 'the store', 'shop', '--json'))).toMatchObject({ project: 'shop' });
});

test('gives nobody a name that says nothing, or is taken', async () => {
  expect(await refused('projects', 'rename', 'shop', ' ')).toMatch(/^The new name is empty\. Say one/);
  expect(await refused('projects', 'rename', 'shop', 'Everywhere')).toMatch(/means every project\. Take another/);
  expect(await refused('projects', 'rename', 'shop', 'APP')).toContain(`already: ${folders.two}. Take another name`);
  expect(await say('projects', 'rename', 'shop', 'Shop')).toBe('shop is called Shop now.\n');
});

test('lets no agent decide about it', async () => {
  const cli = [process.execPath, `${import.meta.dir}/../../dist/cli.js`];
  const env = { ...sandbox.env, CLAUDECODE: '1' };
  for (const args of [
    ['merge', 'app', 'shop', '--yes'],
    ['rename', 'shop', 'x'],
  ])
    expect((await runProcess([...cli, 'projects', ...args], env, '')).stderr).toMatch(/Only a person may do this/);
});

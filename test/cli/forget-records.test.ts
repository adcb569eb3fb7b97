// Records of turns at the command line: shown in short and whole, forgotten by id, session, project and text; only by a person.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { bash, stop, userPrompt } from '../support/payloads.ts';
import { createSandbox, runAtTerminal, type Sandbox } from '../support/sandbox.ts';
import { until } from '../support/until.ts';

const CLI = join(import.meta.dir, '../../dist/cli.js');
let sandbox: Sandbox;
let cwd = '';
beforeAll(async () => {
  sandbox = createSandbox();
  cwd = sandbox.project('shop');
  await sandbox.startWorker();
  await tell('one', 'p1', 'quellmont', 'if (a < b) return Map<string>;');
  await tell('two', 'p2', 'wombat', 'const x = 1;');
  await tell('three', 'p3', 'giraffe', 'const y = 2;');
  await until(() => sandbox.query("SELECT 1 FROM events WHERE status IN ('pending','claimed')").length === 0);
});
afterAll(() => sandbox.dispose());

async function tell(session: string, prompt_id: string, word: string, code: string): Promise<void> {
  await sandbox.hook('new', userPrompt(session, cwd, `Where does the ${word} come from?`, { prompt_id }));
  await sandbox.hook('save', bash(session, cwd, `grep ${word} .`, `${word}.txt: found`, { prompt_id }));
  const answer = `The ${word} comes from the vault.\n\n\`\`\`ts\n  ${code}\n\`\`\``;
  await sandbox.hook('summary', stop(session, cwd, answer, { prompt_id }));
}

const person = async (...args: string[]) => {
  const { stdout, stderr, code } = await sandbox.person(...args);
  expect([code, stderr]).toEqual([0, expect.any(String)]);
  return stdout;
};

test('show tells what was said and done in a turn, and all of it when asked', async () => {
  const { stdout } = await sandbox.cli('show', 'P1');
  expect(stdout).toContain('Said and done:');
  expect(stdout).toContain('$ grep quellmont .');
  expect(stdout).toContain('    ```ts\n      if (a < b) return Map<string>;\n    ```');
  expect(stdout).not.toContain('quellmont.txt: found');
  expect(stdout).toMatch(/\(\d+ characters more: claude-mem show P1 --all\)/);
  expect((await sandbox.cli('show', 'P1', '--all')).stdout).toContain('        quellmont.txt: found');
  expect(JSON.parse((await sandbox.cli('show', 'P1', '--json')).stdout).memories[0].record).toContain('answered: The');
  const around = await sandbox.cli('timeline', 'P1', '--all', '--json');
  expect(JSON.parse(around.stdout).record.text).toContain('$ grep quellmont .');
});

const WAYS = ['--session one', '--project shop', '--matching vault', 'P1'];

test.each(WAYS)('forget %s is refused to whoever is no person at a terminal', async (way) => {
  const { code, stderr } = await sandbox.cli('forget', ...way.split(' '), '--yes');
  expect(code).toBe(1);
  expect(stderr).toMatch(/person|terminal/);
  expect(sandbox.query('SELECT id FROM turns')).toHaveLength(3);
});

test.each(['n', ''])('forget --matching shows what has the text and asks: after %j nothing is deleted', async (answer) => {
  const args = [process.execPath, CLI, 'forget', '--matching', 'GIRAFFE'];
  const { stdout, stderr, code } = await runAtTerminal(args, sandbox.env, { answer });
  const [listed = '', counted] = stderr.split(/^(?=all that has)/m);
  expect(
    listed
      .split('\n')
      .slice(1, -1)
      .map((row) => row.split('\t')[0]),
  ).toEqual([expect.stringMatching(/^\d+$/), 'S3', 'P3']);
  expect(listed).not.toMatch(/wombat|quellmont/);
  expect(counted).toStartWith('all that has "GIRAFFE" in it: 1 observation, 1 summary, 1 prompt with its record.\n');
  expect(stderr).toContain('Delete all of it permanently? [y/N]');
  expect([code, stdout]).toEqual([0, 'Nothing was deleted.\n']);
  expect(sandbox.query('SELECT id FROM turns')).toHaveLength(3);
});

test('forget takes a record by its prompt, a session, and all that has a text in it, and reports', async () => {
  expect(await person('forget', 'P1', '--yes')).toMatch(/1 prompt, 1 record of a turn/);
  expect(await person('forget', '--session', 'two')).toMatch(/Removed: 1 session, [\s\S]*1 record of a turn/);
  expect(sandbox.query("SELECT 1 FROM sessions WHERE host_session_id = 'two'")).toEqual([]);
  expect(await person('forget', '--matching', 'No such text')).toContain('There is nothing of');
  expect(await person('forget', '--matching', 'GIRAFFE')).toMatch(/Remains of the text found: 0\./);
  expect(sandbox.query('SELECT id FROM turns')).toEqual([]);
  expect(await person('forget', '--project', 'shop')).toMatch(/Removed: 2 sessions/);
  expect((await sandbox.person('forget', '1', '--session', 'two')).stderr).toContain('either ids, or one of');
});

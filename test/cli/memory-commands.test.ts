// The commands about memories from end to end: with the worker that they start, and the memory that it keeps.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createLines } from '../support/claude-lines.ts';
import { createSandbox, type Sandbox } from '../support/sandbox.ts';
import { createTranscripts } from '../support/transcripts.ts';

let sandbox: Sandbox;
beforeAll(() => {
  sandbox = createSandbox();
});
afterAll(() => sandbox.dispose());

const say = async (...args: string[]) => {
  const { stdout, stderr, code } = await sandbox.person(...args);
  expect([stderr, code]).toEqual(['', 0]);
  return stdout;
};

test('what is remembered is found, shown, told in its place, and gone when it is forgotten', async () => {
  expect(await say('remember', 'Releases are cut on Tuesdays, after the zebra check.', '--type', 'decision')).toContain('#1');
  expect(await say('remember', 'The giraffe cache is emptied by hand.', '--global')).toContain('#2 in every project');
  expect(await say('remember', 'Releases are cut on Tuesdays, after the zebra check.')).toContain('known already as #1');

  expect(await say('search', 'zebra')).toMatch(/#1 \d{4}-\d\d-\d\d decision Releases are cut on Tuesdays/);
  expect(await say('search', 'giraffe', 'cache')).toContain('#2 ');
  expect(await say('search', 'zebra', '--type', 'bugfix')).toContain('Nothing found for "zebra"');
  expect(await say('search', 'zebra', '--all')).toContain('[in ');
  expect(await say('search', 'zebra', '--why')).toContain('#1 scores ');
  expect(await say('search', 'zebra', '--sessions')).toContain('#1 ');
  expect(JSON.parse(await say('search', 'zebra', '--json')).results[0]).toMatchObject({ id: '1', type: 'decision' });

  expect(await say('show', '1')).toContain('after the zebra check');
  const unfit = await say('search', '--session', 'zzz');
  expect(unfit).toMatch(/^Nothing found in .*\nNothing of what is remembered fits these filters\.\nLeave out filters/);
  expect(await say('search', '--branch', 'zzz', '--sessions')).toMatch(/^No session found\. Leave out filters/);
  expect(await say('timeline', '1')).toMatch(/#1 /);
  expect(await say('timeline', 'zebra', 'check')).toMatch(/#1 /);
  expect(await say('timeline')).toMatch(/#1 /);
  expect(await say('recap')).toMatch(/Decided\n(.*\n)*? {2}#1 Releases/);

  expect(await say('forget', '--hidden')).toBe('Nothing is hidden.\n');
  expect(await say('forget', '1', '--yes')).toMatch(/Deleted #1 at [\s\S]*1 observation,[\s\S]*found: 0/);
  expect(await say('search', 'zebra')).not.toContain('#1 ');
  const asJson = await sandbox.cli('show', '1', '--json');
  expect(asJson).toMatchObject({ code: 1, stderr: expect.stringContaining('There is no #1') });
  expect(JSON.parse(asJson.stdout)).toEqual({ memories: [], missing: ['1'] });
  expect(await sandbox.cli('show', '1')).toMatchObject({ code: 1, stderr: expect.stringContaining('There is no #1') });
}, 60_000);

test('the worker says what it does not take, with a remedy', async () => {
  for (const [args, problem] of [
    [['search', 'x', '--project', 'nowhere'], /No project is called "nowhere"/],
    [['search', 'x', '--type', 'gossip'], /type/],
    [['search', 'x', '--since', 'once upon a time'], /once upon a time/],
    [['remember', '<private>all of it</private>'], /private/],
    [['forget', '99', '--yes'], /There is no #99/],
    [['timeline', '99'], /99/],
  ] as const) {
    const { stderr, code, stdout } = await sandbox.person(...args);
    expect([args, code, stderr.trim().split('\n').length]).toEqual([args, 1, 1]);
    expect(stderr).toMatch(problem);
    expect(stdout).toBe('');
  }
}, 60_000);

test('a session is shown by the beginning of its id: what came of it, and what was asked', async () => {
  const past = createTranscripts();
  const session = '3f2a91c0-0000-4000-8000-000000000001';
  const { prompt, say: close } = createLines({ session, cwd: '/home/dev/shop' });
  const asked = 'From now on we keep the jobs in SQLite instead of Postgres.';
  past.write('p/s.jsonl', [prompt(asked, 'p1'), close('Noted.')]);
  await say('import', past.folder, '--yes');
  past.dispose();
  const shown = await say('show', '3f2a91c0');
  expect(shown).toMatch(/^.*\nshop, 2026-03-02 \d\d:\d\d, 1 prompt\n/);
  expect(shown).toMatch(/Decided\n {2}#\d+ .*SQLite/);
  expect(shown).toMatch(/Asked\n {2}#P\d+ From now on we keep the jobs in SQLite/);
  expect(await say('sessions', '3f2a91c0')).toBe(shown);
  expect(JSON.parse(await say('show', session, '--json'))).toMatchObject({
    session: { session },
    turns: [{ number: 1 }],
  });
  const { code, stderr } = await sandbox.person('show', 'ffffffff');
  expect([code, stderr]).toEqual([1, expect.stringContaining('There is no session ffffffff.')]);
});

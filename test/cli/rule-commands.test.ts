// `claude-mem rules`, from end to end: what a person said by hand or to an agent, accepted, promoted and removed.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createSandbox, type Sandbox } from '../support/sandbox.ts';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = createSandbox();
  await say('remember', 'Never deploy on zebradays');
});
afterAll(() => sandbox.dispose());

const say = async (...args: string[]) => {
  const { stdout, stderr, code } = await sandbox.person(...args);
  expect([args, stderr, code]).toEqual([args, '', 0]);
  return stdout;
};

test('each says in a line what it did, and how to take it back', async () => {
  expect(await say('rules', '--global')).toContain('No rules for every project yet.');
  expect(await say('rules')).toContain('claude-mem rules accept 1');
  expect(await say('rules', 'accept', '1')).toBe(
    'Rule: #1 Never deploy on zebradays. Every session gets it. To undo: claude-mem rules remove 1\n',
  );
  expect(await say('rules')).toContain('#1 Never deploy on zebradays');
  expect(JSON.parse(await say('rules', 'promote', '1', '--json')).changes).toMatchObject([
    { change: 'promote', rule: { id: '2', project: null }, others: ['1'] },
  ]);
  expect(JSON.parse(await say('rules', '--global', '--json')).rules).toMatchObject([{ id: '2' }]);
  expect(await say('rules', 'remove', '2')).toContain('To undo: claude-mem rules accept 2');
  expect(await say('rules')).not.toContain('#2');
  expect(await say('show', '2')).toContain('zebradays');
}, 60_000);

test('says what is wrong with an id', async () => {
  const { stderr, code } = await sandbox.person('rules', 'remove', '999');
  expect([stderr.includes('There is no memory 999'), code]).toEqual([true, 1]);
}, 60_000);

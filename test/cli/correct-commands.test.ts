// The commands by which a person corrects what is remembered, from end to end.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createSandbox, type Sandbox } from '../support/sandbox.ts';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = createSandbox();
  for (const text of ['Releases are cut on zebradays', 'The giraffe cache is emptied by hand']) await say('remember', text);
});
afterAll(() => sandbox.dispose());

const say = async (...args: string[]) => {
  const { stdout, stderr, code } = await sandbox.person(...args);
  expect([args, stderr, code]).toEqual([args, '', 0]);
  return stdout;
};

test('each says in a line what it did, and how to take it back', async () => {
  expect(await say('pin', '1', '2')).toBe(
    'Pinned: #1 Releases are cut on zebradays. To undo: claude-mem pin --undo 1\n' +
      'Pinned: #2 The giraffe cache is emptied by hand. To undo: claude-mem pin --undo 2\n',
  );
  expect(await say('search', 'zebradays')).toContain('[pinned]');
  expect(await say('pin', '--undo', '2')).toContain('No longer pinned: #2');
  expect(await say('incorrect', '2')).toContain('To undo: claude-mem incorrect --undo 2');
  expect(await say('search', 'giraffe')).toMatch(/\[marked (wrong|incorrect)\]/);
  expect(await say('wrong', '2', '--undo')).toContain('No longer marked incorrect: #2');
  expect(await say('edit', '1', '--title', 'Releases are cut on mondays', '--text', 'Since March.')).toContain(
    'Changed: #1 Releases are cut on mondays.',
  );
  expect(await say('show', '1')).toContain('Since March.');
  expect(await say('search', 'zebradays')).not.toContain('#1 ');
  expect(await say('edit', '2', '--superseded-by', '1')).toContain('claude-mem replace 2 --undo');
  expect(await say('show', '2')).toContain('replaced by #1');
  expect(await say('edit', '2', '--holds')).toContain('Changed: #2');
  expect(JSON.parse(await say('pin', '1', '--json')).memories[0]).toMatchObject({ id: '1', isPinned: true });
  expect(await say('block')).toContain('No source is blocked.');
  expect(await say('block', 'origin:mcp')).toContain('To undo: claude-mem block --undo origin:mcp');
  expect(await say('block', '--list')).toMatch(/^origin:mcp {2}0 memories {2}since \d{4}-\d\d-\d\d\n$/);
  expect(await say('distrust', '--undo', 'origin:mcp')).toContain('Unblocked: origin:mcp');
}, 60_000);

test('replace says which of two holds, that both do, and takes it back', async () => {
  expect(await say('replace', '2', '1')).toBe(
    '#2 The giraffe cache is emptied by hand is replaced by #1 Releases are cut on mondays. It is still found, with a mark. To undo: claude-mem replace 2 1 --undo\n',
  );
  expect(await say('search', 'giraffe')).toContain('[replaced by #1]');
  expect(await say('show', '2')).toMatch(/Replaced: by #1 on .*\(person\)/);
  expect(await say('replace', '#2', '--undo')).toContain('#2 The giraffe cache is emptied by hand is not replaced by #1');
  expect(await say('search', 'giraffe')).not.toContain('replaced');
  expect(await say('replace', '2', '1', '--both-hold')).toContain('Both hold: #2');
  expect(JSON.parse(await say('replace', '2', '1', '--json'))).toMatchObject({
    state: 'replaced',
    older: { id: '2', replacedBy: { id: '1', isCertain: true, why: 'person' } },
    newer: [{ id: '1', replacedBy: null }],
  });
  await say('replace', '2', '--undo');
}, 60_000);

test('what cannot be done is said with a remedy', async () => {
  for (const [args, problem] of [
    [['edit', '1'], /Say what to change/],
    [['edit', '1', '--type', 'gossip'], /type/],
    [['pin', '99'], /There is no memory 99/],
    [['pin', 'S1'], /only observations/],
    [['pin', '1', '99', '2'], /There is no memory 99.*Nothing was changed/],
    [['incorrect', '1', 'S1'], /S1 is no observation.*Nothing was changed/],
    [['edit', '1', '--text', ''], /The text is empty.*Nothing was changed.*claude-mem forget/],
    [['edit', '1', '--superseded-by', 'abc'], /abc/],
    [['edit', '1', '--superseded-by', '1'], /Nothing replaces itself/],
    [['replace', '1'], /not said what holds instead.*claude-mem replace 1 NEW/],
    [['replace', '1', '99'], /There is no memory 99/],
    [['replace', '1', '1'], /Nothing replaces itself/],
    [['replace', '1', '--undo'], /nothing to undo.*claude-mem show 1/],
    [['replace', '1', '2', '--undo', '--both-hold'], /not both/],
    [['replace', 'x', '1'], /no id/],
    [['incorrect', 'x'], /no id/],
    [['block', 'gossip'], /no source/],
    [['block', '1'], /said by hand/],
    [['block', '--undo'], /which source/],
  ] as const) {
    const { stderr, code, stdout } = await sandbox.person(...args);
    expect([args, code, stdout]).toEqual([args, 1, '']);
    expect(stderr).toMatch(problem);
  }
  const rows = sandbox.query('SELECT narrative, wrong_at, pinned FROM observations ORDER BY id');
  expect(rows).toMatchObject([
    { narrative: 'Since March.', wrong_at: null },
    { pinned: 0, wrong_at: null },
  ]);
  expect(await say('block', '--undo', 'origin:web')).toBe('Was not blocked: origin:web. Nothing was changed.\n');
}, 60_000);

test('inside of an agent only the list is shown', async () => {
  sandbox.env.CLAUDECODE = '1';
  try {
    for (const args of [
      ['pin', '1'],
      ['incorrect', '1'],
      ['edit', '1', '--title', 'x'],
      ['block', 'origin:mcp'],
    ]) {
      expect(await sandbox.cli(...args)).toMatchObject({ code: 1, stderr: expect.stringContaining('Only a person') });
    }
    expect(await say('block')).toContain('No source is blocked.');
  } finally {
    delete sandbox.env.CLAUDECODE;
  }
}, 60_000);

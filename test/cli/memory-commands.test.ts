// The commands about memories and those by which a person corrects them, from end to end: with the worker that they start.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createLines } from '../support/claude-lines.ts';
import { createSandbox, type Sandbox } from '../support/sandbox.ts';
import { createTranscripts } from '../support/transcripts.ts';
import { until } from '../support/until.ts';

let sandbox: Sandbox;
const say = async (...args: string[]) => {
  const { stdout, stderr, code } = await sandbox.person(...args);
  expect([args, stderr, code]).toEqual([args, expect.any(String), 0]);
  return stdout + stderr;
};

/** A memory of its own, with these texts in it from #1 on. */
function withMemory(...texts: string[]): void {
  beforeAll(async () => {
    sandbox = createSandbox();
    for (const text of texts) await say('remember', text);
  });
  afterAll(() => sandbox.dispose());
}

describe('memories', () => {
  withMemory();

  test('what is remembered is found, shown, told in its place, and gone when it is forgotten', async () => {
    expect(await say('remember', 'Releases are cut on Tuesdays, after the zebra check.', '--type', 'decision')).toContain('#1');
    expect(await say('remember', 'The giraffe cache is emptied by hand.', '--global')).toContain('#2 in every project');
    expect(await say('remember', 'Releases are cut on Tuesdays, after the zebra check.')).toContain('known already as #1');

    expect(await say('search', 'zebra')).toMatch(/^1\t\d{4}-\d\d-\d\dT\S+\tdecision\t[^\t]+\tReleases are cut on Tuesdays/m);
    expect(await say('search', 'giraffe', 'cache')).toMatch(/^2\t/m);
    expect(await say('search', 'zebra', '--type', 'bugfix')).toContain('Nothing found for "zebra"');
    expect(await say('search', 'zebra', '--why')).toContain('#1 scores ');
    // What was said by hand came from no session.
    expect(await say('search', 'zebra', '--sessions')).toMatch(/^No session found\. /);
    expect(JSON.parse(await say('search', 'zebra', '--json')).results[0]).toMatchObject({ id: '1', type: 'decision' });

    expect(await say('show', '1')).toContain('after the zebra check');
    const unfit = await say('search', '--session', 'zzz');
    expect(unfit).toMatch(/^Nothing found in .*\nNothing of what is remembered fits these filters\.\nLeave out filters/);
    expect(await say('search', '--branch', 'zzz', '--sessions')).toMatch(/^No session found\. Leave out filters/);
    expect(await say('timeline', '1')).toMatch(/^1\t[\s\S]*\nAround #1\.\n$/m);
    expect(await say('timeline', 'zebra', 'check')).toMatch(/^1\t/m);
    expect(await say('timeline')).toMatch(/^1\t/m);
    expect(await say('recap')).toMatch(/Decided\n(.*\n)*? {2}#1 Releases/);

    expect(await say('forget', '--hidden')).toBe('Nothing is hidden.\n');
    expect(await say('forget', '1', '--yes')).toMatch(/Deleted #1 at [\s\S]*1 observation,[\s\S]*found: 0/);
    expect(await say('search', 'zebra')).not.toMatch(/^1\t/m);
    const asJson = await sandbox.cli('show', '1', '--json');
    expect(asJson).toMatchObject({ code: 1, stderr: expect.stringContaining('There is no #1') });
    expect(JSON.parse(asJson.stdout)).toEqual({ memories: [], missing: ['1'] });
    expect(await sandbox.cli('show', '1')).toMatchObject({ code: 1, stderr: expect.stringContaining('There is no #1') });
  });

  test('the worker says what it does not take, with a remedy', async () => {
    for (const [args, problem] of [
      [['search', 'x', '--project', 'nowhere'], /No project is called "nowhere"/],
      [['remember', '<private>all of it</private>'], /private/],
      [['forget', '99', '--yes'], /There is no #99/],
      [['timeline', '99'], /99/],
    ] as const) {
      const { stderr, code, stdout } = await sandbox.person(...args);
      expect([args, code, stderr.trim().split('\n').length]).toEqual([args, 1, 1]);
      expect(stderr).toMatch(problem);
      expect(stdout).toBe('');
    }
  });

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
    expect(await say('search', 'SQLite', '--all', '--sessions')).toMatch(/^session\twhen\tproject\ttitle\tbest\n3f2a91c0\S*\t/);
    expect(JSON.parse(await say('show', session, '--json'))).toMatchObject({
      session: { session },
      turns: [{ number: 1 }],
    });
    const { code, stderr } = await sandbox.person('show', 'ffffffff');
    expect([code, stderr]).toEqual([1, expect.stringContaining('There is no session ffffffff.')]);
    const asJson = await sandbox.cli('show', 'P999', 'S999', '--json');
    expect([asJson.code, JSON.parse(asJson.stdout).missing]).toEqual([1, ['P999', 'S999']]);
    expect(await sandbox.cli('show', 'ffffffff', '--json')).toMatchObject({ code: 1, stdout: '', stderr });
  });
});

describe('corrections', () => {
  withMemory('Releases are cut on zebradays.', 'The giraffe cache is emptied by hand');

  test('each says in a line what it did, and how to take it back', async () => {
    expect(await say('pin', '1', '2')).toBe(
      'Pinned: #1 Releases are cut on zebradays. To undo: claude-mem pin --undo 1\n' +
        'Pinned: #2 The giraffe cache is emptied by hand. To undo: claude-mem pin --undo 2\n',
    );
    expect(await say('search', 'zebradays')).toContain('\tpinned\t');
    expect(await say('pin', '--undo', '2')).toContain('No longer pinned: #2');
    expect(await say('incorrect', '2')).toContain('To undo: claude-mem incorrect --undo 2');
    expect(await say('search', 'giraffe')).toContain('\tmarked incorrect\t');
    expect(await say('wrong', '2', '--undo')).toContain('No longer marked incorrect: #2');
    expect(await say('edit', '1', '--title', 'Releases are cut on mondays', '--text', 'Since March.')).toContain(
      'Changed: #1 Releases are cut on mondays.',
    );
    expect(await say('show', '1')).toContain('Since March.');
    expect(await say('search', 'zebradays')).not.toMatch(/^1\t/m);
    expect(await say('replace', '2', '1')).toContain('claude-mem replace 2 1 --undo');
    expect(await say('show', '2')).toContain('replaced by #1');
    expect(await say('edit', '2', '--holds')).toContain('Changed: #2');
    expect(JSON.parse(await say('pin', '1', '--json')).memories[0]).toMatchObject({ id: '1', isPinned: true });
    expect(await say('block')).toContain('No source is blocked.');
    expect(await say('block', 'origin:mcp')).toContain('To undo: claude-mem block --undo origin:mcp');
    expect(await say('block', '--list')).toMatch(/\norigin:mcp\t0\t\d{4}-\d\d-\d\d\n$/);
    expect(await say('distrust', '--undo', 'origin:mcp')).toContain('Unblocked: origin:mcp');
  });

  test('replace says which of two holds, that both do, and takes it back', async () => {
    expect(await say('replace', '2', '1')).toBe(
      '#2 The giraffe cache is emptied by hand is replaced by #1 Releases are cut on mondays. It is still found, with a mark. To undo: claude-mem replace 2 1 --undo\n',
    );
    expect(await say('search', 'giraffe')).toContain('\treplaced by #1\t');
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
  });

  test('what cannot be done is said with a remedy', async () => {
    for (const [args, problem] of [
      [['edit', '1'], /Say what to change/],
      [['edit', '1', '--type', 'gossip'], /type/],
      [['pin', '99'], /There is no memory 99/],
      [['pin', '1', '99', '2'], /There is no memory 99.*Nothing was changed/],
      [['incorrect', '1', 'S1'], /S1 is no observation.*Nothing was changed/],
      [['edit', '1', '--text', ''], /The text is empty.*Nothing was changed.*claude-mem forget/],
      [['replace', '1', 'abc'], /abc/],
      [['replace', '1'], /not said what holds instead.*claude-mem replace 1 NEW/],
      [['replace', '1', '1'], /Nothing replaces itself/],
      [['replace', '1', '--undo'], /nothing to undo.*claude-mem show 1/],
      [['replace', '1', '2', '--undo', '--both-hold'], /not both/],
      [['incorrect', 'x'], /no id/],
      [['block', 'gossip'], /no source/],
      [['block', '1'], /said by hand/],
      [['block', '--undo'], /which source/],
    ] as const) {
      const { stderr, code, stdout } = await sandbox.person(...args);
      expect([args, code, stdout]).toEqual([args, /\nRun `claude-mem .* --help`\.\n$/.test(stderr) ? 2 : 1, '']);
      expect(stderr).toMatch(problem);
    }
    const rows = sandbox.query('SELECT narrative, wrong_at, pinned FROM observations ORDER BY id');
    expect(rows).toMatchObject([
      { narrative: 'Since March.', wrong_at: null },
      { pinned: 0, wrong_at: null },
    ]);
    expect(await say('block', '--undo', 'origin:web')).toBe('Was not blocked: origin:web. Nothing was changed.\n');
  });

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
  });
});

describe('the reasons for what is in the context', () => {
  withMemory();

  test('say what a memory replaced and when it was last given', async () => {
    for (const day of ['zebraday', 'giraffeday']) await say('remember', `Releases are cut on each ${day}.`, '--global');
    await say('replace', '1', '2');
    const readReasons = async () => /^ {2}#2: .*$/m.exec(await say('context', '--preview', '--why'))?.[0] ?? '';
    expect(await readReasons()).toMatch(/, replaced #1 \(/);
    await sandbox.hear(sandbox.project('shop'));
    await until(async () => /, replaced #1, last given \d{4}-\d\d-\d\d \d\d:\d\d \(/.test(await readReasons()));
  });
});

describe('rules', () => {
  withMemory('Never deploy on zebradays.');

  test('rules are accepted, promoted and removed, each with how to take it back', async () => {
    expect(await say('rules', '--global')).toContain('No rules for every project yet.');
    expect(await say('rules')).toMatch(/^1\t.*\taccept\tNever deploy/m);
    expect(await say('rules', 'accept', '1')).toBe(
      'Rule: #1 Never deploy on zebradays. Every session gets it. To undo: claude-mem rules remove 1\n',
    );
    expect(await say('rules')).toMatch(/^1\t.*\t1\t\tNever deploy on zebradays\.$/m);
    expect(JSON.parse(await say('rules', 'promote', '1', '--json')).changes).toMatchObject([
      { change: 'promote', rule: { id: '2', project: null }, others: ['1'] },
    ]);
    expect(JSON.parse(await say('rules', '--global', '--json')).rules).toMatchObject([{ id: '2' }]);
    expect(await say('rules', 'remove', '2')).toContain('To undo: claude-mem rules accept 2');
    expect(await say('rules')).not.toContain('#2');
    expect(await say('show', '2')).toContain('zebradays');
    expect((await sandbox.person('rules', 'remove', '999')).stderr).toContain('There is no memory 999');
  });
});

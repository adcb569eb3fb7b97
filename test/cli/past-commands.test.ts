// `claude-mem import`, `export`, `vacuum` and `jobs` as a person meets them: what they refuse, what they say, how they end.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLines } from '../support/claude-lines.ts';
import { createSandbox, runAtTerminal, type Sandbox } from '../support/sandbox.ts';
import { createTranscripts, type Transcripts } from '../support/transcripts.ts';

let sandbox: Sandbox;
let past: Transcripts;
const file = (name: string) => join(sandbox.home, name);

beforeAll(async () => {
  sandbox = createSandbox();
  past = createTranscripts();
  const copiedAt = Date.parse('2026-11-16T12:00:00Z');
  for (const [session, cwd, day] of [
    ['s1', '/home/dev/shop', '2026-01-02'],
    ['s2', '/home/dev/shop', '2026-01-20'],
    ['s3', '/home/dev/tea', '2026-01-21'],
  ] as const) {
    const { prompt, bash, say: close } = createLines({ session, cwd, from: Date.parse(`${day}T12:00:00Z`) });
    const lines = [prompt(`Do ${session}`, session), ...bash(`t-${session}`, 'npm test', '12 pass'), close('Done.')];
    past.write(`p/${session}.jsonl`, lines, copiedAt);
  }
  await sandbox.startWorker();
});
afterAll(async () => {
  await sandbox.dispose();
  past.dispose();
});

const say = async (...args: string[]) => {
  const { stdout, stderr, code } = await sandbox.person(...args);
  expect([args, stderr.replace(/^No model is asked\. Read it now\? \[Y\/n\] y\n/, ''), code]).toEqual([args, '', 0]);
  return stdout.trim();
};
const refused = async (...args: string[]) => {
  const { stdout, stderr, code } = await sandbox.person(...args);
  // Who is not understood is shown where to look.
  expect([args, stdout, code]).toEqual([args, '', /\nRun `claude-mem .* --help`\.\n$/.test(stderr) ? 2 : 1]);
  return stderr.trim();
};

describe('import says before it reads', () => {
  test('what is there, by the days it happened on', async () => {
    expect(await say('import', past.folder, '--dry-run')).toMatch(
      /^Found transcripts: 3 of claude-code \(\d+ KB\), 2026-01-02 to 2026-01-21\.$/,
    );
    expect(await say('import', past.folder, '--dry-run', '--since', '2026-01-15')).toMatch(/: 2 of claude-code/);
    expect(await say('import', past.folder, '--dry-run', '--project', 'SHOP')).toMatch(/: 2 of claude-code/);
    expect(await say('import', past.folder, '--dry-run', '--project', '/home/dev/tea')).toMatch(/: 1 of claude-code/);
  });

  test('that nothing is of that project, or of that time', async () => {
    expect(await refused('import', past.folder, '--project', 'boat')).toMatch(
      /^None of 3 transcripts is of boat; projects there: shop, tea\./,
    );
    expect(await refused('import', past.folder, '--since', '2030-01-01')).toMatch(
      /^None of 3 transcripts goes on after 2030-01-01; the newest ends on 2026-01-21\./,
    );
  });

  test('that no model is there to deepen it', async () => {
    expect(await refused('import', past.folder, '--deepen', '5')).toMatch(
      /^--deepen has a model .* there is none .*config set claudeLogin allow.*docs\/model\.md/,
    );
    expect(sandbox.query('SELECT 1 FROM sessions')).toEqual([]);
  });

  test.each<[string, string | Buffer | null, RegExp]>([
    ['notes.txt', 'buy milk\n', /notes\.txt holds no transcript\. Give a transcript of Claude Code/],
    ['notes.jsonl', '{"title":"mine"}\n', /notes\.jsonl holds no transcript\./],
    ['empty.jsonl', '', /empty\.jsonl holds no transcript\./],
    ['x.jsonl.gz', Buffer.from(Bun.gzipSync('{}')), /x\.jsonl\.gz is packed\. Unpack it first/],
    ['/dev/null', null, /^\/dev\/null is neither a file nor a folder\./],
    ['/no/such/thing', null, /^There is no \/no\/such\/thing\./],
  ])('that %s is nothing it can read', async (name, content, expected) => {
    if (content !== null) writeFileSync(file(name), content);
    expect(await refused('import', content === null ? name : file(name))).toMatch(expected);
  });

  test('that a folder has none', async () => {
    const { stdout, code } = await sandbox.person('import', sandbox.project('empty'));
    expect([stdout, code]).toEqual([`There are no transcripts in ${file('empty')}.\n`, 1]);
    expect(await sandbox.cli('import', '--yes')).toMatchObject({ stdout: 'There are no transcripts on this machine.\n', code: 0 });
  });
});

test('import, export and vacuum say what came of it, also as JSON', async () => {
  expect(await say('import', past.folder)).toMatch(/\nImported 3 sessions \(\d+ new events\): \d+ /);
  expect(await say('import', past.folder)).toMatch(/\nRead 3 sessions: all of it was known already[^\n]*$/);
  const json = JSON.parse(await say('export', file('all.jsonl'), '--json'));
  expect(json).toMatchObject({ kind: 'export', status: 'done', parameters: { path: file('all.jsonl') } });
  expect(json.result[0]).toMatch(/ 3 prompts and 3 records of 3 sessions$/);
  expect(existsSync(file('all.jsonl'))).toBe(true);
  expect(await refused('export', '-', '--json')).toMatch(/both want the standard output/);
  expect(JSON.parse(await say('vacuum', '--json'))).toMatchObject({ kind: 'vacuum', status: 'done' });
});

test('import takes an export as a whole, or not at all', async () => {
  await say('export', file('whole.jsonl'));
  expect(await refused('import', file('whole.jsonl'), '--project', 'shop')).toBe(
    `project: for transcripts only; ${file('whole.jsonl')} is taken as a whole. Leave it out.`,
  );
  const both = await refused('import', file('whole.jsonl'), '--agent', 'codex', '--since', '2 weeks', '--dry-run');
  expect(both).toMatch(/^agent and since: for transcripts only/);
  expect(await say('import', file('whole.jsonl'))).toMatch(/\nNothing in it is new\./);
});

test('import ends with an error when lines could not be read or are missing, and keeps the rest', async () => {
  await say('export', file('sound.jsonl'));
  const lines = readFileSync(file('sound.jsonl'), 'utf8').trimEnd().split('\n');
  writeFileSync(file('torn.jsonl'), [lines[0], '{"kind": "observ', ...lines.slice(2)].join('\n'));
  const torn = await sandbox.person('import', file('torn.jsonl'), '--yes');
  expect([torn.code, torn.stdout]).toEqual([1, expect.stringMatching(/1 line could not be read:\n {2}line 2: /)]);
  writeFileSync(file('more.jsonl'), [...lines, 'one line more than its header promises'].join('\n'));
  expect((await sandbox.person('import', file('more.jsonl'), '--yes')).code).toBe(1);
  writeFileSync(file('cut.jsonl'), lines.slice(0, 4).join('\n'));
  const cut = await sandbox.person('import', file('cut.jsonl'), '--json');
  expect([cut.code, cut.stdout]).toEqual([1, expect.stringMatching(/The file ends early: \d+ lines/)]);
  expect((await sandbox.person('import', file('sound.jsonl'), '--yes')).code).toBe(0);
});

describe('jobs', () => {
  test('says when, what, and what came of it', async () => {
    await say('import', past.folder, '--project', 'tea');
    const [head, newest] = (await say('jobs')).split('\n');
    expect(head).toBe('id\tsince\tjob\tstatus\twhat\tresult');
    expect(newest).toMatch(/^\d+\t\d{4}-\d\d-\d\dT[\d:.]+Z\timport\tdone\t\S+ of tea\tRead 1 session: all of it/);
  });

  test('refuses to cancel what has ended, or never was', async () => {
    const [{ id }] = JSON.parse(await say('jobs', '--json'));
    expect(await refused('jobs', 'cancel', String(id))).toBe(`Job ${id} has ended already: it is done. \`claude-mem jobs\` lists them.`);
    expect(await refused('jobs', 'cancel', '99999')).toBe('There is no job 99999. `claude-mem jobs` lists them.');
    expect(await refused('jobs', 'cancel', 'all')).toBe('"all" is not the number of a job. `claude-mem jobs` lists them.');
  });

  test('cancels one and waits for its end', async () => {
    const large = createTranscripts();
    for (let number = 0; number < 1500; number++) {
      const { prompt, bash, say: close } = createLines({ session: `c${number}` });
      large.write(`p/c${number}.jsonl`, [prompt('Go', `c${number}`), ...bash(`c${number}`, 'ls', 'x'), close('Done.')]);
    }
    const importing = sandbox.person('import', large.folder, '--yes');
    try {
      let id = 0;
      while (id === 0) {
        const [newest] = JSON.parse(await say('jobs', '--json'));
        if (newest.status === 'running') id = newest.id;
      }
      const { stdout, stderr, code } = await sandbox.cli('jobs', 'cancel', String(id));
      expect([stderr, code]).toEqual([`Job ${id} is being cancelled.\n`, 0]);
      expect(stdout).toMatch(new RegExp(`^Job ${id} was cancelled\\.\nStopped after`));
      expect(await importing).toMatchObject({ code: 1, stdout: expect.stringContaining('Stopped after') });
    } finally {
      await importing;
      large.dispose();
    }
  });
});

test('an export that cannot be is refused before there is a job of it', async () => {
  const jobs = () => say('jobs', '--json');
  const before = await jobs();
  writeFileSync(file('taken.jsonl'), 'mine');
  expect(await refused('export', file('taken.jsonl'))).toMatch(/is there already\. Take another name, or --force/);
  expect(await refused('export', file('new.jsonl'), '--since', 'foo')).toMatch(/foo/);
  expect(await refused('export', file('new.jsonl'), '--project', 'nobody')).toMatch(/No project is called "nobody"/);
  expect(await refused('export', '--decisions', file('d'), '--project', '/nowhere')).toMatch(/Nothing is remembered of/);
  expect(await jobs()).toEqual(before);
  expect(readFileSync(file('taken.jsonl'), 'utf8')).toBe('mine');
});

test('without a data dir there is nothing to purge, and nobody is asked', async () => {
  const cli = [process.execPath, `${import.meta.dir}/../../dist/cli.js`];
  const env = { ...sandbox.env, HOME: file('empty'), CLAUDE_MEM_DATA_DIR: file('empty/data') };
  const { stdout, code } = await runAtTerminal([...cli, 'uninstall', '--purge'], env);
  expect({ stdout, code }).toEqual({ code: 0, stdout: expect.stringContaining('there is nothing to delete') });
  expect(stdout).not.toContain('Deleted');
});

// The traps that records of turns met when they were tried out, each in both ways a turn comes in: by hooks while it happens, and from its transcript afterwards.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SearchAnswer, SearchHit } from '../../src/core/shapes/search.ts';
import { readRecord, type TurnRecord } from '../../src/turns/record.ts';
import { type Act, layTranscript, type PlayedSession, type PlayedTurn, playLive } from '../support/played-session.ts';
import { createSandbox, type Sandbox } from '../support/sandbox.ts';
import { until } from '../support/until.ts';

setDefaultTimeout(300_000);

const run = (command: string, out = 'ok'): Act => ({ run: command, out });
const page = (url: string, out: string): Act => ({ tool: 'WebFetch', input: { url, prompt: 'read it' }, out });
const foreign = (out: string): Act => ({ tool: 'mcp__wiki__lookup', input: { title: 'x' }, out });
const memory = (out: string): Act => ({ tool: 'mcp__claude-mem__search', input: { query: 'x' }, out });

const GUESS =
  'My first guess is that the nightly import fails at half past two because the disk of the import server is full by then, since the logs of the whole day are still lying there uncompressed and nobody has rotated them.';
const LATER =
  'The guess is refuted: the disk is half empty. The nightly import fails at half past two because the backup holds a lock on the table orders for eleven minutes, and the import gives up after ten of them.';
const CLOSING =
  'The nightly import fails at half past two because of the lock of the backup. It now waits for the lock and begins at a quarter to three; the limit of ten minutes stayed as it was.';
const QUESTION = 'Why does the nightly import fail at half past two?';

/** Sessions of one turn, or of several. */
const TURNS: Record<string, PlayedTurn | PlayedTurn[]> = {
  clock: {
    prompt: QUESTION,
    acts: [{ say: GUESS }, run('df -h', '/dev/sda1 41% /'), { say: LATER }, run('psql -c "select * from pg_locks"', 'orders')],
    closing: CLOSING,
  },
  done: {
    prompt: 'Set up the walrus exporter.',
    acts: [
      { say: 'The walrus exporter listens on port 9187, so that it does not meet the one of the database.' },
      run('systemctl enable walrus-exporter'),
    ],
    closing: 'Done.',
  },
  work: {
    prompt: 'Round the prices of the pangolin shop',
    acts: [
      { run: 'bun test price', out: 'expected 3.15, received 3.149999', fails: true },
      { say: 'The pangolin prices are added as floats, which is why they are off by a fraction of a cent.' },
      { edit: 'src/price.ts', old: 'sum += price', new: 'cents += Math.round(price * 100)' },
      run('bun test price', '12 pass'),
      run('git commit -am "Add pangolin prices in cents"', '[main 4f1c2d9] Add pangolin prices in cents\n 1 file changed'),
    ],
    closing: 'Fixed: the pangolin prices were added as floats. We decided to add them in cents, because floats cannot hold a tenth.',
  },
  page: {
    prompt: 'How often does the quokka client retry?',
    acts: [
      page('https://quokka.example/docs', 'The quokka client retries forever.'),
      { say: 'The quokka client retries forever, says its page.' },
    ],
    closing: 'The quokka client retries forever, and there is no way to limit it.',
  },
  wiki: {
    prompt: 'Where does the numbat team meet?',
    acts: [foreign('The numbat team meets in Graz.'), { say: 'The numbat team meets in Graz on Mondays.' }, run('date', 'Mon')],
    closing: 'I wrote a reminder for the numbat meeting into the calendar.',
  },
  recalled: {
    prompt: 'What did we say about the zorbliquent cache, and is it there?',
    acts: [memory('#12 decision: zorbliquentcanary is cached for an hour.'), run('ls cache', 'cache.ts')],
    closing: 'It is there, in cache.ts.',
  },
  host: {
    prompt: 'Start the bilby build in the background.',
    acts: [
      run('make bilby &'),
      {
        host: '<task-notification><task-id>b1</task-id>bilbynews: the build is done</task-notification>\nRead the output.',
        isSubmitted: true,
        more: { origin: { kind: 'task-notification' } },
      },
      { host: '<command-name>/model</command-name><command-message>model</command-message><command-args></command-args>' },
      { host: '<local-command-stdout>Set model to bilbymodel</local-command-stdout>' },
      { host: 'This session is being continued from a previous conversation. bilbyaccount', more: { isCompactSummary: true } },
    ],
    closing: 'The bilby build runs.',
  },
  agent: {
    prompt: 'Have somebody find the dugong table.',
    acts: [
      {
        agent: 'find the table',
        says: 'Hm, dugongthought: I would look into the schema.',
        report: 'The dugong table is created in migration 017.',
      },
    ],
    closing: 'It was found.',
  },
  private: {
    prompt: '<private>The gecko password is privatecanary</private>',
    acts: [{ say: 'I try privatecanary.' }, run('login privatecanary', 'privatecanary ok')],
    closing: 'Logged in with privatecanary.',
  },
  partly: {
    prompt: 'Call the gecko service. <private>partcanary</private>',
    acts: [{ say: 'I call it. <private>partcanary</private>' }, run('curl gecko')],
    closing: 'The gecko service answers.',
  },
  excluded: {
    prompt: 'Change the limit of the ibis.',
    acts: [
      { read: 'vault/ibis.env', out: 'LIMIT=excludedcanary' },
      { edit: 'vault/ibis.env', old: 'LIMIT=excludedcanary', new: 'LIMIT=excludedcanary2' },
      run('cat vault/ibis.env', 'excludedcanary2'),
      run('restart ibis'),
    ],
    closing: 'The limit of the ibis is changed.',
  },
  retries: [
    {
      prompt: 'Add retries to the wombat sync.',
      acts: [{ edit: 'src/sync.ts', old: 'const RETRIES = 0;', new: 'const RETRIES = 3;' }],
      closing: 'We decided that the wombat sync retries 3 times, because its gateway closes after that.',
    },
    {
      prompt: 'From now on the wombat sync retries 5 times instead of 3.',
      acts: [{ edit: 'src/sync.ts', old: 'const RETRIES = 3;', new: 'const RETRIES = 5;' }],
      closing: 'The wombat sync now retries 5 times instead of 3 times.',
    },
  ],
  twinOne: { prompt: 'Twin numbers, first', acts: [{ say: 'I count.' }, run('wc one')], closing: 'Counted.' },
  twinTwo: { prompt: 'Twin numbers, second', acts: [{ say: 'I count.' }, run('wc two')], closing: 'Counted.' },
};
const PAUSED: PlayedTurn = {
  prompt: 'pausedcanary, please',
  acts: [{ say: 'A pausedcanary it is.' }, run('echo pausedcanary', 'pausedcanary')],
  closing: 'pausedcanary is done.',
};
/** What was played without a record: wholly private. */
const RECORDED = Object.values(TURNS).flat().length - 1;

for (const way of ['live', 'imported'] as const)
  describe(way, () => {
    let sandbox: Sandbox;
    let cwd: string;

    beforeAll(async () => {
      sandbox = createSandbox();
      cwd = sandbox.project('shop');
      mkdirSync(join(cwd, 'vault'));
      mkdirSync(sandbox.paths.dataDir, { recursive: true, mode: 0o700 });
      writeFileSync(sandbox.paths.config, JSON.stringify({ embedder: 'static', excludePaths: ['vault'] }), { mode: 0o600 });
      await sandbox.startWorker();
      await playPaused();
      // At the same times, as parallel sessions may be.
      const from = Date.now() - 3_600_000;
      const sessions = Object.entries(TURNS).map(([id, turn]): PlayedSession => ({ id: `session-${id}`, cwd, turns: [turn].flat(), from }));
      if (way === 'live') for (const session of sessions) await playLive(sandbox, session);
      else {
        for (const session of sessions) layTranscript(sandbox, session);
        await importAll();
      }
      await until(() => records().length >= RECORDED && isSettled(), 120_000);
    });
    afterAll(() => sandbox.dispose());

    async function playPaused(): Promise<void> {
      expect((await sandbox.person('pause')).code).toBe(0);
      const session = { id: 'session-paused', cwd, turns: [PAUSED], from: Date.now() };
      if (way === 'live') await playLive(sandbox, session);
      else layTranscript(sandbox, session);
      // Its lines are a second apart, the last in the future: the pause lasts until then.
      await until(() => Date.now() > session.from + 10_000);
      expect((await sandbox.person('resume')).code).toBe(0);
    }

    async function importAll(): Promise<void> {
      const { code, stderr, stdout } = await sandbox.cli('import', '--yes');
      expect({ code, said: `${stdout}${stderr}` }).toMatchObject({ code: 0 });
    }

    const isSettled = () => sandbox.query("SELECT 1 FROM events WHERE status IN ('pending','claimed')").length === 0;
    const records = () =>
      sandbox.query<{ name: string; record: string }>(
        'SELECT s.host_session_id AS name, t.record FROM turns t JOIN sessions s ON s.id = t.session_id ORDER BY t.id',
      );
    const recordOf = (name: string): TurnRecord =>
      readRecord(records().find((row) => row.name === `session-${name}`)?.record ?? expect.unreachable(`no record of ${name}`));
    const kindsOf = (name: string) => recordOf(name).steps.map(({ kind }) => kind);

    async function search(query: string): Promise<SearchHit[]> {
      const parameters = new URLSearchParams({ query, all: 'true' });
      const response = await fetch(`http://localhost/api/search?${parameters}`, { unix: sandbox.paths.httpSocket });
      return ((await response.json()) as SearchAnswer).results;
    }
    const best = async (query: string): Promise<SearchHit> => (await search(query))[0] ?? expect.unreachable(`nothing for ${query}`);

    test('1: later parts of a turn go before earlier ones, so a refuted guess does not answer', async () => {
      const { snippet = '' } = await best('nightly import fails half past two');
      expect(snippet).toContain('because of the lock of the backup');
      expect(snippet).not.toContain('disk of the import server');
      const between = (await best('is the disk of the nightly import full')).snippet ?? '';
      expect(between).toContain('refuted');
    });

    test('1: what was decided anew comes before the older word, which is marked as replaced', async () => {
      const hits = await search('how often does the wombat sync retry');
      const old = hits.findIndex(({ title }) => title.includes('retries 3 times'));
      const anew = hits.findIndex(({ title, snippet }) => `${title} ${snippet}`.includes('5 times'));
      expect(anew).toBeGreaterThanOrEqual(0);
      expect(anew).toBeLessThan(old);
      expect(hits[old]?.replacedBy).toMatchObject({ isCertain: true });
    });

    test('3: prompts about something else get no note, though a search for their words would find a row', async () => {
      const unrelated = [
        'Please write a haiku about the first snow of this winter',
        'Rename the variable in the loop of the parser to something better',
        'How do I center a div with flexbox in a modern browser?',
        'Add a dark theme to the settings page of the mobile app',
        'Which port would you choose for a new service of ours?',
        'Explain to me how a bloom filter works and when to use it',
        'The build on windows is red since yesterday, have a look',
        'Translate the landing page into Portuguese and Italian, please',
        'Write a test for the date picker component with a fake clock',
        'Set up a pull request template for this repository today',
      ];
      const told: string[] = [];
      const found: string[] = [];
      for (const [at, prompt] of unrelated.entries()) {
        const { stdout } = await sandbox.hook('new', submit(`unrelated-${at}`, prompt));
        if (stdout.includes('claude-mem-context')) told.push(prompt);
        if ((await search(prompt)).length > 0) found.push(prompt);
      }
      expect(told).toEqual([]);
      expect(found.length).toBeGreaterThan(0);
      const { stdout } = await sandbox.hook('new', submit('related', 'Why were the pangolin prices off, floats or cents?'));
      expect(stdout).toContain('pangolin');
    });
    const submit = (session: string, prompt: string) => ({
      ...{ session_id: session, cwd, hook_event_name: 'UserPromptSubmit' },
      ...{ prompt_id: `prompt-${session}`, prompt },
    });

    test('4: words between tools are in the record, each in its place, and are found', async () => {
      expect(recordOf('clock')).toMatchObject({
        steps: [{ kind: 'said', text: GUESS }, { kind: 'ran' }, { kind: 'said', text: LATER }, { kind: 'ran' }],
        closing: CLOSING,
      });
      const hit = await best('which port does the walrus exporter listen on');
      expect(`${hit.title}\n${hit.snippet}`).toContain('9187');
    });

    test('5: words after a page or a foreign tool are marked, up to the next own deed; theirs are not kept at all', async () => {
      expect((await best('how often does the quokka client retry')).snippet).toStartWith('[untrusted source] ');
      expect((await best('numbat team meets Graz')).snippet).toStartWith('[untrusted source] ');
      expect((await best('reminder for the numbat meeting in the calendar')).snippet).not.toStartWith('[untrusted');
      expect(recordOf('page').steps[0]).toEqual({ kind: 'web', source: 'https://quokka.example/docs' });
      expect(records().some(({ record }) => record.includes('The numbat team meets in Graz.\n'))).toBe(false);
    });

    test('6: the question is never its own answer, and the closing goes before what was said on the way', async () => {
      const { snippet = '' } = await best(QUESTION);
      expect(snippet).not.toContain(QUESTION);
      expect(snippet).toContain('because of the lock of the backup');
      const { title, snippet: done = '' } = await best('Set up the walrus exporter');
      expect(done).not.toContain('Asked: Set up the walrus exporter');
      expect(`${title}\n${done}`).toContain('9187');
    });

    test('7: a turn, its summary and its observations are one result', async () => {
      const hits = (await search('pangolin prices in cents')).filter(({ session }) => session === 'session-work');
      expect(hits).toHaveLength(1);
      const kinds = new Set([hits[0]?.id ?? '', ...(hits[0]?.sameTurn ?? [])].map((id) => /^[PS]?/.exec(id)?.[0]));
      expect(kinds).toEqual(new Set(['', 'P', 'S']));
    });

    test('8: snippets have at most 400 characters, and stand under the first five rows only', async () => {
      const hits = await search('the');
      const many = hits.length > 5 ? hits : await search('numbers prices import exporter client team build table service limit');
      expect(many.length).toBeGreaterThan(5);
      for (const [at, { snippet }] of many.entries()) {
        expect({ at, hasSnippet: snippet !== undefined && at >= 5 }).toEqual({ at, hasSnippet: false });
        expect(snippet?.replace('[untrusted source] ', '').length ?? 0).toBeLessThanOrEqual(400);
      }
      expect(many.slice(0, 5).filter(({ snippet }) => snippet).length).toBeGreaterThan(0);
    });

    test('9: what the memory told is not recorded again', () => {
      expect(kindsOf('recalled')).toEqual(['ran']);
      expect(JSON.stringify(records())).not.toContain('zorbliquentcanary');
      expect(filesWith('zorbliquentcanary')).toEqual([]);
    });

    test('task notifications, slash commands and the text of a compaction are no prompts', () => {
      const prompts = sandbox.query<{ text: string }>(
        "SELECT p.text FROM prompts p JOIN sessions s ON s.id = p.session_id WHERE s.host_session_id = 'session-host'",
      );
      expect(prompts).toEqual([{ text: 'Start the bilby build in the background.' }]);
      expect(JSON.stringify(recordOf('host'))).not.toMatch(/bilbynews|bilbyaccount|bilbymodel/);
    });

    test('of another agent only its report is recorded', () => {
      expect(recordOf('agent').steps).toContainEqual({
        kind: 'agent',
        task: expect.any(String),
        report: 'The dugong table is created in migration 017.',
      });
      expect(JSON.stringify(records())).not.toContain('dugongthought');
    });

    test('sessions at the same times lose nothing', () => {
      for (const name of ['twinOne', 'twinTwo']) {
        expect(kindsOf(name)).toEqual(['said', 'ran']);
        expect(recordOf(name).closing).toBe('Counted.');
      }
    });

    test.each(['privatecanary', 'partcanary', 'pausedcanary', 'excludedcanary'])('%s is in no file', (canary) => {
      expect(filesWith(canary)).toEqual([]);
    });

    test('what was done beside an excluded file is recorded', () => {
      expect(recordOf('excluded')).toMatchObject({
        steps: [{ kind: 'ran', command: 'restart ibis' }],
        closing: 'The limit of the ibis is changed.',
      });
      expect(recordOf('partly').closing).toBe('The gecko service answers.');
    });

    /** The files of the data dir that hold this text. */
    const filesWith = (text: string) =>
      readdirSync(sandbox.paths.dataDir, { recursive: true })
        .map((name) => join(sandbox.paths.dataDir, String(name)))
        .filter((path) => statSync(path).isFile() && readFileSync(path, 'latin1').includes(text));
  });

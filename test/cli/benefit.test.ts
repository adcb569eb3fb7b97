// `claude-mem benefit` as a person meets it: on past sessions that came in by an import.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Benefit } from '../../src/core/context.ts';
import { createLines } from '../support/claude-lines.ts';
import { createSandbox, type Sandbox } from '../support/sandbox.ts';
import { createTranscripts, type Transcripts } from '../support/transcripts.ts';

let sandbox: Sandbox;
let past: Transcripts;

const ERROR = 'Exit code 1\nERR_PNPM_NO_SCRIPT  Missing script: test';
const RIGHT = 'pnpm test --filter api';

beforeAll(async () => {
  sandbox = createSandbox();
  past = createTranscripts();
  const add = (session: string, cwd: string, day: string, make: (lines: ReturnType<typeof createLines>) => object[]) =>
    past.write(
      `p/${session}.jsonl`,
      make(createLines({ session, cwd, from: Date.parse(`${day}T09:00:00Z`) })),
      Date.parse('2026-11-16T12:00:00Z'),
    );
  const finds = (lines: ReturnType<typeof createLines>, id: string, prompt: string, close: string) => [
    lines.prompt(prompt, id),
    lines.use(`${id}-a`, 'Bash', { command: 'pnpm test' }),
    lines.failure(`${id}-a`, ERROR),
    ...lines.bash(`${id}-b`, RIGHT, '12 passed'),
    lines.say(close),
  ];
  const told = `We decided that the tests of the api are run with \`${RIGHT}\`, because the root package has no test script.`;
  add('first', '/home/dev/shop', '2026-01-02', (lines) => finds(lines, 'p1', 'Run the tests of the api, how is that done here?', told));
  add('tea', '/home/dev/tea', '2026-01-10', (lines) => [
    lines.prompt('Brew a pot of tea', 'p2'),
    lines.say('We decided to brew green tea, because black tea is out.'),
  ]);
  add('second', '/home/dev/shop', '2026-01-20', (lines) => finds(lines, 'p3', 'Check that the tests of the api still pass', 'All pass.'));
  await sandbox.startWorker();
  const { code } = await sandbox.person('import', past.folder, '--yes');
  expect(code).toBe(0);
});
afterAll(async () => {
  await sandbox.dispose();
  past.dispose();
});

const count = async (...more: string[]): Promise<Benefit & Record<'of' | 'known' | 'chance' | 'grep', number>> => {
  const { stdout, stderr, code } = await sandbox.person('benefit', '--json', ...more);
  expect([stderr, code]).toEqual(['', 0]);
  return JSON.parse(stdout);
};

test('the second session looked for a command that the memory of the first would have named', async () => {
  const { of, known, chance, grep, sessions, ...rest } = await count();
  expect({ of, known, chance, grep, ...rest }).toEqual({ of: 1, known: 1, chance: 0, grep: 1, all: 3, withoutPast: 2 });
  expect(sessions[0]).toMatchObject({ session: 'second', project: 'shop', turnsBefore: 1 });
  expect(sessions[0]?.findings).toEqual([
    {
      kind: 'command',
      text: RIGHT,
      turn: 1,
      step: 1,
      known: { where: 'start page', line: expect.stringContaining(RIGHT) },
      isKnownByChance: false,
      isGrepped: true,
    },
  ]);
});

test('it says so in words, with the case behind the figure, and says the same again', async () => {
  const { stdout } = await sandbox.person('benefit');
  expect(stdout).toStartWith('In 1 of 1 session the answer was already known (chance 0, grep 1).\n');
  expect(stdout).toContain('1 of 1 commands (chance 0, grep 1), 0 of 0 causes');
  expect(stdout).toMatch(/^2026-01-20 shop, session second, after 1 turn$/m);
  expect(stdout).toMatch(/^ {2}known, grep +command +turn 1: pnpm test --filter api$/m);
  expect(stdout).toMatch(/^ +start page: .*2026-01-02\b.*pnpm test --filter api/m);
  expect((await sandbox.person('benefit')).stdout).toBe(stdout);
});

test('of another project there is nothing to count, and of an unknown one it says what there is', async () => {
  expect((await sandbox.person('benefit', '--project', 'tea')).stdout).toBe(
    'None of 1 session can be counted: 1 had no earlier work in their project, the others worked out nothing that counts.\n',
  );
  const { code, stderr } = await sandbox.person('benefit', '--project', 'boat');
  expect([code, stderr]).toEqual([1, expect.stringContaining('No project is called "boat"')]);
});

test('it works without the worker, and leaves the database as it was', async () => {
  await sandbox.person('stop');
  const before = sandbox.query('SELECT (SELECT count(*) FROM sessions) AS s, (SELECT count(*) FROM tellings) AS t');
  expect(await count()).toMatchObject({ known: 1 });
  expect(sandbox.query('SELECT (SELECT count(*) FROM sessions) AS s, (SELECT count(*) FROM tellings) AS t')).toEqual(before);
  await sandbox.startWorker();
});

test('what somebody calls incorrect is neither given nor grepped', async () => {
  const ids = sandbox.query("SELECT o.id FROM observations o JOIN sessions s ON s.id = o.session_id WHERE s.host_session_id = 'first'");
  const { code, stderr } = await sandbox.person('incorrect', ...ids.map((row) => String(Object.values(row as object)[0])));
  expect([code, stderr]).toEqual([0, '']);
  expect(await count()).toMatchObject({ of: 0, all: 2, withoutPast: 2 });
});

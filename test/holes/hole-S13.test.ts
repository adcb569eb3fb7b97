// Nothing of a private turn is written, also when no worker is there to know that it is private.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sendLine } from '../../src/client/send.ts';
import { type Envelope, WIRE_VERSION } from '../../src/core/envelope.ts';
import { markPrivate } from '../../src/hook/spool.ts';
import { startBun } from '../../src/start-bun.ts';
import { createLines } from '../support/claude-lines.ts';
import { bash, bashFailure, sessionEnd, stop, userPrompt } from '../support/payloads.ts';
import { createSandbox, runProcess, type Sandbox } from '../support/sandbox.ts';
import { toLines } from '../support/transcript.ts';
import { until } from '../support/until.ts';

const NEEDLE = 'needle-of-the-private-turn';
const CWD = '/home/dev/shop';

let sandbox: Sandbox;
beforeEach(() => {
  sandbox = createSandbox();
});
afterEach(() => sandbox.dispose());

/** The memory is a folder: a worker that is started gives up, and every hook has to spool. */
function withoutWorker(): void {
  mkdirSync(sandbox.paths.database, { recursive: true });
}

const files = () =>
  readdirSync(sandbox.paths.dataDir, { recursive: true, encoding: 'utf8' })
    .map((name) => join(sandbox.paths.dataDir, name))
    // A worker that starts renames files meanwhile.
    .filter((path) => lstatSync(path, { throwIfNoEntry: false })?.isFile());
const filesWith = (text: string) => files().filter((path) => readFileSync(path, 'latin1').includes(text));
const spooled = () =>
  readdirSync(sandbox.paths.spool)
    .filter((name) => name.endsWith('.json'))
    .map((name) => JSON.parse(readFileSync(join(sandbox.paths.spool, name), 'utf8')));

const allDone = () => until(() => sandbox.query("SELECT 1 FROM events WHERE status IN ('pending','claimed')").length === 0);

/** As a hook makes it. */
const envelopeOf = (payload: object, receivedAt = Date.now()): Envelope => ({
  id: randomBytes(16).toString('hex'),
  v: WIRE_VERSION,
  host: 'claude-code',
  event: 'save',
  receivedAt,
  payload,
});

async function sendEnvelope(envelope: Envelope): Promise<unknown> {
  const sent = await sendLine(sandbox.paths.workerSocket, JSON.stringify(envelope), 5000);
  return sent.kind === 'answer' ? JSON.parse(sent.line) : sent;
}

const privatePrompt = (session: string, promptId?: string) =>
  userPrompt(session, CWD, `<private>${NEEDLE}: what is my password?</private>`, { prompt_id: promptId });

/** Everything that a turn may say besides its prompt. */
async function tellTurn(session: string, words: string, promptId?: string): Promise<void> {
  const more = promptId ? { prompt_id: promptId } : {};
  await sandbox.hook('save', bash(session, CWD, 'pass show bank', words, more));
  await sandbox.hook('save', { ...bashFailure(session, CWD, 'pass show x', words), ...more });
  await sandbox.hook('save', bash(session, CWD, 'ls', words, { ...more, agent_id: 'agent-1' }));
  const report = { session_id: session, cwd: CWD, hook_event_name: 'SubagentStop', agent_id: 'agent-1', last_assistant_message: words };
  await sandbox.hook('save', { ...report, ...more });
  await sandbox.hook('save', { session_id: session, cwd: CWD, hook_event_name: 'PostCompact', compact_summary: words, ...more });
  await sandbox.hook('summary', stop(session, CWD, `Your password is ${words}`, more));
}

describe('hole-S13: without a worker', () => {
  beforeEach(withoutWorker);

  test.each([
    ['with the ids of prompts', 'p1', 'p2'],
    ['without them', undefined, undefined],
  ])('nothing of a private turn is spooled, %s', async (_, first, second) => {
    await sandbox.hook('new', privatePrompt('s', first));
    await tellTurn('s', NEEDLE, first);
    expect(filesWith(NEEDLE)).toEqual([]);
    expect(spooled()).toMatchObject([{ event: 'new', private: true, payload: { prompt: '' } }]);
    await sandbox.hook('new', userPrompt('s', CWD, 'Now list the files', { prompt_id: second }));
    await sandbox.hook('save', bash('s', CWD, 'ls', 'public-words', second ? { prompt_id: second } : {}));
    expect(filesWith('public-words')).toHaveLength(1);
    expect(filesWith(NEEDLE)).toEqual([]);
  });

  test.each(['codex', 'gemini', 'opencode', 'cursor'])('nor of one of %s, whatever the agent puts before the words', async (agent) => {
    const program = join(import.meta.dir, '../../dist/hook.js');
    const lines = readFileSync(join(import.meta.dir, `../fixtures/agents/${agent}.jsonl`), 'utf8')
      .trim()
      .split('\n');
    for (const line of lines) {
      const said = line.replaceAll('Keep carts for a week', `<private>${NEEDLE}</private>`);
      const { command, payload } = JSON.parse(said.replaceAll(/npm test|DAYS = 7|Carts are kept for a week/g, NEEDLE));
      const env = { ...sandbox.env, CLAUDE_MEM_INSTALLED: sandbox.paths.dataDir };
      await runProcess([...startBun(program), command, agent], env, JSON.stringify(payload));
    }
    expect(filesWith(NEEDLE)).toEqual([]);
    expect(spooled()).toContainEqual(expect.objectContaining({ host: agent, event: 'new', private: true }));
  });

  test('other sessions are spooled meanwhile', async () => {
    await sandbox.hook('new', privatePrompt('s', 'p1'));
    await sandbox.hook('new', userPrompt('other', CWD, 'List the files', { prompt_id: 'p2' }));
    await sandbox.hook('save', bash('other', CWD, 'ls', 'public-words', { prompt_id: 'p2' }));
    await sandbox.hook('save', bash('s', CWD, 'cat', NEEDLE, { prompt_id: 'p1' }));
    expect(filesWith('public-words')).toHaveLength(1);
    expect(filesWith(NEEDLE)).toEqual([]);
  });

  test('what comes late for a private prompt, after a public one, is not spooled either', async () => {
    await sandbox.hook('new', privatePrompt('s', 'p1'));
    await sandbox.hook('new', userPrompt('s', CWD, 'List the files', { prompt_id: 'p2' }));
    await sandbox.hook('save', bash('s', CWD, 'cat', NEEDLE, { prompt_id: 'p1' }));
    expect(filesWith(NEEDLE)).toEqual([]);
  });

  test('the marks tell nothing, are for this user alone, and follow no link', async () => {
    const elsewhere = join(sandbox.home, 'elsewhere');
    await sandbox.hook('new', privatePrompt('session-with-a-name', 'p1'));
    const marks = readdirSync(sandbox.paths.privateMarks);
    expect(marks.join(' ')).toMatch(/^[0-9a-f. nowend]+$/);
    for (const mark of marks) {
      const path = join(sandbox.paths.privateMarks, mark);
      expect([statSync(path).size, statSync(path).mode & 0o077]).toEqual([0, 0]);
    }
    expect(filesWith('session-with-a-name').every((path) => path.endsWith('.json'))).toBe(true);
    await sandbox.cli('stop');
    for (const mark of marks) {
      await Bun.file(join(sandbox.paths.privateMarks, mark)).delete();
      symlinkSync(elsewhere, join(sandbox.paths.privateMarks, mark));
    }
    await sandbox.hook('new', privatePrompt('session-with-a-name', 'p1'));
    expect(existsSync(elsewhere)).toBe(false);
  });
});

const DISGUISES = {
  'an invisible character before it': `\u200b<private>${NEEDLE}</private>`,
  'invisible characters and colours around it': `\x1b[2m\ufeff<private>${NEEDLE}</private>\u2060\x1b[0m\u2800`,
  'colours in the tag': `<\x1b[31mprivate\x1b[0m>${NEEDLE}<\x1b[31m/private>`,
  'letters struck twice': `<p\bprivate>${NEEDLE}</private\x07>`,
  'colours written as escapes': `<\\u001b[31mprivate>${NEEDLE}</private>`,
};

test.each(Object.entries(DISGUISES))(
  'hole-S13: without a worker, a private prompt with %s leaves nothing',
  async (_, prompt) => {
    withoutWorker();
    await sandbox.hook('new', userPrompt('s', CWD, prompt, { prompt_id: 'p1' }));
    await tellTurn('s', NEEDLE, 'p1');
    await tellTurn('s', NEEDLE);
    expect(filesWith(NEEDLE)).toEqual([]);
    expect(spooled()).toMatchObject([{ event: 'new', private: true }]);
  },
  240_000,
);

test('hole-S13: with one, none of them leaves anything, nor when its transcript is imported', async () => {
  const cwd = sandbox.project('shop');
  await sandbox.startWorker();
  for (const [at, prompt] of Object.values(DISGUISES).entries()) {
    await sandbox.hook('new', userPrompt(`s${at}`, cwd, prompt, { prompt_id: `p${at}` }));
    await tellTurn(`s${at}`, NEEDLE, `p${at}`);
    const session = `1111111${at}-2222-4333-8444-555555555555`;
    const lines = createLines({ session, cwd, from: Date.parse('2026-03-02T09:00:00Z') + at * 3_600_000 });
    const transcript = join(sandbox.home, `.claude/projects/-shop/${session}.jsonl`);
    await Bun.write(transcript, toLines([lines.prompt(prompt), lines.say(`Noted: ${NEEDLE}`), lines.prompt(`Go on with ${at}`)]));
    expect([at, filesWith(NEEDLE)]).toEqual([at, []]);
  }
  expect((await sandbox.person('import', '--yes')).code).toBe(0);
  await allDone();
  expect(sandbox.query("SELECT 1 FROM prompts WHERE text LIKE 'Go on with %'")).toHaveLength(Object.keys(DISGUISES).length);
  expect(filesWith(NEEDLE)).toEqual([]);
});

test('hole-S13: as a piece of a text none of them leaves anything, in any kind of text', async () => {
  const cwd = sandbox.project('shop');
  await sandbox.startWorker();
  for (const [at, disguise] of Object.values(DISGUISES).entries()) {
    const [session, text] = [`s${at}`, `before${at} ${disguise} after`];
    await sandbox.hook('new', userPrompt(session, cwd, text));
    await sandbox.hook('save', bash(session, cwd, `echo ${text}`, text));
    await sandbox.hook('save', bash(session, cwd, 'cat', `${'x y\n'.repeat(700_000)}${text}`));
    await sandbox.hook('summary', stop(session, cwd, text));
    await sandbox.cli('remember', text, '--project', 'shop');
    const saved = await fetch('http://localhost/api/memory/save', {
      unix: sandbox.paths.httpSocket,
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ text, title: 'Words', cwd }),
    });
    expect(saved.ok).toBe(true);
    await allDone();
    expect([at, filesWith(`before${at}`).length > 0, filesWith(NEEDLE)]).toEqual([at, true, []]);
  }
});

describe('hole-S13: with a worker at the prompt', () => {
  test('that is gone at the tool, nothing of the turn is spooled', async () => {
    await sandbox.startWorker();
    await sandbox.hook('new', privatePrompt('s', 'p1'));
    await sandbox.cli('stop');
    // Whatever starts now finds no memory that it could use.
    const { database } = sandbox.paths;
    for (const path of [database, `${database}-wal`, `${database}-shm`]) if (existsSync(path)) await Bun.file(path).delete();
    withoutWorker();
    writeFileSync(join(database, 'x'), '');
    await tellTurn('s', NEEDLE, 'p1');
    expect(filesWith(NEEDLE)).toEqual([]);
  });

  test('that was stopped, what waited for it is judged by its own time, in whatever order it is read', async () => {
    const pid = await sandbox.startWorker();
    await sandbox.hook('new', userPrompt('s', CWD, 'Begin', { prompt_id: undefined }));
    process.kill(pid, 'SIGSTOP');
    // Nobody answers, so each of them leaves its words in the socket, and goes to the spool if it may.
    await sandbox.hook('new', privatePrompt('s'));
    await sandbox.hook('save', bash('s', CWD, 'pass show bank', NEEDLE));
    const late = envelopeOf(bash('s', CWD, 'pass show card', `late ${NEEDLE}`));
    await sandbox.hook('new', userPrompt('s', CWD, 'Now list the files', { prompt_id: undefined }));
    await sandbox.hook('save', bash('s', CWD, 'ls', 'public-words'));
    process.kill(pid, 'SIGCONT');
    await until(() => sandbox.query("SELECT 1 FROM events WHERE payload LIKE '%public-words%'").length > 0);
    await until(() => sandbox.query("SELECT 1 FROM prompts WHERE text = 'Now list the files'").length > 0);
    // As if it were read last of all.
    expect(await sendEnvelope(late)).toMatchObject({ ok: true });
    expect(filesWith(NEEDLE)).toEqual([]);
  });

  test('that has not heard of the private prompt yet, its tools are known by the marks', async () => {
    await sandbox.startWorker();
    await sandbox.hook('new', userPrompt('s', CWD, 'Begin', { prompt_id: undefined }));
    const now = Date.now();
    markPrivate(sandbox.paths, { ...envelopeOf(privatePrompt('s'), now + 10), event: 'new', private: true });
    for (const [words, at] of [
      [NEEDLE, now + 20],
      ['words-of-before', now + 5],
    ] as const)
      expect(await sendEnvelope(envelopeOf(bash('s', CWD, 'ls', words), at))).toMatchObject({ ok: true });
    expect(filesWith(NEEDLE)).toEqual([]);
    expect(filesWith('words-of-before')).not.toEqual([]);
  });

  test('the end of the session takes its marks away, and no others', async () => {
    await sandbox.startWorker();
    await sandbox.hook('new', privatePrompt('one', 'p1'));
    await sandbox.hook('new', privatePrompt('two', 'p2'));
    expect(readdirSync(sandbox.paths.privateMarks)).toHaveLength(8);
    await sandbox.hook('cleanup', sessionEnd('one', CWD));
    await until(() => readdirSync(sandbox.paths.privateMarks).length === 4);
  });
});

import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { remember as keep } from '../../src/capture/remember.ts';
import { sendLine } from '../../src/client/send.ts';
import { loadConfig } from '../../src/config.ts';
import type { HookCommand } from '../../src/core/envelope.ts';
import { spool } from '../../src/hook/spool.ts';
import type { Paths } from '../../src/paths.ts';
import { WORN } from '../../src/server/housekeeping.ts';
import { openStore } from '../../src/store/open.ts';
import { writeAccount } from '../../src/sync/state.ts';
import { bash, sessionEnd, sessionStart, stop, userPrompt } from '../support/payloads.ts';
import { until } from '../support/until.ts';
import { createTestWorker, envelopeOf as envelope, type TestWorker } from '../support/worker-app.ts';

let worker: TestWorker;
let paths: Paths;
beforeEach(() => {
  worker = createTestWorker();
  paths = worker.paths;
});
afterEach(() => worker.dispose());

const send = (event: HookCommand, payload: unknown) => worker.send(event, payload);
const rows = <T>(sql: string) => worker.rows<T>(sql);
async function ask(line: string) {
  const result = await sendLine(paths.workerSocket, line, 20_000);
  return result.kind === 'answer' ? JSON.parse(result.line) : expect.unreachable(result.kind);
}

/** A request of which the worker has the head and a part of the body. */
async function askHalf() {
  const body = JSON.stringify({ text: 'The staging server is called egret', project: 'shop' });
  const head = ['POST /api/memory/save HTTP/1.1', 'Host: localhost', 'Content-Type: application/json', `Content-Length: ${body.length}`];
  const socket = connect(paths.httpSocket);
  const answer = new Promise<string>((resolve) => socket.once('data', (bytes) => resolve(String(bytes))));
  await new Promise((resolve) => socket.write(`${head.join('\r\n')}\r\n\r\n${body.slice(0, 9)}`, resolve));
  // What comes later is answered: so the worker has read this.
  await worker.call('GET', '/health');
  return { answer, end: () => socket.end(body.slice(9)) };
}

const CWD = '/home/dev/shop';

describe('the worker', () => {
  test('acknowledges what is committed, by its id', async () => {
    await worker.start();
    const sent = envelope('save', bash('s', CWD, 'ls', 'x'));
    expect(await ask(JSON.stringify(sent))).toEqual({ id: sent.id, ok: true });
    expect(rows('SELECT id FROM events')).toEqual([{ id: sent.id }]);
  });

  test('answers many messages of one connection, each by its id', async () => {
    await worker.start();
    const sent = Array.from({ length: 300 }, (_, i) => envelope('save', bash('s', CWD, `echo ${i}`, 'x'.repeat(i * 20))));
    let said = '';
    const socket = connect(paths.workerSocket).on('data', (bytes) => {
      said += bytes;
    });
    socket.write(sent.map((one) => `${JSON.stringify(one)}\n`).join(''));
    await until(() => said.split('\n').length > sent.length);
    socket.destroy();
    const answered = said
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).id);
    expect(new Set(answered)).toEqual(new Set(sent.map(({ id }) => id)));
    expect(rows('SELECT id FROM events')).toHaveLength(sent.length);
  });

  test('answers nonsense with an error and goes on', async () => {
    await worker.start();
    expect(await ask('nonsense')).toMatchObject({ ok: false });
    expect(await ask('{"type":"ping","id":"p"}')).toEqual({ id: 'p', ok: true, pid: process.pid });
  });

  test('takes the two messages of the first socket protocol when they name their session', async () => {
    await worker.start();
    const observation = { type: 'observation', session_id: 's', tool_name: 'Read', tool_input: '{"file_path":"/a"}', tool_output: '{}' };
    expect(await ask(JSON.stringify(observation))).toMatchObject({ ok: true });
    expect(await ask('{"type":"finalize","session_id":"s"}')).toMatchObject({ ok: true });
    expect(rows('SELECT kind FROM events ORDER BY seq')).toEqual([{ kind: 'tool' }, { kind: 'stop' }]);
  });

  test.each([
    ['{"type":"finalize"}', 'session_id is missing: say which session it belongs to'],
    ['{"type":"observation","tool_name":"Read"}', 'session_id is missing: say which session it belongs to'],
    ['{"type":"observation","session_id":"s"}', 'tool_name is missing or wrong'],
    ['{"type":"hello"}', 'v is missing or wrong'],
    ['7', 'it must be an object: an envelope, or a message of type ping, observation or finalize'],
  ])('%s gets a plain error', async (line, error) => {
    await worker.start();
    expect(await ask(line)).toEqual({ id: '', ok: false, error });
    expect(rows('SELECT 1 FROM events')).toEqual([]);
  });

  test('stores what was spooled before it started, and what is spooled while it runs', async () => {
    spool(paths, envelope('save', bash('s', CWD, 'before', 'x')));
    await worker.start();
    expect(rows('SELECT id FROM events')).toHaveLength(1);
    spool(paths, envelope('save', bash('s', CWD, 'while', 'x')));
    await until(() => rows('SELECT id FROM events').length === 2);
    await until(() => readdirSync(paths.spool).length === 0);
  });

  test('sets a spooled file aside that is no event, and keeps the rest', async () => {
    mkdirSync(paths.spool, { recursive: true });
    writeFileSync(join(paths.spool, '000-broken.json'), '{"half":');
    spool(paths, envelope('save', bash('s', CWD, 'ok', 'x')));
    await worker.start();
    expect(rows('SELECT id FROM events')).toHaveLength(1);
    expect(readdirSync(join(paths.spool, 'bad'))).toEqual(['000-broken.json']);
    expect(worker.problems.join()).toContain('lies in spool/bad');
  });

  test('takes up again what a dead worker had claimed', async () => {
    await worker.start();
    await send('new', userPrompt('s', CWD, 'Add a cache'));
    await worker.stop();
    const db = openStore(paths.database);
    db.run("UPDATE events SET status = 'claimed', attempts = 1");
    db.close(true);
    await worker.start();
    expect(rows('SELECT status FROM events')).toEqual([{ status: 'pending' }]);
  });

  test('keeps the events when the observer fails, and sets them aside after a few times', async () => {
    let calls = 0;
    await worker.start({
      observe: () => {
        calls++;
        throw new Error('observer broke');
      },
    });
    await send('new', userPrompt('s', CWD, 'go'));
    await send('summary', stop('s', CWD, 'done'));
    await until(() => rows("SELECT id FROM events WHERE status = 'quarantined'").length === 2);
    expect(calls).toBe(5);
    expect(worker.problems.join()).toContain('observer broke');
  });

  test('cuts off no program of its user that waits long for an answer', async () => {
    // Longer than Bun lets a connection be silent, unless it is told otherwise.
    const slow = Bun.sleep(16_000);
    const answer = () => slow.then(() => new Response('', { status: 503 }));
    const hub = Bun.serve({ port: 0, hostname: '127.0.0.1', idleTimeout: 0, fetch: answer });
    const account = { token: 't', device: 'd', member: 'm', name: 'n', personal: 'p', seed: Buffer.alloc(32).toString('base64') };
    writeAccount(paths.sync, { ...account, hub: hub.url.origin, isPaused: false });
    await worker.start();
    expect((await worker.call('POST', '/api/sync')).status).toBe(200);
    await hub.stop(true);
  });

  test('says that it has been idle, but not while something waits', async () => {
    let now = Date.now();
    let idle = 0;
    await worker.start({ clock: () => now, onDone: () => idle++ });
    await send('save', bash('s', CWD, 'ls', 'x'));
    now += 31 * 60_000;
    // The open turn is observed for its silence first; then nothing waits any more.
    await until(() => idle > 0);
    expect(rows("SELECT id FROM events WHERE status = 'pending'")).toHaveLength(0);
  });

  test('gives way to a new one when it has grown large and is idle, where one can take its place', async () => {
    const reasons: string[] = [];
    const ballast = new Uint8Array(120e6).fill(1);
    let now = Date.now();
    let looks = 0;
    const { config } = loadConfig(paths.config, { CLAUDE_MEM_EMBEDDER: 'static' });
    const counting = { ...config, idleMinutes: 30 };
    // Asked by nothing but the look at whether to end.
    Object.defineProperty(counting, 'idleMinutes', { get: () => Math.min(30, ++looks + 30) });
    const onDone = (reason: string) => reasons.push(reason);
    await worker.start({ config: () => counting, clock: () => now, onDone, isReplaceable: true });
    now += 1000;
    await send('new', userPrompt('s', CWD, 'go'));
    await send('summary', stop('s', CWD, 'done'));
    await until(() => rows("SELECT id FROM events WHERE status = 'pending'").length === 0);
    now += 60_000;
    await until(() => reasons.length > 0);
    expect(reasons[0]).toBe(WORN);
    // Whoever waits for an answer still gets it.
    const asking = await askHalf();
    const [looked, said] = [looks, reasons.length];
    await until(() => looks > looked);
    expect(reasons).toHaveLength(said);
    asking.end();
    expect(await asking.answer).toStartWith('HTTP/1.1 ');
    await until(() => reasons.length > said);
    expect(ballast.length).toBe(120e6);
  });

  test('answers what it was asked before it is closed, and is found by nobody meanwhile', async () => {
    await worker.start();
    const asking = await askHalf();
    const closing = worker.stop();
    expect(existsSync(paths.httpSocket)).toBe(false);
    asking.end();
    await closing;
    expect(await asking.answer).toStartWith('HTTP/1.1 ');
  });

  test('leaves no socket behind when it is closed', async () => {
    await worker.start();
    await worker.stop();
    expect(existsSync(paths.workerSocket)).toBe(false);
    expect(existsSync(paths.httpSocket)).toBe(false);
    expect(existsSync(`${paths.database}-wal`)).toBe(false);
  });

  test('makes every file for this user alone, whatever the mask', async () => {
    const before = process.umask(0);
    try {
      await worker.start();
      await send('save', bash('s', CWD, 'ls', 'x'));
      spool(paths, envelope('save', bash('s', CWD, 'two', 'x')));
      for (const path of [paths.workerSocket, paths.httpSocket, paths.database, `${paths.database}-wal`]) {
        expect([path, statSync(path).mode & 0o077]).toEqual([path, 0]);
      }
    } finally {
      process.umask(before);
    }
  });
});

describe('a session that starts', () => {
  const CACHED = 'because scanning is slow';
  const story = async (session: string, cwd: string, word: string, said?: string) => {
    await send('context', sessionStart(session, cwd));
    await send('new', userPrompt(session, cwd, `Speed up the ${word} parser`));
    await send('save', bash(session, cwd, `git commit -am "Cache ${word} tokens"`, `[main abc1234] Cache ${word} tokens\n 1 file changed`));
    await send('summary', stop(session, cwd, said ?? `Done. We decided to cache ${word} tokens rather than re-scan, ${CACHED}.`));
    await send('cleanup', sessionEnd(session, cwd));
  };
  const told = async (payload: unknown) => JSON.parse(await send('context', payload));

  test('is told what the session before it did, at once', async () => {
    await worker.start();
    await story('one', CWD, 'tokenizer');
    const output = await told(sessionStart('two', CWD));
    expect(output.hookSpecificOutput.hookEventName).toBe('SessionStart');
    expect(output.hookSpecificOutput.additionalContext).toContain('tokenizer');
    expect(output.systemMessage).toContain('shop');
    await until(() => rows('SELECT 1 FROM injections').length > 0);
    expect(rows('SELECT DISTINCT source FROM injections')).toEqual([{ source: 'startup' }]);
  });

  test('again after a resume hears only what is new; after a compaction everything', async () => {
    await worker.start();
    await story('one', CWD, 'tokenizer');
    await story('two', CWD, 'lexer', 'The lexer read every file twice: once for its size, once for its words.');
    const resume = (seconds: number) => sessionStart('one', CWD, { source: 'resume', seconds_since_last_response: seconds });
    expect((await told(resume(0))).hookSpecificOutput).toBeUndefined();
    const update = (await told(resume(60))).hookSpecificOutput.additionalContext;
    expect(update).toContain('lexer');
    expect(update).not.toContain('tokenizer');
    const compact = (await told(sessionStart('one', CWD, { source: 'compact' }))).hookSpecificOutput.additionalContext;
    expect(compact).toContain('lexer');
    expect(compact).toContain('tokenizer');
  });

  test('without an id is told the same, and no session is made', async () => {
    await worker.start();
    await story('one', CWD, 'tokenizer');
    const output = await told({ hook_event_name: 'SessionStart', source: 'startup', cwd: CWD });
    expect(output.hookSpecificOutput.additionalContext).toContain('tokenizer');
    expect(rows('SELECT id FROM sessions')).toHaveLength(1);
  });

  test('in a project that nobody knows hears what holds everywhere, and is greeted when nothing does', async () => {
    await worker.start();
    const call = { hook_event_name: 'SessionStart', source: 'startup', cwd: '/home/dev/brand-new' };
    const greeted = await told(call);
    expect(greeted.systemMessage).toContain('has no memory yet');
    expect(greeted.hookSpecificOutput).toBeUndefined();
    const db = openStore(paths.database);
    keep(db, { text: 'Commit messages are written in the imperative.', global: true, by: 'user' }, Date.now());
    db.close();
    for (const asked of [call, sessionStart('first', '/home/dev/brand-new')]) {
      const { additionalContext } = (await told(asked)).hookSpecificOutput;
      expect(additionalContext).toContain('## In every project');
      expect(additionalContext).toContain('Commit messages are written in the imperative.');
    }
  });

  test('hears of what was only in the spool a moment ago', async () => {
    await worker.start();
    chmodSync(paths.spool, 0o700);
    for (const one of [
      envelope('new', userPrompt('one', CWD, 'Speed up the spool parser')),
      envelope(
        'summary',
        stop('one', CWD, 'We decided to batch spool writes rather than sync each: a sync takes 9 ms, and a busy turn writes 200 files.'),
      ),
    ]) {
      spool(paths, one);
    }
    expect((await told(sessionStart('two', CWD))).hookSpecificOutput.additionalContext).toContain('batch spool writes');
  });
});

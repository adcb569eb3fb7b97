// The embedder's process: there when it is needed, gone when it is not, and never in the way of a query.
import { afterEach, describe, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ChildEmbedder } from '../../../src/search/embed/child-embedder.ts';
import type { Embedder } from '../../../src/search/embed/embedder.ts';
import { findEmbedder } from '../../../src/search/embed/engines.ts';
import { until } from '../../support/until.ts';
import { ASSETS } from './assets.ts';
import { describeEmbedder } from './embedder-contract.ts';

const FAKE = { command: [process.execPath, join(import.meta.dir, 'fake-child.ts')] };
const BUILT = join(ASSETS, '../embedder.js');

const open: Embedder[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((embedder) => embedder.close()));
});

type Options = ConstructorParameters<typeof ChildEmbedder>[0];
function create(options: Partial<Options> = {}) {
  const events: Parameters<NonNullable<Options['onEvent']>>[0][] = [];
  const child = findEmbedder();
  const embedder = new ChildEmbedder({ engine: 'static', ...child, onEvent: (event) => events.push(event), ...options });
  open.push(embedder);
  const started = () => events.filter(({ kind }) => kind === 'started');
  return { embedder, events, started, pid: () => started().at(-1)?.pid ?? 0 };
}

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

const outcomeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'done',
    (error) => `${error.name} ${error.kind}: ${error.message}`,
  );

describe('as an embedder', () => {
  describeEmbedder(() => new ChildEmbedder({ engine: 'static', ...findEmbedder() }));
});

test('runs as it is built, with nothing of our environment', async () => {
  expect(existsSync(BUILT)).toBe(true);
  const { embedder, pid } = create({ engine: 'minilm', command: [process.execPath, BUILT, ASSETS] });
  await embedder.embed(['a'], 'query');
  const environment = await Bun.file(`/proc/${pid()}/environ`).text();
  expect(environment).not.toContain('PATH=');
});

test('ends the process after an idle time, and starts another when it is needed', async () => {
  const { embedder, events, started, pid } = create({ idleMs: 20 });
  await embedder.embed(['a'], 'query');
  const first = pid();
  await until(() => events.some((event) => event.kind === 'ended' && event.reason === 'idle'));
  await until(() => !isAlive(first));
  await embedder.embed(['b'], 'query');
  expect(started()).toHaveLength(2);
});

test('a query overtakes documents that wait', async () => {
  const { embedder } = create({ engine: 'minilm' });
  await embedder.embed(['warm'], 'query');
  const order: string[] = [];
  const documents = embedder.embed(Array(8).fill('some words '.repeat(120)), 'document').then(() => order.push('documents'));
  await embedder.embed(['a question'], 'query').then(() => order.push('query'));
  expect(order).toEqual(['query']);
  await documents;
  expect(order).toEqual(['query', 'documents']);
});

test('after the process was killed, the next request works', async () => {
  const { embedder, started, pid } = create();
  await embedder.embed(['a'], 'query');
  process.kill(pid(), 'SIGKILL');
  await until(() => !isAlive(pid()));
  expect(await outcomeOf(embedder.embed(['b'], 'query').catch(() => embedder.embed(['b'], 'query')))).toBe('done');
  expect(started().length).toBeGreaterThan(1);
});

test('a process that dies at a text fails that request only', async () => {
  const { embedder } = create({ ...FAKE });
  const outcomes = [['fine', 'crash', 'never'], ['other']].map((texts) => outcomeOf(embedder.embed(texts, 'document')));
  expect(await Promise.all(outcomes)).toEqual(['EmbedderError transient: The embedding process ended with code 3.', 'done']);
});

test('kills a process that is too slow, and rejects what it was asked', async () => {
  const { embedder, pid } = create({ ...FAKE, deadlineMs: 300 });
  const late = outcomeOf(embedder.embed(['hang'], 'query'));
  const hung = pid();
  expect(await late).toBe('EmbedderError transient: The embedding process gave no vector within 300 ms.');
  await until(() => !isAlive(hung));
});

test('passes on why the process cannot work, and keeps it', async () => {
  const { embedder, started } = create({ ...FAKE });
  expect(await outcomeOf(embedder.embed(['fail'], 'query'))).toBe('EmbedderError settings: static.bin is damaged.');
  expect(await outcomeOf(embedder.embed(['fine'], 'query'))).toBe('done');
  expect(started()).toHaveLength(1);
});

test('says what to do when the files are missing', async () => {
  const { command } = findEmbedder();
  const { embedder } = create({ command: [...command.slice(0, -1), '/nowhere'] });
  expect(await outcomeOf(embedder.embed(['a'], 'query'))).toMatch(/settings: .*\/nowhere.* Install claude-mem again\./);
});

test('says what to do when the program is missing', async () => {
  const { embedder } = create({ command: ['/nowhere/bun'] });
  expect(await outcomeOf(embedder.embed(['a'], 'query'))).toMatch(/settings: \/nowhere\/bun cannot be run/);
});

test('close ends the process and rejects what waits and what comes', async () => {
  const { embedder, pid } = create({ ...FAKE });
  const waiting = outcomeOf(embedder.embed(['hang'], 'document'));
  await embedder.close();
  expect(await waiting).toBe('EmbedderError closed: The embedder was closed.');
  expect(await outcomeOf(embedder.embed(['a'], 'query'))).toBe('EmbedderError closed: The embedder is closed.');
  expect(isAlive(pid())).toBe(false);
});

test('the process ends when its parent is killed', async () => {
  const parent = Bun.spawn([process.execPath, join(import.meta.dir, 'lonely-parent.ts')], { stdout: 'pipe' });
  const reader = parent.stdout.getReader();
  const pid = Number(new TextDecoder().decode((await reader.read()).value));
  expect(isAlive(pid)).toBe(true);
  parent.kill('SIGKILL');
  await until(() => !isAlive(pid));
});

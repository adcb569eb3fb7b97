import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Spool } from '../../src/capture/spool.ts';
import type { Envelope } from '../../src/core/envelope.ts';
import { nameSpooled } from '../../src/core/envelope.ts';
import { bash } from '../support/payloads.ts';
import { until } from '../support/until.ts';
import { envelopeOf } from '../support/worker-app.ts';

const FILES = 60;
const quiet = () => undefined;

let folder: string;
let drain: Spool | null;
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'cmem-spool-')), 'spool');
  mkdirSync(folder);
  drain = null;
});
afterEach(() => {
  drain?.close();
  rmSync(join(folder, '..'), { recursive: true });
});

function fill(session: string): void {
  for (let at = 0; at < FILES; at++) {
    const envelope = envelopeOf('save', bash(session, '/home/dev/shop', `echo ${at}`, 'ok'), { receivedAt: 1000 + at });
    writeFileSync(join(folder, nameSpooled(envelope)), JSON.stringify(envelope));
  }
}

/** A store that takes nothing until it is told to. */
function begin() {
  const gate = Promise.withResolvers<void>();
  const taken: Envelope[] = [];
  const take = async (envelope: Envelope) => {
    await gate.promise;
    taken.push(envelope);
  };
  const log = { debug: quiet, info: quiet, warn: quiet, error: quiet };
  drain = new Spool({ folder, take, log, clock: Date.now, isOurs: () => true, stableMs: 60_000 });
  return { drain, taken, letGo: gate.resolve, begun: drain.begin() };
}

test('nobody waits for a queue that is stored slowly', async () => {
  fill('behind');
  // A worker was killed at it: each is tried by itself.
  writeFileSync(join(folder, '.draining'), readdirSync(folder).join('\n'));
  const { drain, taken, letGo, begun } = begin();
  await begun;
  expect(taken).toEqual([]);
  // Of another session nothing is here; of this one a hook hears in time that it has to spool, and the order is kept.
  await drain.before('other', 20);
  await expect(drain.before('behind', 20)).rejects.toMatchObject({ code: 'EAGAIN' });
  const patient = drain.before('behind');
  letGo();
  await patient;
  expect(taken.map(({ receivedAt }) => receivedAt)).toEqual(Array.from({ length: FILES }, (_, at) => 1000 + at));
  await until(() => readdirSync(folder).length === 0);
  await drain.before('behind', 20);
});

test('after a kill each of the files that were being stored is tried by itself, and the others together', async () => {
  fill('behind');
  const [first = '', second = '', ...others] = readdirSync(folder).sort();
  writeFileSync(join(folder, '.draining'), [first, second].join('\n'));
  const { taken, letGo, begun } = begin();
  // Where one is under way that a worker may end at, its name says so, and no other is.
  const underWay = () =>
    readdirSync(folder)
      .filter((name) => name.endsWith('.json'))
      .sort();
  await until(() => underWay()[0] === first.replace('.json', '.try1.json'));
  expect(underWay().slice(1)).toEqual([second, ...others]);
  letGo();
  await begun;
  await until(() => taken.length === FILES);
});

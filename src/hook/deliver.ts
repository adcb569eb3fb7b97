// An envelope on its way: to the worker if it answers, else to the spool. Hot path: the fallback is loaded on need.

import { type OpenLine, type SendResult, sendLine } from '../client/send.ts';
import type { Ack, Envelope } from '../core/envelope.ts';
import { findPaths, type Paths, socketOf } from '../paths.ts';
import type { WorkClock } from './work-clock.ts';

/** `output`: what the worker wants printed, if it said so. `lost`: it could be kept nowhere, and was counted. */
type Delivery = { output?: string } & ({ kind: 'acked' | 'spooled' | 'dropped' } | { kind: 'lost'; error: unknown });

type DeliverOptions = {
  dataDir: string;
  /** Opened before there was something to say. */
  opened?: OpenLine;
  timeoutMs: number;
  /** Without a worker: start one and wait for its answer within the timeout, instead of only starting it. */
  waitForStart: boolean;
  /** A question that nobody answers now is nothing to keep. */
  isKept: boolean;
  /** Loaded only when there is no worker; a starting session loads what saves its envelope only when none comes. */
  loadStarter: () => Promise<{ startWorker: (paths: Paths) => unknown; isStarting: (paths: Paths) => boolean }>;
  loadFallback: () => Promise<Fallback>;
  clock?: WorkClock;
};

type Fallback = typeof import('./spool.ts');

/** Nobody waits longer for a socket that is gone and that nobody is about to open. */
const GONE_MS = 250;
const WOKEN_MS = 100;

export async function deliver(envelope: Envelope, options: DeliverOptions): Promise<Delivery> {
  const deadline = performance.now() + options.timeoutMs;
  let goneUntil = performance.now() + GONE_MS;
  const line = JSON.stringify(envelope);
  if (envelope.private) await mark(envelope, options);
  const left = () => Math.max(1, deadline - performance.now());
  const send = () => sendLine(socketOf(options.dataDir), line, left());

  let result = await (options.opened?.send(line, left()) ?? send());
  // While stdin was read the worker that took the call may have made place for another.
  if (options.opened && result.kind === 'closed') result = await send();
  if (result.kind === 'answer') return readAck(result.line, envelope, options);
  const starter = await options.loadStarter();
  const paths = findPaths(options.dataDir);
  if (result.kind !== 'silent') starter.startWorker(paths);
  const isComing = () => {
    // Whoever was started has opened the socket when its mark is gone, or has woken the one that lost it.
    if (starter.isStarting(paths)) goneUntil = Math.max(goneUntil, performance.now() + WOKEN_MS);
    return performance.now() < goneUntil;
  };
  while (options.waitForStart && isGone(result) && performance.now() < deadline && isComing()) {
    await Bun.sleep(3);
    result = await send();
  }
  if (result.kind === 'answer') return readAck(result.line, envelope, options);
  if (!options.isKept) return { kind: 'dropped' };
  return keep(await options.loadFallback(), envelope, options);
}

async function mark(envelope: Envelope, { dataDir, loadFallback }: DeliverOptions): Promise<void> {
  try {
    (await loadFallback()).markPrivate(findPaths(dataDir), envelope);
  } catch {
    // Where no mark can be written nothing can be spooled; and a worker that is there has to know of the prompt.
  }
}

function keep(fallback: Fallback, envelope: Envelope, { dataDir, clock }: DeliverOptions): Delivery {
  const paths = findPaths(dataDir);
  try {
    fallback.spool(paths, envelope, clock);
    return { kind: 'spooled' };
  } catch (error) {
    fallback.noteLost(paths);
    return { kind: 'lost', error };
  }
}

const isGone = ({ kind }: SendResult) => kind === 'down' || kind === 'closed';

async function readAck(line: string, envelope: Envelope, options: DeliverOptions): Promise<Delivery> {
  const ack = parseAck(line);
  if (ack?.ok && ack.id === envelope.id) return { kind: 'acked', output: ack.output };
  if (!options.isKept) return { kind: 'dropped' };
  return { ...keep(await options.loadFallback(), envelope, options), output: ack?.output };
}

function parseAck(line: string): Ack | null {
  try {
    return JSON.parse(line);
  } catch {
    // Half an answer is no answer: the envelope goes to the spool, and the worker knows it by its id.
    return null;
  }
}

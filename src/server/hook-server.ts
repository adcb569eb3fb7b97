// What the worker answers to one line of a hook: committed first, then acknowledged.

import type { NoteOccasion } from '../agents/agent.ts';
import { findAgent } from '../agents/agents.ts';
import type { Ingested } from '../capture/ingest.ts';
import type { Intake } from '../capture/intake.ts';
import { type Arrival, pong, readArrival, readMessage } from '../capture/message.ts';
import type { Spool } from '../capture/spool.ts';
import type { Notes } from '../context/notes.ts';
import type { StartSession } from '../context/start-session.ts';
import { type Ack, CAPTURE_WAIT_MS, CONTEXT_WAIT_MS, type Envelope, isSelfTest, selfTestAnswer } from '../core/envelope.ts';
import { isPassing } from '../core/passing-fault.ts';
import type { Log } from '../log.ts';
import type { LineHandler } from './line-socket.ts';
import type { Watch } from './self-watch.ts';
import type { Latencies } from './status.ts';
import type { TurnQueue } from './turn-queue.ts';

/** A hook that would wait longer for what came before it is told to spool, while it still has the time for that. */
const BEHIND_MS = CAPTURE_WAIT_MS / 2;

type HookServerDeps = {
  intake: Pick<Intake, 'take'>;
  spool: Pick<Spool, 'before'>;
  turnQueue: Pick<TurnQueue, 'giveWay' | 'wake'>;
  startSession: StartSession['answer'];
  notes: Notes;
  log: Log;
  clock: () => number;
  onActivity: () => void;
  /** How many times as long as usual a hook waits. */
  patience: number;
  watch: Watch;
  latencies?: Pick<Latencies, 'note'>;
  /** That the memory is damaged; '' mostly. */
  damage?: (isHeard: boolean) => string;
};

export const createHookServer =
  (deps: HookServerDeps): LineHandler =>
  async (line) => {
    const readAt = performance.now();
    deps.onActivity();
    const message = readMessage(line, deps.clock());
    if (message.kind === 'ping') return pong(message.id);
    if (message.kind === 'bad') {
      deps.log.warn('a message on the socket was not understood', { error: message.error });
      return reply({ id: '', ok: false, error: message.error });
    }
    const { id } = message.envelope;
    const goOn = deps.turnQueue.giveWay();
    try {
      const { output, fault } = await answer(deps, message.envelope, readAt);
      return reply({ id, ok: fault === null, ...(fault && { error: fault.message }), ...wrap(output) });
    } catch (error) {
      // What passes is said once, by whoever watches the store.
      if (!isPassing(error)) deps.log.error('a hook could not be answered', { id, error: String(error) });
      return reply({ id, ok: false, error: String(error), ...wrap(sayDamage(deps, message.envelope)) });
    } finally {
      goOn();
    }
  };

type Answer = { output: string; fault: Error | null };

async function answer(deps: HookServerDeps, envelope: Envelope, readAt: number): Promise<Answer> {
  const { spool, turnQueue, latencies, patience } = deps;
  const arrival = deps.watch(() => readArrival(envelope));
  if (arrival.kind === 'before-edit') return { output: await answerQuestion(deps, arrival), fault: null };
  const isStart = arrival.kind === 'event' && arrival.event.kind === 'start';
  if (arrival.kind === 'event' && !isStart) await spool.before(arrival.event.session, BEHIND_MS * patience);
  const { ingested, fault } = await keep(deps, arrival);
  // What a session is given needs no room on the disk: a start is answered all the same.
  if (fault && !isStart) throw fault;
  const output = answerTest(arrival) || (await answerStart(deps, ingested, fault)) || (await answerNote(deps, ingested));
  turnQueue.wake();
  latencies?.note('ack', performance.now() - readAt);
  return { output, fault };
}

/** A session that can be given nothing is told why. */
function sayDamage({ damage }: HookServerDeps, { event, host }: Envelope): string {
  const said = event === 'context' ? (damage?.(false) ?? '') : '';
  return said ? (findAgent(host)?.renderStart({ context: '', message: said.trim() }) ?? '') : '';
}

async function keep({ intake }: HookServerDeps, arrival: Arrival): Promise<{ ingested: Ingested; fault: Error | null }> {
  try {
    return { ingested: await intake.take(arrival), fault: null };
  } catch (error) {
    if (!isPassing(error)) throw error;
    return { ingested: { arrival, known: null, happened: null }, fault: error as Error };
  }
}

type Question = Extract<Arrival, { kind: 'before-edit' }>;

async function answerQuestion({ notes, patience }: HookServerDeps, { envelope, session, cwd, file }: Question): Promise<string> {
  const context = await notes.beforeEdit({ session, cwd, file }, { until: envelope.receivedAt + CAPTURE_WAIT_MS * patience });
  return render(envelope.host, 'edit', context);
}

const render = (host: string, occasion: NoteOccasion, context: string) => (context && findAgent(host)?.renderNote(occasion, context)) || '';

/** The event is stored whatever becomes of the note: a search that fails must not send it to the spool. */
async function answerNote({ notes, patience, log }: HookServerDeps, { arrival, happened, known }: Ingested): Promise<string> {
  if (!happened || !known || arrival.kind !== 'event' || arrival.isPrivate) return '';
  const { event, session } = known;
  const { receivedAt, host } = arrival.envelope;
  try {
    if (event.kind === 'prompt') {
      const context = await notes.withPrompt(event, session, { until: receivedAt + CONTEXT_WAIT_MS * patience });
      return render(host, 'first-prompt', context);
    }
    if (event.kind !== 'tool' || event.error === null) return '';
    const context = await notes.afterError(event, session, { until: receivedAt + CAPTURE_WAIT_MS * patience });
    return render(host, 'error', context);
  } catch (error) {
    log.error('a note could not be written', { kind: event.kind, error: String(error) });
    return '';
  }
}

async function answerStart({ startSession, patience }: HookServerDeps, { arrival, known }: Ingested, fault: Error | null): Promise<string> {
  const { host, event: command, unattended: isUnattended = false, receivedAt } = arrival.envelope;
  const call = { host, isUnattended, until: receivedAt + CONTEXT_WAIT_MS * patience };
  // Also while paused, when it is not kept: then the person hears of that.
  const event = known?.event ?? (arrival.kind === 'event' ? arrival.event : null);
  if (event?.kind === 'start') return startSession({ ...call, cwd: event.cwd, event, isKept: known !== null || fault !== null });
  if (arrival.kind === 'no-session' && command === 'context') return startSession({ ...call, cwd: arrival.cwd, event: null, isKept: true });
  return '';
}

const answerTest = (arrival: Arrival) =>
  arrival.kind === 'event' && isSelfTest(arrival.event.session) ? selfTestAnswer(arrival.event.session) : '';
const reply = (ack: Ack) => JSON.stringify(ack);
const wrap = (output: string) => (output ? { output } : {});

export function refuse(line: string, reason: string): string {
  const message = readMessage(line, Date.now());
  if (message.kind === 'ping') return pong(message.id, { refuses: reason });
  if (message.kind === 'bad') return JSON.stringify({ id: '', ok: false, error: message.error } satisfies Ack);
  const { id, host, event } = message.envelope;
  const output = event === 'context' ? findAgent(host)?.renderStart({ context: '', message: `claude-mem is off: ${reason}` }) : undefined;
  return JSON.stringify({ id, ok: false, error: reason, output } satisfies Ack);
}

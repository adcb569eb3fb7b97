// What the worker answers to one line of a hook: committed first, then acknowledged.
import { type Ack, CAPTURE_WAIT_MS, CONTEXT_WAIT_MS, type Envelope } from '../../core/envelope.ts';
import { isPassing } from '../../core/passing-fault.ts';
import { isSelfTest, selfTestAnswer } from '../../core/self-test.ts';
import { findHost } from '../../hosts/index.ts';
import type { Log } from '../../log.ts';
import type { Distiller } from '../observing/distiller.ts';
import type { Notes } from '../telling/notes.ts';
import type { StartSession } from '../telling/start-session.ts';
import type { Latencies } from '../watch/latencies.ts';
import type { Watch } from '../watchdog.ts';
import { type Arrival, readArrival } from './arrival.ts';
import type { Ingested } from './ingest.ts';
import type { Intake } from './intake.ts';
import { pong, readMessage } from './read-message.ts';
import type { LineHandler } from './socket.ts';
import type { SpoolDrain } from './spool-drain.ts';

export type HookDoorDeps = {
  intake: Intake;
  spool: Pick<SpoolDrain, 'before'>;
  distiller: Distiller;
  startSession: StartSession;
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

export function createHookDoor(deps: HookDoorDeps): LineHandler {
  const { intake, spool, distiller, startSession, notes, log, clock, onActivity, patience, watch, latencies } = deps;
  return async (line) => {
    const readAt = performance.now();
    onActivity();
    const message = readMessage(line, clock());
    if (message.kind === 'ping') return pong(message.id);
    if (message.kind === 'bad') {
      log.warn('a message on the socket was not understood', { error: message.error });
      return reply({ id: '', ok: false, error: message.error });
    }
    const { id } = message.envelope;
    const goOn = distiller.giveWay();
    try {
      const arrival = watch(() => readArrival(message.envelope));
      if (arrival.kind === 'before-edit') return reply({ id, ok: true, ...wrap(await answerQuestion(arrival)) });
      const isStart = arrival.kind === 'event' && arrival.event.kind === 'start';
      if (arrival.kind === 'event' && !isStart) await spool.before(arrival.event.session);
      const { ingested, fault } = await keep(arrival);
      // What a session is given needs no room on the disk: a start is answered all the same.
      if (fault && !isStart) throw fault;
      const output = answerTest(arrival) || (await answerStart(ingested, fault)) || (await answerNote(ingested));
      distiller.wake();
      latencies?.note('ack', performance.now() - readAt);
      return reply({ id, ok: fault === null, ...(fault && { error: fault.message }), ...wrap(output) });
    } catch (error) {
      // What passes is said once, by whoever watches the store.
      if (!isPassing(error)) log.error('a hook could not be answered', { id, error: String(error) });
      return reply({ id, ok: false, error: String(error), ...wrap(sayDamage(message.envelope)) });
    } finally {
      goOn();
    }
  };

  /** A session that can be told nothing is told why. */
  function sayDamage({ event, host }: Envelope): string {
    const said = event === 'context' ? (deps.damage?.(false) ?? '') : '';
    return said ? (findHost(host)?.renderStart({ context: '', message: said.trim() }) ?? '') : '';
  }

  async function keep(arrival: Arrival): Promise<{ ingested: Ingested; fault: Error | null }> {
    try {
      return { ingested: await intake.take(arrival), fault: null };
    } catch (error) {
      if (!isPassing(error)) throw error;
      return { ingested: { arrival, known: null, happened: null }, fault: error as Error };
    }
  }

  async function answerQuestion({ envelope, session, cwd, file }: Extract<Arrival, { kind: 'before-edit' }>) {
    const context = await notes.beforeEdit(
      { session, cwd, file },
      { until: envelope.receivedAt + CAPTURE_WAIT_MS * patience },
    );
    return context ? (findHost(envelope.host)?.renderNote('edit', context) ?? '') : '';
  }

  /** The event is stored whatever becomes of the note: a search that fails must not send it to the spool. */
  async function answerNote({ arrival, happened, known }: Ingested): Promise<string> {
    if (!happened || !known || arrival.kind !== 'event' || arrival.isPrivate) return '';
    const { event, session } = known;
    const { receivedAt } = arrival.envelope;
    const host = findHost(arrival.envelope.host);
    try {
      if (event.kind === 'prompt') {
        const context = await notes.withPrompt(event, session, { until: receivedAt + CONTEXT_WAIT_MS * patience });
        return context ? (host?.renderNote('first-prompt', context) ?? '') : '';
      }
      if (event.kind !== 'tool' || event.error === null) return '';
      const context = await notes.afterError(event, session, { until: receivedAt + CAPTURE_WAIT_MS * patience });
      return context ? (host?.renderNote('error', context) ?? '') : '';
    } catch (error) {
      log.error('a note could not be written', { kind: event.kind, error: String(error) });
      return '';
    }
  }

  async function answerStart({ arrival, known }: Ingested, fault: Error | null): Promise<string> {
    const { host, event: command, unattended: isUnattended = false, receivedAt } = arrival.envelope;
    const until = receivedAt + CONTEXT_WAIT_MS * patience;
    // Also in a silence, when it is not kept: then the person hears of that.
    const event = known?.event ?? (arrival.kind === 'event' ? arrival.event : null);
    if (event?.kind === 'start')
      return startSession({
        host,
        cwd: event.cwd,
        event,
        isKept: known !== null || fault !== null,
        isUnattended,
        until,
      });
    if (arrival.kind === 'no-session' && command === 'context')
      return startSession({ host, cwd: arrival.cwd, event: null, isKept: true, isUnattended, until });
    return '';
  }
}

const answerTest = (arrival: Arrival) =>
  arrival.kind === 'event' && isSelfTest(arrival.event.session) ? selfTestAnswer(arrival.event.session) : '';
const reply = (ack: Ack) => JSON.stringify(ack);
const wrap = (output: string) => (output ? { output } : {});

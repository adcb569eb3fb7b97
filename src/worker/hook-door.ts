// What the worker answers to one line of a hook: committed first, then acknowledged.
import type { Ack } from '../core/envelope.ts';
import type { Log } from '../log.ts';
import type { Distiller } from './distiller.ts';
import { type Ingested, readArrival } from './ingest.ts';
import type { Intake } from './intake.ts';
import { pong, readMessage } from './read-message.ts';
import type { LineHandler } from './socket.ts';
import type { StartSession } from './start-session.ts';

export type HookDoorDeps = {
  intake: Intake;
  distiller: Distiller;
  startSession: StartSession;
  log: Log;
  clock: () => number;
  onActivity: () => void;
};

export function createHookDoor({ intake, distiller, startSession, log, clock, onActivity }: HookDoorDeps): LineHandler {
  return async (line) => {
    onActivity();
    const message = readMessage(line, clock());
    if (message.kind === 'ping') return pong(message.id);
    if (message.kind === 'bad') {
      log.warn('a message on the socket was not understood', { error: message.error });
      return reply({ id: '', ok: false, error: message.error });
    }
    const { id } = message.envelope;
    try {
      const ingested = await intake.take(readArrival(message.envelope));
      const output = await answerStart(ingested);
      distiller.wake();
      return reply({ id, ok: true, ...(output ? { output } : {}) });
    } catch (error) {
      log.error('a hook could not be answered', { id, error: String(error) });
      return reply({ id, ok: false, error: String(error) });
    }
  };

  async function answerStart({ arrival, known }: Ingested): Promise<string> {
    const { host, event: command, unattended: isUnattended = false } = arrival.envelope;
    if (known?.event.kind === 'start')
      return startSession({ host, cwd: known.event.cwd, event: known.event, isUnattended });
    if (arrival.kind === 'no-session' && command === 'context')
      return startSession({ host, cwd: arrival.cwd, event: null, isUnattended });
    return '';
  }
}

const reply = (ack: Ack) => JSON.stringify(ack);

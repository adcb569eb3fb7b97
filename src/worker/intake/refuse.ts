// The answers of a worker whose store cannot be used: not stored, and why.
import type { Ack } from '../../core/envelope.ts';
import { findHost } from '../../hosts/index.ts';
import { pong, readMessage } from './read-message.ts';

export function refuse(line: string, reason: string): string {
  const message = readMessage(line, Date.now());
  if (message.kind === 'ping') return pong(message.id, { refuses: true });
  if (message.kind === 'bad') return JSON.stringify({ id: '', ok: false, error: message.error } satisfies Ack);
  const { id, host, event } = message.envelope;
  const output =
    event === 'context'
      ? findHost(host)?.renderStart({ context: '', message: `claude-mem is off: ${reason}` })
      : undefined;
  return JSON.stringify({ id, ok: false, error: reason, output } satisfies Ack);
}

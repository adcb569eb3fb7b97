// A hook call as the line that the hook would send to the worker.
import { type Envelope, WIRE_VERSION } from '../../src/core/envelope.ts';
import { hashParts } from '../../src/core/ids.ts';
import type { HookCall } from './payloads.ts';

export function toLine({ command, payload }: HookCall, receivedAt = Date.now()): string {
  const id = hashParts([command, JSON.stringify(payload), crypto.randomUUID()]);
  const envelope: Envelope = { id, v: WIRE_VERSION, host: 'claude-code', event: command, receivedAt, payload };
  return JSON.stringify(envelope);
}

// Every text that an event brought in, however deep it stands.
import type { SessionEvent } from '../../core/event.ts';

/** Host payloads are cut at this depth when they arrive. */
const DEEPEST = 64;

export function eventText(event: SessionEvent): string {
  const { id: _id, session: _session, cwd: _cwd, at: _at, ...body } = event;
  const texts: string[] = [];
  collect(body, texts, DEEPEST);
  return texts.join('\n');
}

function collect(value: unknown, texts: string[], depth: number): void {
  if (typeof value === 'string') texts.push(value);
  if (typeof value !== 'object' || value === null || depth === 0) return;
  for (const inner of Object.values(value)) collect(inner, texts, depth - 1);
}

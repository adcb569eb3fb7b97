// Reading a transcript in a test as the worker does: line by line, then each record through the agent's own hook reader.

import type { Agent, TranscriptRecord } from '../../src/agents/agent.ts';
import type { SessionEvent } from '../../src/core/event.ts';

export type Written = { path: string; body: string };
export type ReadBack = { records: TranscriptRecord[]; events: SessionEvent[]; resumeAt: number };

export type ReadOptions = { from?: number; isOver?: boolean };

export function readTranscript(agent: Agent, { path, body }: Written, { from = 0, isOver = true }: ReadOptions = {}): ReadBack {
  const file = agent.describeFile(path);
  if (!file) throw new Error(`no transcript: ${path}`);
  const reader = agent.createReader(file, body.slice(0, 8192));
  const records: TranscriptRecord[] = [];
  if (path.endsWith('.json')) records.push(...reader.read(body, 0));
  else for (const { line, position } of linesOf(body)) if (position >= from) records.push(...reader.read(line, position));
  records.push(...reader.finish(isOver));
  return { records, events: records.flatMap((record) => eventOf(agent, record)), resumeAt: reader.resumeAt() };
}

function* linesOf(body: string): Generator<{ line: string; position: number }> {
  let position = 0;
  for (const line of body.split('\n')) {
    if (line) yield { line, position };
    position += Buffer.byteLength(line) + 1;
  }
}

function eventOf(agent: Agent, { command, payload, at }: TranscriptRecord): SessionEvent[] {
  const parsed = agent.parseHook({ id: `${at}`, command, payload, receivedAt: at });
  return parsed.kind === 'event' ? [parsed.event] : [];
}

export const toLines = (lines: unknown[]): string => lines.map((line) => `${JSON.stringify(line)}\n`).join('');

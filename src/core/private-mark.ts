// The names of the marks that a hook leaves of private prompts, beside the spool: hashes, and nothing of what was said.
import type { Envelope } from './envelope.ts';
import { hashParts } from './ids.ts';

/** Of this session there was a private prompt. All its other marks begin with this. */
export const sessionMark = (session: string): string => hashParts(['private-session', session]);

type Told = { session_id?: unknown; prompt_id?: unknown; agent_id?: unknown; hook_event_name?: unknown };

/** What a private prompt leaves. */
export function marksOf({ payload, receivedAt }: Envelope): string[] {
  const { session_id: session, prompt_id: prompt } = (payload ?? {}) as Told;
  if (!isText(session)) return [];
  const mark = sessionMark(session);
  return [mark, `${mark}.now`, `${mark}.now.${receivedAt}`, ...(isText(prompt) ? [promptMark(mark, prompt)] : [])];
}

/** What a prompt that is not private leaves where one was before it, and what it takes away. */
export function endMarks({ payload, receivedAt }: Envelope): { left: string; gone: string } | null {
  const { session_id: session } = (payload ?? {}) as Told;
  if (!isText(session)) return null;
  const mark = sessionMark(session);
  return { left: `${mark}.end.${receivedAt}`, gone: `${mark}.now` };
}

/** When private prompts of a session began, and others ended them, epoch ms: read from the names of its marks. */
export type PrivateTimes = { since: number[]; until: number[] };

export function readTimes(names: string[], session: string): PrivateTimes {
  const of = (what: string) => {
    const start = `${sessionMark(session)}.${what}.`;
    return names.filter((name) => name.startsWith(start)).map((name) => Number(name.slice(start.length)));
  };
  return { since: of('now'), until: of('end') };
}

/** When the private prompt began that something lies under which names none; null when none did. */
export function privateSince({ since, until }: PrivateTimes, at: number): number | null {
  const begun = since.filter((time) => time <= at);
  const last = begun.length === 0 ? null : Math.max(...begun);
  return last === null || until.some((time) => time > last && time <= at) ? null : last;
}

/** What would show that an event lies under a private prompt; null when nothing could. */
export function markAbove({ event, payload }: Envelope): string | null {
  const told = (payload ?? {}) as Told;
  if ((event !== 'save' && event !== 'summary') || !isText(told.session_id)) return null;
  const mark = sessionMark(told.session_id);
  // An agent may have been started under another prompt than the one it is heard of under; a compaction sums up all of them.
  if (isText(told.agent_id) || told.hook_event_name === 'SubagentStop' || told.hook_event_name === 'PostCompact')
    return mark;
  return isText(told.prompt_id) ? promptMark(mark, told.prompt_id) : `${mark}.now`;
}

const promptMark = (mark: string, prompt: string) => `${mark}.${hashParts([prompt])}`;

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

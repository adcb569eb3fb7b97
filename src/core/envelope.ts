// What a hook sends to the worker, the same bytes over the socket and in the spool; the names of the files it leaves. Loaded by the hook.
import { hashParts } from './ids.ts';

export const HOOK_COMMANDS = ['context', 'new', 'save', 'summary', 'cleanup'] as const;
export type HookCommand = (typeof HOOK_COMMANDS)[number];

export const WIRE_VERSION = 1;

/** How long a hook waits for its answer; longer where it is told something. */
export const CAPTURE_WAIT_MS = 300;
export const CONTEXT_WAIT_MS = 1000;

export type Envelope = {
  /** By `idOf`. A hook in a hurry leaves it to the worker. */
  id: string;
  v: number;
  host: string;
  event: HookCommand;
  receivedAt: number;
  payload?: unknown;
  /** A prompt that was nothing but private text: it leaves only a marker. */
  private?: boolean;
  /** A session without a person before it, such as `claude -p`: nobody would read what is said once. */
  unattended?: boolean;
  /** Nothing is kept of this session; the payload says which it is, and nothing else. */
  incognito?: boolean;
  /** The hook had no time for all of the payload: what it left out says so, and the transcript brings it. */
  incomplete?: boolean;
  /** Read from the host's own record, not delivered by a hook. Never said by a hook. */
  isFromTranscript?: boolean;
  /** Set instead of a payload when stdin could not be read as one. */
  bad?: { reason: BadInput };
};

export function idOf({ event, receivedAt, payload }: Pick<Envelope, 'event' | 'receivedAt' | 'payload'>): string {
  const { session_id, tool_use_id, prompt_id, timestamp } = payload as Record<string, unknown>;
  // Without any of the host's own marks, saying the same twice is two events.
  const mark = String(tool_use_id ?? prompt_id ?? timestamp ?? receivedAt);
  return hashParts([String(session_id ?? ''), event, mark, JSON.stringify(payload)]);
}

/** Before an edit nothing but its file counts, of a patch the line that names it: what would be written is the agent's own affair. */
export function onlyQuestion(payload: Record<string, unknown>): Record<string, unknown> {
  const { session_id, cwd, hook_event_name, tool_name, tool_input } = payload;
  // Read leniently: whatever it is, its fields are looked at and checked by the worker.
  const { file_path, notebook_path, command } = (tool_input ?? {}) as Record<string, unknown>;
  const input = { file_path, notebook_path, ...(typeof command === 'string' && { command: /^\*\*\* \w+ File: .+$/m.exec(command)?.[0] }) };
  return { session_id, cwd, hook_event_name, tool_name, tool_input: input };
}

export type BadInput = 'empty' | 'not-json' | 'not-an-object';

/** The worker's answer. `output` is what the hook prints; without it the hook prints that all is well. */
export type Ack = { id: string; ok: boolean; output?: string; error?: string };

/** The answer to a ping. `refuses`: it cannot work, and only says why: this. */
export type Pong = { id: string; ok: true; pid: number; refuses?: string };

/** Sorted by name they are in the order in which they came. */
export function nameSpooled({ receivedAt, id, payload }: Pick<Envelope, 'receivedAt' | 'id' | 'payload'>): string {
  return `${String(receivedAt).padStart(15, '0')}-${id}-${ownerOf(readSession(payload))}.json`;
}

export const ownerOf = (session: string): string => hashParts(['spool', session]).slice(0, 16);

/** Null for a name that an earlier version gave: its session stands in the file alone. */
export const readOwner = (name: string): string | null => /^\d+-[0-9a-f]+-([0-9a-f]{16})\./.exec(name)?.[1] ?? null;

export const readSession = (payload: unknown): string =>
  typeof payload === 'object' && payload !== null && 'session_id' in payload ? String(payload.session_id) : '';

/** Of this session there was a private prompt. All its other marks begin with this. */
export const sessionMark = (session: string): string => hashParts(['private-session', session]);

type Told = { session_id?: unknown; prompt_id?: unknown; agent_id?: unknown; hook_event_name?: unknown };

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
  if (isText(told.agent_id) || told.hook_event_name === 'SubagentStop' || told.hook_event_name === 'PostCompact') return mark;
  return isText(told.prompt_id) ? promptMark(mark, told.prompt_id) : `${mark}.now`;
}

const promptMark = (mark: string, prompt: string) => `${mark}.${hashParts([prompt])}`;

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** The event by which `doctor` sees that a hook reaches the store: it goes all the way, and the store takes it back. */
const PREFIX = 'claude-mem-self-test-';

export const selfTestSession = (nonce: string): string => `${PREFIX}${nonce}`;

export const isSelfTest = (session: string): boolean => session.startsWith(PREFIX);

export const selfTestAnswer = (session: string): string => JSON.stringify({ selfTest: session });

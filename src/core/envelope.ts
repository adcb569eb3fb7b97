// What a hook sends to the worker: one envelope for one event, the same bytes over the socket and in the spool.

export const HOOK_COMMANDS = ['context', 'new', 'save', 'summary', 'cleanup'] as const;
export type HookCommand = (typeof HOOK_COMMANDS)[number];

export const WIRE_VERSION = 1;

/** How long a hook waits for its answer; longer where it is told something. */
export const CAPTURE_WAIT_MS = 300;
export const CONTEXT_WAIT_MS = 1000;

export type Envelope = {
  /** Hash of session, command, tool_use_id or prompt_id, and the stripped payload: one event is one id on every channel. */
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
  bad?: { reason: BadInput; bytes: number; head: string };
};

export type BadInput = 'empty' | 'not-json' | 'not-an-object';

/** The worker's answer. `output` is what the hook prints; without it the hook prints that all is well. */
export type Ack = { id: string; ok: boolean; output?: string; error?: string };

/** The answer to a ping. `refuses`: it cannot work, and only says why. */
export type Pong = { id: string; ok: true; pid: number; refuses?: true };

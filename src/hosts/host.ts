// What claude-mem asks of a coding agent: its JSON becomes our event, our context becomes its JSON.
import type { HookCommand } from '../core/envelope.ts';
import type { SessionEvent } from '../core/event.ts';

export type HookInput = { id: string; command: HookCommand; payload: unknown; receivedAt: number };

export type ParsedHook =
  | { kind: 'event'; event: SessionEvent }
  /** Understood, and of no use: the reason is counted. */
  | { kind: 'ignored'; reason: string }
  /** A valid call without a session (`context` by hand): answered, never stored. */
  | { kind: 'no-session'; cwd: string };

export type StartOutput = {
  /** For the model; empty when there is nothing to tell. */
  context: string;
  /** One line for the person. */
  message: string;
};

export type Host = {
  name: string;
  /** Never throws: what is not understood becomes an `unknown` event with its raw payload. */
  parseHook: (input: HookInput) => ParsedHook;
  /** The exact bytes the hook of a starting session prints. */
  renderStart: (output: StartOutput) => string;
};

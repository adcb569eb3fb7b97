// What claude-mem asks of a coding agent: its JSON becomes our event, our context becomes its JSON.
import type { HookCommand } from '../core/envelope.ts';
import type { SessionEvent } from '../core/event.ts';

export type HookInput = { id: string; command: HookCommand; payload: unknown; receivedAt: number };

export type ParsedHook =
  | {
      kind: 'event';
      event: SessionEvent;
      /** The file where the host keeps its own record of the session. */
      transcript: string | null;
      /** The branch it happened on, where the host tells; what is read from disk is the branch of now. */
      branch: string | null;
    }
  /** Understood, and of no use: the reason is counted. */
  | { kind: 'ignored'; reason: string }
  /** A file is about to be edited: a question, answered and never stored. */
  | { kind: 'before-edit'; session: string; cwd: string; file: string }
  /** A valid call without a session (`context` by hand): answered, never stored. */
  | { kind: 'no-session'; cwd: string };

/** What is told in the middle of a session. */
export type NoteOccasion = 'first-prompt' | 'edit' | 'error';

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
  /** The same for a note in the middle of a session. It adds to what the model reads, and decides nothing. */
  renderNote: (occasion: NoteOccasion, context: string) => string;
};

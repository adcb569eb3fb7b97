// What claude-mem asks of a coding agent: its JSON becomes our event, our context becomes its JSON, its transcripts are read again.
import type { HookCommand } from '../core/envelope.ts';
import type { SessionEvent } from '../core/event.ts';

export type Agent = {
  name: string;
  /** Never throws: what is not understood becomes an `unknown` event with its raw payload. */
  parseHook: (input: HookInput) => ParsedHook;
  /** What the hook of a starting session prints: context for the model, one line for the person. Either may be empty. */
  renderStart: (output: { context: string; message: string }) => string;
  /** The same in the middle of a session. It adds to what the model reads, and decides nothing. */
  renderNote: (occasion: NoteOccasion, context: string) => string;
  /** Where its transcripts are: folders below the user's own, with the pattern of the files in them. */
  folders: { folder: string; pattern: string }[];
  describeFile: (path: string) => TranscriptFile | null;
  /** `beginning`: the first line of the file, for what is said only once and there. */
  createReader: (file: TranscriptFile, beginning: string) => TranscriptReader;
};

export type NoteOccasion = 'first-prompt' | 'edit' | 'error';

export type HookInput = { id: string; command: HookCommand; payload: unknown; receivedAt: number };

export type ParsedHook =
  /** `transcript`: the agent's own record. `branch`: where it happened, if the agent tells; on disk is the branch of now. */
  | { kind: 'event'; event: SessionEvent; transcript: string | null; branch: string | null }
  /** Understood, and of no use: the reason is counted. */
  | { kind: 'ignored'; reason: string }
  /** A file is about to be edited: a question, answered and never stored. */
  | { kind: 'before-edit'; session: string; cwd: string; file: string }
  /** A valid call without a session (`context` by hand): answered, never stored. */
  | { kind: 'no-session'; cwd: string };

export type TranscriptFile = {
  path: string;
  /** By the file's name, where lines do not tell. */
  session: string | null;
  /** Set for a subagent's own file. */
  agent: { id: string; type: string } | null;
};

/** Reads one file, line by line, in order. Never throws; what it does not understand is nothing. */
export type TranscriptReader = {
  /** `position`: where the line begins in the file. */
  read: (line: string, position: number) => TranscriptRecord[];
  /** After the last line. `isOver`: nothing more will come, so what is still open is said now. */
  finish: (isOver: boolean) => TranscriptRecord[];
  /** Where a later reading must begin so that it misses nothing: the start of the last turn, or of a tool that still runs. */
  resumeAt: () => number;
};

/** What a hook would have delivered: `parseHook` of the same agent reads its payload. */
export type TranscriptRecord = {
  command: HookCommand;
  payload: Record<string, unknown> & { session_id: string; cwd: string; told?: ToldByFile };
  at: number;
};

/** What only the file knows, by the order of its lines. What it cannot tell is left out. */
export type ToldByFile = {
  isUnderPrivate?: boolean;
  /** Of a prompt that has no id but its time: a mark of its words, which tells apart two sessions that spoke at the same moment. */
  askedMark?: string;
  /** Of a subagent's own file: when it was started. It may go on under later prompts. */
  agentStartedAt?: number;
  past?: { session: string; hasPrivate: boolean };
};

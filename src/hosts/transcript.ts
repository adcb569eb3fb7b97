// What a host's own record of a session says, in the words of its hooks: both go through the same door.
import type { HookCommand } from '../core/envelope.ts';

/** What a hook would have delivered. */
export type TranscriptRecord = {
  command: HookCommand;
  /** As the host's hook would send it: `parseHook` of the same host reads it. */
  payload: Record<string, unknown> & { session_id: string; cwd: string; told?: ToldByFile };
  /** When it happened, epoch ms. */
  at: number;
};

/** The name of what an agent said between its tools, which no hook tells. */
export const SAID = 'AssistantMessage';

/** What only the file knows, by the order of its lines. What it cannot tell is left out. */
export type ToldByFile = {
  /** Whether the prompt that it stands under is private as a whole. */
  isUnderPrivate?: boolean;
  /** Of a prompt that has no id but its time: a mark of its words, which tells apart two sessions that spoke at the same moment. */
  askedMark?: string;
  /** Of a subagent's own file: when it was started. It may go on under later prompts. */
  agentStartedAt?: number;
  /** The session began as a copy of another. */
  past?: { session: string; hasPrivate: boolean };
};

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

/** Where a host keeps its transcripts, and how they are read. */
export type TranscriptHost = {
  name: string;
  /** Folders below the user's own, with the pattern of the files in them. */
  folders: { folder: string; pattern: string }[];
  describeFile: (path: string) => TranscriptFile | null;
  /** `beginning`: the first lines of the file, for what is said only once and there. */
  createReader: (file: TranscriptFile, beginning: string) => TranscriptReader;
};

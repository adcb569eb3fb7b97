// What happened in a session, in our own words. An agent's JSON ends in agents/; everything after reads this.
import { oneLine } from './text.ts';

/** One contiguous change of a file; every line starts with ' ', '+' or '-'. oldStart: 0 where the host does not tell the place. */
export type Hunk = { oldStart: number; newStart: number; lines: string[] };

export type TodoStatus = 'pending' | 'in_progress' | 'completed' | 'deleted';

/**
 * What a tool did, independent of the agent that offered it. File paths are absolute: as the host gave them, but for
 * links on the way into the work tree.
 */
export type Action =
  | { type: 'edit'; file: string; hunks: Hunk[]; created: boolean }
  | {
      type: 'command';
      command: string;
      description: string | null;
      stdout: string;
      stderr: string;
      /** Known only when the host tells it (a failure does); a command that succeeded has 0. */
      exitCode: number | null;
      background: boolean;
    }
  | { type: 'read'; file: string; content: string }
  | { type: 'search'; query: string; path: string | null; files: string[]; matches: number | null }
  | { type: 'web'; target: string; text: string }
  | { type: 'todos'; items: { text: string; status: TodoStatus }[] }
  | { type: 'task'; id: string | null; text: string | null; status: TodoStatus | null }
  | { type: 'question'; answers: { question: string; answer: string; options: string[] }[] }
  | { type: 'plan'; text: string }
  | { type: 'agent'; agentId: string | null; description: string; prompt: string; result: string | null }
  /** This memory itself was asked or changed. Neither the question nor the answer is kept: it would be remembered again. */
  | { type: 'memory' }
  /** `isOfHost`: a tool of the host itself that brings nothing from outside. */
  | { type: 'other'; input: unknown; output: unknown; isOfHost?: true };

/** `error` set = the tool failed; for a command it holds the whole output, starting with "Exit code N". */
type ToolBody = {
  kind: 'tool';
  tool: string;
  toolUseId: string | null;
  action: Action;
  error: string | null;
  durationMs: number | null;
  /** Called and never done, as far as is known: not allowed, or the session ended before. Kept for the record only. */
  isUndone?: true;
  /** It showed what lies in a repository in which the user has neither worked nor committed. Found out for each look; not stored. */
  isForeign?: true;
};

export type EventBody =
  | { kind: 'start'; source: string; secondsSinceLastResponse: number | null }
  | { kind: 'prompt'; text: string }
  | ToolBody
  | { kind: 'subagent'; agentType: string; message: string }
  /** The agent's words between its tools: no hook brings them, only the transcript. */
  | { kind: 'said'; text: string }
  | { kind: 'compaction'; summary: string }
  /** isInterrupted: by the user, who pressed Esc. */
  | { kind: 'stop'; message: string; isInterrupted?: true }
  | { kind: 'end'; reason: string }
  | { kind: 'unknown'; name: string; raw: unknown };

export type SessionEvent = EventBody & {
  id: string;
  /** The host's session id: the source of truth, never invented. */
  session: string;
  cwd: string;
  /** Epoch ms: the payload's own timestamp where it has one, else the arrival. */
  at: number;
  promptId: string | null;
  agentId: string | null;
  /** Fields that no agent had when this was written. Kept for the record only. */
  extra?: Record<string, unknown>;
};

export type ToolEvent = Extract<SessionEvent, { kind: 'tool' }>;

/** Null when there is nothing short to say. Files inside of `root` are named from there. */
export const subjectOf = (event: SessionEvent, root: string): string | null => oneLine(wordsOf(event, root) ?? '') || null;

function wordsOf(event: SessionEvent, root: string): string | null {
  if (event.kind === 'tool') return actionWords(event.action, root);
  if (event.kind === 'stop') return event.message;
  if (event.kind === 'subagent') return event.agentType;
  if (event.kind === 'start') return event.source;
  if (event.kind === 'end') return event.reason;
  return event.kind === 'unknown' ? event.name : null;
}

function actionWords(action: Action, root: string): string | null {
  if (action.type === 'edit' || action.type === 'read') return fromRoot(action.file, root);
  if (action.type === 'command') return action.command;
  if (action.type === 'search') return action.query;
  if (action.type === 'web') return action.target;
  if (action.type === 'agent') return action.description;
  if (action.type === 'task') return action.text;
  if (action.type === 'question') return action.answers[0]?.question ?? null;
  return null;
}

export const fromRoot = (file: string, root: string) => (root !== '' && file.startsWith(`${root}/`) ? file.slice(root.length + 1) : file);

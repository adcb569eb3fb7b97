// A memory as a reader meets it: an observation, a summary or a prompt, under one kind of id.
import type { ObservationType, Outcome } from './observation.ts';

export const MEMORY_KINDS = ['observation', 'summary', 'prompt'] as const;
export type MemoryKind = (typeof MEMORY_KINDS)[number];

/** How a commit is marked of which nothing shows that the person made it here. */
export const BY_OTHERS = 'by others or unproven';

export type MemoryRef = { kind: MemoryKind; id: number };

const LETTERS: Record<MemoryKind, string> = { observation: '', summary: 'S', prompt: 'P' };

/** `123`, `S12`, `P34`. */
export const formatRef = ({ kind, id }: MemoryRef) => `${LETTERS[kind]}${id}`;

/** Also `#123` and `s12`. Null for anything else. */
export function parseRef(text: string): MemoryRef | null {
  const match = /^#?([SP]?)([1-9]\d{0,14})$/i.exec(text.trim());
  if (!match) return null;
  const kind = MEMORY_KINDS.find((name) => LETTERS[name] === match[1]?.toUpperCase());
  return kind ? { kind, id: Number(match[2]) } : null;
}

/** Why something is no longer so. `older version`: marked by claude-mem 0.1.0, which noted neither why nor by whom. */
export const REPLACED_WHY = [
  'value changed',
  'undone',
  'user said so',
  'refused',
  'rejected by name',
  'reverted',
  'failed again',
  'model',
  'person',
  'older version',
] as const;
export type Why = (typeof REPLACED_WHY)[number];

export type ReplacedBy = {
  /** The newest that stands in its place: an observation, or a prompt for all of its turn. */
  id: string;
  /** Certain: never given as current. Else it only may be replaced: given behind the newer one, with a mark. */
  isCertain: boolean;
  why: Why;
  /** The words or the changed line that show it. */
  words: string | null;
  /** Since when, epoch ms. */
  at: number;
  /** In which session, by the host's id of it; null when a person or a commit says so. */
  session: string | null;
};

/** One line of an index: enough to choose by, and what the whole would cost. */
export type MemoryRow = {
  id: string;
  kind: MemoryKind;
  /** The type of an observation; the kind of anything else. */
  type: ObservationType | 'summary' | 'prompt';
  title: string;
  /** Epoch ms. */
  at: number;
  project: string;
  /** The host's own id of the session. */
  session: string;
  /** The file it is listed under: the first it changed, else the first it read. */
  file: string | null;
  /** What reading all of it costs. */
  tokens: number;
  outcome: Outcome | null;
  /** Words from outside (the web, MCP tools) are marked wherever they are shown. */
  isFromOutside: boolean;
  /** Set when an agent noted it by hand, with nobody behind it: marked wherever it is shown. */
  isAgentNote?: true;
  /** A commit of which nothing shows that the person made it here, whoever its author is said to be. */
  isByOthers?: true;
  isPinned?: true;
  /** A person said that it is not so. */
  isWrong?: true;
  /** From outside, and reads like instructions: never told by itself. */
  isQuarantined?: true;
  /** A person does not trust where it comes from. */
  isDistrusted?: true;
  /** What stands in its place; null when nothing does. */
  replacedBy: ReplacedBy | null;
};

/** So many characters of a turn's record are shown to whoever does not ask for all of it. */
export const RECORD_SHOWN = 1500;

/** All of a memory. Fields that its kind does not have are null or empty. */
export type Memory = MemoryRow & {
  subtitle: string | null;
  narrative: string | null;
  facts: string[];
  concepts: string[];
  filesRead: string[];
  filesModified: string[];
  branch: string | null;
  promptNumber: number | null;
  /** A summary's own fields. */
  summary: {
    request: string | null;
    investigated: string | null;
    learned: string | null;
    completed: string | null;
    nextSteps: string | null;
    notes: string | null;
  } | null;
  /** A prompt's text. */
  text: string | null;
  /** The prompt of the turn that it is of, where there is a record of that: `P34`. */
  turn: string | null;
  /** A prompt's, where memories are read by their ids: what was said and done in its turn, in plain words. */
  record: string | null;
  /** How many characters of the record are left out of it. */
  recordLeft?: number;
  /** The commit that the change went into, or that the memory is. */
  commit?: string;
};

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
  /** The newer memory of the same topic. */
  supersededBy: string | null;
};

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
  /** The commit that the change went into, or that the memory is. */
  commit?: string;
};

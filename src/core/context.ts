// What a session is told, as whoever looks at it meets it: the contract of the preview and the replay.
import type { MemoryKind } from './memory.ts';
import type { ObservationType } from './observation.ts';

/** start: SessionStart. first-prompt: the first prompt. edit: before a file is edited. error: after a command failed as before. */
export type Occasion = 'start' | 'first-prompt' | 'edit' | 'error';

/** In the order in which they stand. */
export const CONTEXT_SECTIONS = [
  'summary',
  'open',
  'everywhere',
  'decisions',
  'here',
  'useful',
  'index',
  'sessions',
] as const;
export type ContextSection = (typeof CONTEXT_SECTIONS)[number];

/** One memory as it is told: its own lines, and why it is there. */
export type ToldRecord = {
  /** `123`, `S12`, `P34`; a session of the list has the host's id. */
  id: string;
  kind: MemoryKind | 'session';
  /** rules: what the user asked for, before all sections that can be chosen. */
  section: ContextSection | 'rules' | 'recall' | 'file' | 'error';
  /** Exactly the lines that are told, without the heading above them. */
  text: string;
  /** What these lines cost. */
  tokens: number;
  /** `fresh`, `changed:3` …; null for what cites nothing by its kind. */
  freshness: string | null;
  /** What made it worth its tokens: `pinned`, `decision`, `branch`, `touched:src/a.ts`, `recent`, `open next step`. */
  why: string[];
  /** By which it was chosen among the others: value, and value per token. */
  value: number;
  /** The ids of what it replaced. */
  replaced: string[];
  /** When a session was last given it, epoch ms; null when none was yet. */
  lastGivenAt: number | null;
};

export type LeftOut = { id: string; title: string; reason: string };

/** What can be asked of the preview. */
export type PreviewParameters = {
  cwd?: string;
  project?: string;
  /** As if this were the first prompt. */
  prompt?: string;
  /** As if this file were about to be edited. */
  file?: string;
} & Partial<ToldSettings>;

/** The settings that decide what a starting session is told; in the preview each can be another than the one that is set. */
export type ToldSettings = {
  tokens: number;
  sections: ContextSection[];
  types: ObservationType[];
  /** How many lines of the index, how many memories in full, how many sessions, at most. */
  index: number;
  full: number;
  sessions: number;
};

/** `GET /api/context/preview?cwd=&project=&prompt=&file=`, and each of ToldSettings: exactly what would be told now. */
export type PreviewAnswer = {
  occasion: Occasion;
  project: string;
  /** '' when nothing would be told; then `note` says why. */
  text: string;
  tokens: number;
  characters: number;
  budgetTokens: number;
  /** What is set for this project, whatever was asked for instead. */
  settings: ToldSettings;
  records: ToldRecord[];
  leftOut: LeftOut[];
  note: string | null;
};

/** `GET /api/context/replay?session=`: what a session was told, oldest first. */
export type ReplayAnswer = {
  session: string;
  project: string;
  tellings: {
    occasion: Occasion;
    about: string | null;
    at: number;
    /** As it was told, but for what was forgotten or is too old: these are named in `missing`. */
    text: string;
    records: { id: string; kind: MemoryKind | 'session'; section: string; freshness: string | null; reason: string }[];
    /** How many records have no text any more. */
    missing: number;
  }[];
};

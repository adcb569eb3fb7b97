// What a session is told, as whoever looks at it meets it: the contract of the preview and the replay.
import type { ToldSettings } from './shapes/context.ts';

/** In the order in which they stand. */
export const CONTEXT_SECTIONS = ['summary', 'open', 'everywhere', 'decisions', 'here', 'useful', 'index', 'sessions'] as const;
export type ContextSection = (typeof CONTEXT_SECTIONS)[number];

/** What can be asked of the preview. */
export type PreviewParameters = {
  cwd?: string;
  project?: string;
  /** As if this were the first prompt. */
  prompt?: string;
  /** As if this file were about to be edited. */
  file?: string;
} & Partial<ToldSettings>;

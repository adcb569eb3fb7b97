// What the tools ask of the memory. Passed in: each call may start a worker, and rejects with a sentence and a remedy.
import type {
  BatchAnswer,
  FileHistoryAnswer,
  ForgetAnswer,
  SaveAnswer,
  SaveParameters,
  SearchAnswer,
  SearchParameters,
  TimelineAnswer,
  TimelineParameters,
} from '../core/search.ts';

export type Calls = {
  search: (parameters: SearchParameters) => Promise<SearchAnswer>;
  readTimeline: (parameters: TimelineParameters) => Promise<TimelineAnswer>;
  /** In the order asked for; ids that are unknown or hidden are `missing`. `full`: records of turns whole. */
  readMemories: (ids: string[], options?: { full?: boolean | undefined }) => Promise<BatchAnswer>;
  readFileHistory: (parameters: { path: string; cwd?: string }) => Promise<FileHistoryAnswer>;
  remember: (parameters: SaveParameters) => Promise<SaveAnswer>;
  /** Hides them at once, all or none; the bytes go when a person confirms. */
  hide: (ids: string[]) => Promise<ForgetAnswer>;
};

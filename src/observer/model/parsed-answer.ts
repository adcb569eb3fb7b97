// What a model's answer says, read but not yet believed: paths, sources and types are checked afterwards.
import type { ObservationType } from '../../core/observation.ts';

export type ParsedObservation = {
  type: ObservationType;
  title: string | null;
  subtitle: string | null;
  narrative: string | null;
  facts: string[];
  concepts: string[];
  filesRead: string[];
  filesModified: string[];
  /** Numbers of the events it says it comes from, as the prompt numbered them. */
  sources: number[];
};

export type ParsedSummary = {
  request: string | null;
  investigated: string | null;
  learned: string | null;
  completed: string | null;
  nextSteps: string | null;
  filesRead: string[];
  filesEdited: string[];
  notes: string | null;
};

export type ParsedAnswer = {
  observations: ParsedObservation[];
  summary: ParsedSummary | null;
  /** The reason of a <skip_summary reason="…"/>; '' when it gave none. */
  skippedSummary: string | null;
  /** The reason of a <no_observations reason="…"/>; '' when it gave none. */
  nothingToRecord: string | null;
  sessionTitle: string | null;
  sessionSubtitle: string | null;
  /** Some of our grammar was there. False for prose, HTML, a refusal: nothing in it is an answer. */
  isReadable: boolean;
  /** Something was unclosed or cut off: what could be read was kept. */
  isPartial: boolean;
};

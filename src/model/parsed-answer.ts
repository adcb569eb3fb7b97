// What a model's answer says, read but not yet believed: paths, sources and types are checked afterwards.
import type { ObservationDraft } from '../core/observation.ts';
import type { SummaryDraft } from '../core/summary.ts';

export type ParsedObservation = Omit<ObservationDraft, 'facts' | 'sources' | 'outcome' | 'origin' | 'at'> & {
  facts: string[];
  /** Numbers of the events it says it comes from, as the prompt numbered them. */
  sources: number[];
  /** It says that nothing has borne it out. */
  isUnverified: boolean;
};

/** `words`: quoted from the turn. */
export type ParsedClaim = { id: number; words: string; isPart: boolean };

export type ParsedSummary = Omit<SummaryDraft, 'at'>;

export type ParsedAnswer = {
  observations: ParsedObservation[];
  summary: ParsedSummary | null;
  /** The reason of a <skip_summary reason="…"/>; '' when it gave none. */
  skippedSummary: string | null;
  /** The reason of a <no_observations reason="…"/>; '' when it gave none. */
  nothingToRecord: string | null;
  /** Of the decisions and the steps that were listed. */
  replaced: ParsedClaim[];
  closed: ParsedClaim[];
  sessionTitle: string | null;
  sessionSubtitle: string | null;
  /** Some of our grammar was there. False for prose, HTML, a refusal: nothing in it is an answer. */
  isReadable: boolean;
  /** Something was unclosed or cut off: what could be read was kept. */
  isPartial: boolean;
  /** It was said to the end, slips aside: no observation in it is a half one, and none is missing. */
  isWhole: boolean;
};

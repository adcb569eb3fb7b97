// A batch: the waiting events of one session that are observed together, and what came of it.
import type { SessionEvent, ToolEvent } from './event.ts';
import type { ObservationDraft } from './observation.ts';
import type { SummaryDraft } from './summary.ts';

export type Batch = {
  project: { name: string; root: string };
  session: { firstPrompt: string | null; title: string | null };
  /** In the order they happened. Ends with a stop or end event when a turn ended. */
  events: SessionEvent[];
  /** Tool events of earlier turns of the same session, already observed: read for failures still open and todo items. */
  earlier: ToolEvent[];
  /** The turns right before it, the latest last: what was asked, and the text of the record. */
  before?: { prompt: string; record: string }[];
};

export type Observed = {
  observations: ObservationDraft[];
  /** Set when the batch holds the end of a turn. */
  summary: SummaryDraft | null;
  title: string | null;
  subtitle: string | null;
};

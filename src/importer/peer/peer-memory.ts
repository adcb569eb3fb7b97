// What another claude-mem's database holds, in our terms.
import type { ObservationDraft } from '../../core/observation.ts';
import type { SummaryDraft } from '../../core/summary.ts';

export type PeerSession = {
  /** The host's own id of it; where the other program kept none, one that is made of its file and row. */
  id: string;
  host: string;
  /** A folder's name: the other program knows no more of a project. */
  project: string;
  title: string | null;
  startedAt: number;
  completedAt: number | null;
};

type Place = {
  session: PeerSession;
  /** Mostly that of its session. */
  project: string;
  /** Counted by the other program. */
  promptNumber: number | null;
};

export type PeerMemory =
  | { kind: 'session'; session: PeerSession }
  | ({ kind: 'prompt'; text: string; at: number } & Place)
  | ({ kind: 'observation'; draft: ObservationDraft } & Place)
  | ({ kind: 'summary'; draft: SummaryDraft } & Place)
  /** A row in a damaged part of the file. */
  | { kind: 'unreadable' };

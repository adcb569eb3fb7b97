// A summary: what one turn of a session was about, in eight fields.

export type SummaryDraft = {
  request: string | null;
  investigated: string | null;
  learned: string | null;
  completed: string | null;
  nextSteps: string | null;
  filesRead: string[];
  filesEdited: string[];
  notes: string | null;
  /** Epoch ms of the event that ended the turn. */
  at: number;
};

/** A summary without any words is no memory, whoever brings it. */
export const saysSomething = ({ request, investigated, learned, completed, nextSteps, notes }: SummaryDraft) =>
  [request, investigated, learned, completed, nextSteps, notes].some((text) => text?.trim());

/** What was asked is kept as a prompt: of a turn, a summary has to say what came of it. */
export const tellsMore = (summary: SummaryDraft) =>
  saysSomething({ ...summary, request: null }) ||
  (saysSomething(summary) && summary.filesRead.length + summary.filesEdited.length > 0);

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

/** A turn of which there is nothing to say makes no memory. */
export const saysSomething = ({ request, investigated, learned, completed, nextSteps, notes }: SummaryDraft) =>
  [request, investigated, learned, completed, nextSteps, notes].some((text) => text?.trim());

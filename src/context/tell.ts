// What a starting session is told, for the model and for the person.
import type { Database } from 'bun:sqlite';
import { hasObservations } from '../store/observations.ts';
import { chooseMemories } from './choose.ts';
import { type Rendered, renderContext } from './render.ts';

export type TellQuery = {
  project: { id: number; name: string } | null;
  /** 0 for a call without a session. */
  sessionId: number;
  /** Set for a session that goes on: it knows what was told before. */
  since: number | null;
  budgetTokens: number;
};

export type Told = { context: string; message: string; shown: Rendered['shown'] };

export function tellSession(db: Database, { project, sessionId, since, budgetTokens }: TellQuery): Told {
  const nothing: Rendered['shown'] = { observationIds: [], summaryId: null, sessions: 0 };
  if (!project) return { context: '', message: GREETING, shown: nothing };
  const chosen = chooseMemories(db, { projectId: project.id, sessionId, since });
  const isUpdate = since !== null;
  const { text: context, shown } = renderContext(chosen, { projectName: project.name, budgetTokens, isUpdate });
  if (context) return { context, shown, message: describe(shown, project.name, isUpdate) };
  const isFirst = !isUpdate && !hasObservations(db, project.id);
  return { context: '', shown: nothing, message: isFirst ? GREETING : '' };
}

const GREETING =
  'claude-mem is on. This project has no memory yet; the next session here will be told what happened in this one. Text inside <private>…</private> is never kept.';

function describe(shown: Rendered['shown'], project: string, isUpdate: boolean): string {
  const count = shown.observationIds.length;
  const memories = `${count} ${count === 1 ? 'memory' : 'memories'}`;
  const summary = shown.summaryId === null ? '' : ' and the last summary';
  return isUpdate
    ? `claude-mem: told Claude ${memories}${summary} of ${project} that came since.`
    : `claude-mem: told Claude ${memories}${summary} of ${project}. Tip: text inside <private>…</private> is never kept.`;
}

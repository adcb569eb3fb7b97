// What a starting session is told, for the model and for the person.
import type { Database } from 'bun:sqlite';
import { plainLine } from '../core/plain-line.ts';
import { hasObservations } from '../store/observations.ts';
import { chooseMemories } from './choose.ts';
import { type Rendered, renderContext } from './render.ts';

export type TellQuery = {
  /** The id is 0 for one that is not known yet: it is told what holds everywhere. */
  project: { id: number; name: string };
  /** 0 for a call without a session. */
  sessionId: number;
  /** Set for a session that goes on: it knows what was told before. */
  since: number | null;
  /** A session that only goes on, cleared or compacted, needs no tip again. */
  isFirstWord: boolean;
  budgetTokens: number;
};

export type Told = { context: string; message: string; shown: Rendered['shown']; damaged: number };

export function tellSession(db: Database, query: TellQuery): Told {
  const { project, sessionId, since, budgetTokens, isFirstWord } = query;
  const nothing: Rendered['shown'] = { observationIds: [], summaryId: null, sessions: 0 };
  const chosen = chooseMemories(db, { projectId: project.id, sessionId, since });
  const isUpdate = since !== null;
  const { text: context, shown } = renderContext(chosen, { projectName: project.name, budgetTokens, isUpdate });
  const { damaged } = chosen;
  if (context) return { context, shown, damaged, message: describe(shown, project.name, { isUpdate, isFirstWord }) };
  const isFirst = !isUpdate && !hasObservations(db, project.id);
  return { context: '', shown: nothing, damaged, message: isFirst ? GREETING : '' };
}

const GREETING =
  'claude-mem is on. This project has no memory yet; the next session here will be told what happened in this one. Text inside <private>…</private> is never kept.';

type Occasion = { isUpdate: boolean; isFirstWord: boolean };

function describe(shown: Rendered['shown'], project: string, { isUpdate, isFirstWord }: Occasion): string {
  const count = shown.observationIds.length;
  const memories = count === 0 ? [] : [`${count} ${count === 1 ? 'memory' : 'memories'}`];
  const summary = shown.summaryId === null ? [] : ['the last summary'];
  const told = `claude-mem: told Claude ${[...memories, ...summary].join(' and ')} of ${plainLine(project, 80)}`;
  if (isUpdate) return `${told} that came since.`;
  return isFirstWord ? `${told}. Tip: text inside <private>…</private> is never kept.` : `${told}.`;
}

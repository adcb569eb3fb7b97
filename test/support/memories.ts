// Memories put straight into a store, as short as a test needs them.
import type { Database } from 'bun:sqlite';
import { insertPrompt } from '../../src/capture/prompts.ts';
import { countPrompt, ensureSession } from '../../src/capture/sessions.ts';
import { parseRef } from '../../src/core/memory.ts';
import type { ObservationDraft, SummaryDraft } from '../../src/core/observation.ts';
import { insertObservation } from '../../src/memory/observations.ts';
import { addReplacement, type NewReplacement } from '../../src/memory/replacements.ts';
import { insertSummary } from '../../src/memory/summaries.ts';
import { ensureProject } from '../../src/projects/projects.ts';

export type Shelf = {
  projectId: number;
  sessionId: number;
  observe: (title: string, at: number, more?: Partial<ObservationDraft>) => string;
  sumUp: (at: number, more?: Partial<SummaryDraft>) => string;
  ask: (text: string, at: number) => string;
};

/** One session of a project, by the path of its folder. */
export function openShelf(db: Database, root: string, session: string): Shelf {
  const name = root.split('/').at(-1) ?? root;
  const projectId = ensureProject(db, { key: root, name, root, remote: null }, 0).id;
  const place = { cwd: root, root, branch: 'main', at: 0 };
  const sessionId = ensureSession(db, { host: 'claude-code', hostSessionId: session, projectId, ...place }).id;
  const owner = { sessionId, projectId, promptNumber: 1, batchId: null, isProvisional: false };
  return {
    projectId,
    sessionId,
    observe: (title, at, more = {}) => String(insertObservation(db, owner, { ...EMPTY_OBSERVATION, title, at, ...more })),
    sumUp: (at, more = {}) => `S${insertSummary(db, owner, { ...EMPTY_SUMMARY, at, ...more })}`,
    ask(text, at) {
      const promptNumber = countPrompt(db, sessionId, text);
      insertPrompt(db, { sessionId, promptNumber, promptId: null, text, isPrivate: false, at });
      return `P${db.query<{ id: number }, []>('SELECT max(id) AS id FROM prompts').get()?.id}`;
    },
  };
}

/** By their ids as they are written; certain unless it is said otherwise. */
export function replaced(db: Database, older: string, newer: string, more: Partial<NewReplacement> = {}): boolean {
  const [was, is] = [parseRef(older), parseRef(newer)];
  if (!was || !is) throw new Error(`${older} or ${newer} is no id`);
  const said = { isCertain: true, why: 'value changed', words: null, madeBy: 'rules', at: 1 } as const;
  return db.transaction(() => addReplacement(db, { older: was, newer: is, ...said, ...more })).immediate();
}

export const EMPTY_OBSERVATION: ObservationDraft = {
  type: 'change',
  title: null,
  subtitle: null,
  narrative: null,
  facts: [],
  concepts: [],
  filesRead: [],
  filesModified: [],
  outcome: null,
  origin: 'agent',
  sources: [],
  at: 0,
};

export const EMPTY_SUMMARY: SummaryDraft = {
  request: null,
  investigated: null,
  learned: null,
  completed: null,
  nextSteps: null,
  filesRead: [],
  filesEdited: [],
  notes: null,
  at: 0,
};

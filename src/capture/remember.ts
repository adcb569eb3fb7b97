// What somebody says should be remembered, kept as an observation like any other.
import type { Database } from 'bun:sqlite';
import { AskError } from '../core/ask-error.ts';
import { bareEvidence, type Evidence } from '../core/evidence.ts';
import { readsLikeInstructions } from '../core/instruction-like.ts';
import { formatRef } from '../core/memory.ts';
import { INJECTED_TRUST, type ObservationDraft, type ObservationType } from '../core/observation.ts';
import { makeClean } from '../core/plain-line.ts';
import type { SaveAnswer } from '../core/shapes/memory.ts';
import { oneLine, splitSentences } from '../core/text.ts';
import { citeFiles } from '../git/cite.ts';
import { allowSaid, isSaidBefore, unhideMemory } from '../memory/hide.ts';
import { allowObservation, believePerson, insertObservation, isForgottenObservation } from '../memory/observations.ts';
import { trustOfNote } from '../memory/untrusted.ts';
import { createIsForeign, markForeign } from '../projects/foreign.ts';
import { findFolder, findNamed } from '../projects/place.ts';
import { ensureGlobalProject, ensureProject, type Project } from '../projects/projects.ts';
import { readFirst } from '../store/read.ts';
import { listLatestEvents } from './events.ts';

export type Said = {
  text: string;
  title?: string;
  type?: ObservationType;
  cwd?: string;
  project?: string;
  /** It holds in every project. */
  global?: boolean;
  /** Who says it: a person is believed more than an agent, and may take back that it was forgotten. */
  by: 'user' | 'agent';
};

export function remember(db: Database, said: Said, now: number): SaveAnswer {
  const text = makeClean(said.text);
  if (text === '') {
    const hint = 'Text inside <private>…</private> is never kept.';
    throw new AskError('invalid', 'There is nothing to remember: the text is empty, or all of it is private.', hint);
  }
  const draft = makeDraft({ ...said, text, title: said.title && makeClean(said.title) }, now);
  return db
    .transaction(() => {
      const project = findPlace(db, said, now);
      const answer = { title: draft.title ?? '', project: project.name };
      const known = findSaid(db, project.id, text);
      if (known) {
        if (known.isHidden) allowAgain(said, () => unhideMemory(db, { kind: 'observation', id: known.id }));
        if (said.by === 'user') believePerson(db, known.id);
        const id = formatRef({ kind: 'observation', id: known.id });
        return { ...answer, title: known.title ?? '', id, isNew: false };
      }
      const again = { title: draft.title, texts: [text] };
      if (isForgottenObservation(db, draft) || isSaidBefore(db, again))
        allowAgain(said, () => {
          allowObservation(db, draft);
          allowSaid(db, again);
        });
      const owner = { sessionId: null, projectId: project.id, promptNumber: 0, batchId: null, isProvisional: false };
      const id = insertObservation(db, owner, draft, judge(db, draft, said.global ? null : project));
      return { ...answer, id: formatRef({ kind: 'observation', id }), isNew: true };
    })
    .immediate();
}

/** What was noted of a project in exactly these words. */
function findSaid(db: Database, projectId: number, text: string) {
  const sql = `SELECT id, title, hidden_at AS hiddenAt FROM observations
    WHERE project_id = ?1 AND session_id IS NULL AND origin <> 'commit' AND author IS NULL
      AND (narrative = ?2 OR (narrative IS NULL AND title = ?2)) LIMIT 1`;
  const row = readFirst<{ id: number; title: string | null; hiddenAt: string | null }>(db, sql, projectId, text);
  return row && { id: row.id, title: row.title, isHidden: row.hiddenAt !== null };
}

/** What an agent notes it notes in the turn that it comes from, or soon after. */
const TURN_MS = 10 * 60_000;

/** Which session an agent speaks in is not known: any of the project may have read the untrusted source that it repeats. */
function judge(db: Database, draft: ObservationDraft, project: Project | null): Evidence {
  const cited = project?.root ? citeFiles(draft, { root: project.root, events: [] }) : {};
  const evidence = { ...bareEvidence(draft), ...cited };
  if (draft.origin !== 'agent') return evidence;
  const latest = listLatestEvents(db, { projectId: project?.id ?? null, since: draft.at - TURN_MS });
  const { events } = markForeign({ root: project?.root ?? '/', events: latest, earlier: [] }, createIsForeign(db));
  const trust = trustOfNote(draft, events);
  const isQuarantined = trust < INJECTED_TRUST && readsLikeInstructions([draft.title, draft.narrative].filter(Boolean).join('\n'));
  return { ...evidence, trust, isQuarantined };
}

function makeDraft({ text, title, type = 'decision', by }: Said, at: number): ObservationDraft {
  const shown = oneLine(title || (splitSentences(text.split('\n', 1)[0] ?? '')[0] ?? text), TITLE_LENGTH);
  return {
    type,
    title: shown,
    subtitle: null,
    narrative: shown === text ? null : text,
    facts: [],
    concepts: [],
    // A rule that names a file is about that file.
    filesRead: listPaths(text),
    filesModified: [],
    outcome: null,
    origin: by,
    sources: [],
    at,
  };
}

const TITLE_LENGTH = 160;

function findPlace(db: Database, { cwd, project, global }: Said, now: number): Project {
  if (global) return ensureGlobalProject(db, now);
  if (project !== undefined) return findNamed(db, project);
  if (cwd !== undefined) {
    const { identity, project: known } = findFolder(db, cwd);
    return known ?? ensureProject(db, identity, now);
  }
  throw new AskError('invalid', 'It is not said of which project this is.', 'Give cwd, project or global.');
}

/** Only a person may bring back what a person, or a model, wanted forgotten. */
function allowAgain({ by }: Said, allow: () => void): void {
  if (by === 'user') {
    allow();
    return;
  }
  throw new AskError('conflict', 'This was forgotten on request.', 'Only a person can bring it back: claude-mem remember.');
}

const MOST_PATHS = 5;
/** `src/retry.ts`, not an address, and nothing outside of the project. */
const PATH = /(?<![\w/:.@~-])(?:[\w@-][\w@.-]*\/)+[\w@-][\w@.-]*\.[a-z]\w{0,5}\b(?!\/)/gi;

const listPaths = (text: string) => [...new Set(text.match(PATH) ?? [])].slice(0, MOST_PATHS);

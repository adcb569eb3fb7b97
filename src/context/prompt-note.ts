// The note with a prompt: one to three results of the product's own search, each under its own id with the words that match, or nothing.
import { type MemoryRow, parseRef } from '../core/memory.ts';
import { renderRanked } from '../core/render-index.ts';
import { parseWhen } from '../core/when.ts';
import { listOpenSteps } from '../memory/open-steps.ts';
import type { Finder } from '../search/find.ts';
import { readRecap } from '../search/recap.ts';
import { findGlobalProject, findWholeOf } from '../store/projects/projects.ts';
import { listRecentSessions } from '../store/sessions/sessions.ts';
import { listGiven } from '../store/trust/tellings.ts';
import { fillNote } from './note.ts';
import { findResults } from './note-results.ts';
import type { Piece } from './page.ts';
import { type Question, readQuestion, sharesWord, subjectOf } from './question.ts';
import { renderStep } from './render.ts';
import { judgeSure } from './sure.ts';
import type { TellDeps } from './tell.ts';

export type PromptNoteQuery = {
  prompt: string;
  projectId: number;
  root: string;
  /** It is given nothing of its own, and nothing twice; 0 for nobody's. */
  sessionId: number;
  /** A path, absolute or relative to the root, of which nothing is given. */
  isExcluded: (path: string) => boolean;
};
/** [] when there is nothing to say. */
export type PromptNote = (query: PromptNoteQuery) => Promise<Piece[]>;

export type PromptNoteDeps = TellDeps & { finder: Finder; clock: () => number };

const NOTE = { subject: 'this request', section: 'recall' } as const;
const MOST_RESULTS = 3;
/** Of what is left to do, and of what was done: each is a line. */
const MOST_LINES = 6;

export function createPromptNote(deps: PromptNoteDeps): PromptNote {
  return async (query) => {
    const question = readQuestion(query.prompt);
    if (question === null) return [];
    if (question.kind === 'any') return fillNote(await search(deps, question, query), NOTE);
    const lines = listLines(deps, question, query);
    const results = lines.length > 0 && subjectOf(question.text) === '' ? [] : await search(deps, question, query);
    return fillNote([...lines, ...results], NOTE);
  };
}

const search = (
  deps: PromptNoteDeps,
  { text, kind }: Question,
  { projectId, root, sessionId, isExcluded }: PromptNoteQuery,
) => {
  const more = [findWholeOf(deps.db, projectId), findGlobalProject(deps.db)].flatMap((project) => project?.id ?? []);
  return findResults(deps, {
    text,
    judge: judgeSure,
    decisionsFirst: kind === 'why',
    filters: { projectIds: [projectId, ...more], exceptSession: sessionId || undefined },
    given: listGiven(deps.db, sessionId),
    root,
    isExcluded,
    most: MOST_RESULTS,
  });
};

/** What is left to do, or what was done: of the subject that the question names, else all of it. */
function listLines(deps: PromptNoteDeps, question: Question, query: PromptNoteQuery): Piece[][] {
  const isWanted = sharesWord(subjectOf(question.text));
  const { db } = deps;
  if (question.kind === 'open')
    return listOpenSteps(db, { projectIds: [query.projectId], limit: MOST_STEPS })
      .filter(({ text }) => isWanted(text))
      .slice(0, MOST_LINES)
      .map((step) => [linePiece(step.ref, renderStep(step), 'open next step')]);
  if (question.kind !== 'recap') return [];
  const { done, decided } = recap(deps, question, query);
  return [...decided, ...done]
    .filter(({ title }) => isWanted(title))
    .sort((one, other) => other.at - one.at)
    .slice(0, MOST_LINES)
    .map((row) => [linePiece(row.id, renderRanked([row]), 'what was done')]);
}

/** So many of the newest are looked at. */
const MOST_STEPS = 50;

function recap({ db, clock }: PromptNoteDeps, { when }: Question, { projectId, sessionId }: PromptNoteQuery) {
  const now = clock();
  const [last] = when === 'last' ? listRecentSessions(db, { projectId, except: sessionId, since: 0, limit: 1 }) : [];
  const since = last ? last.startedAt : parseWhen(when === 'week' ? 'last week' : 'yesterday', 'since', now);
  const until = when === 'yesterday' ? parseWhen('yesterday', 'until', now) : now;
  const [project] = readRecap(db, { projectIds: [projectId], since, until, now }).projects;
  const rows = (list: MemoryRow[] = []) => list.filter(({ replacedBy }) => replacedBy === null);
  return { done: rows(project?.done), decided: rows(project?.decided) };
}

function linePiece(id: string, lines: string[], why: string): Piece {
  const own = lines.join('\n');
  const ref = parseRef(id);
  return { text: own, section: 'recall', record: ref && { ref, own, freshness: null, why: [why], value: 0 } };
}

// Before a file is edited: what was decided about it, what it holds in store for whoever edits it, and what was tried in vain.
import type { Database } from 'bun:sqlite';
import { plainLine } from '../core/plain-line.ts';
import { readBranch } from '../git/identity.ts';
import { type FileLesson, type Lesson, listFileLessons, readCurrentByIds } from '../memory/for-context.ts';
import { readCommitted } from '../memory/git-log.ts';
import { listToldInFull } from '../memory/injections.ts';
import type { Observation } from '../memory/observations.ts';
import { foldRepeats } from '../search/alike.ts';
import { foldCommits } from './commits.ts';
import { writeNote } from './note.ts';
import type { Piece } from './page.ts';
import { inPairs } from './pair-replaced.ts';
import { NOWHERE } from './surroundings.ts';
import type { TellDeps } from './tell.ts';

export type FileQuery = {
  projectId: number;
  /** Its own memories it knows; 0 for nobody's. */
  sessionId: number;
  root: string;
  /** As memories name it: relative to the root. */
  path: string;
};

const MOST_MEMORIES = 3;
/** So many commits are compared with each other. */
const COMPARED = 20;

/** Of other sessions, the best first. Reads only, and neither asks git nor searches: an edit waits for it. */
export function recallFile(db: Database, { projectId, sessionId, path }: Omit<FileQuery, 'root'>): Observation[] {
  const lessons = listFileLessons(db, { projectId, exceptSession: sessionId, paths: listNames(db, projectId, path) });
  return pickLessons(db, commitsLast(db, onlyLastWork(lessons)), MOST_MEMORIES);
}

/** Renamed more often than that, a file is another one. */
const MOST_RENAMES = 3;

/** Its own, and those it had before: a commit that brought it with the bytes of a file that it took away. */
function listNames(db: Database, projectId: number, path: string): string[] {
  const before = db.query<{ path: string }, [number, string]>(
    `SELECT gone.path FROM citations c JOIN observations o ON o.id = c.observation_id
       JOIN citations gone ON gone.observation_id = c.observation_id AND gone.blob = '' AND gone.before = c.blob
     WHERE c.project_id = ? AND c.path = ? AND c.before = '' AND o.origin = 'commit' ORDER BY o.created_at_epoch DESC LIMIT 1`,
  );
  const names = [path];
  for (let name = path; names.length <= MOST_RENAMES; names.push(name)) {
    const found = before.get(projectId, name)?.path;
    if (found === undefined || names.includes(found)) break;
    name = found;
  }
  return names;
}

/** What the code shows by itself: one is enough, to know what was last done there. */
function onlyLastWork(lessons: FileLesson[]): FileLesson[] {
  const last = lessons.find(({ rank }) => rank === 'work');
  return lessons.filter((one) => one.rank !== 'work' || one === last);
}

const idsOf = (lessons: Lesson[]) => lessons.map(({ id }) => id);

/** What a session learned says more than what a commit says of itself; and of commits that say the same, one is enough. */
function commitsLast(db: Database, lessons: Lesson[]): Lesson[] {
  const committed = readCommitted(db, idsOf(lessons));
  const isCommit = ({ id }: Lesson) => committed.get(id)?.isCommit === true;
  const commits = lessons.filter(isCommit).slice(0, COMPARED);
  const kept = new Set(foldCommits(readCurrentByIds(db, idsOf(commits))).map(({ id }) => id));
  return [...lessons.filter((one) => !isCommit(one)), ...commits.filter(({ id }) => kept.has(id))];
}

/** So many are compared with each other. */
const AMONG = 12;

/** Of what is known of an error or a file the few that are told: the first, none that says the same as one before it. */
export function pickLessons(db: Database, lessons: Lesson[], most: number): Observation[] {
  if (lessons.length === 0) return [];
  const once = [...new Map(lessons.map(({ id, title }) => [id, { id, text: title ?? '' }])).values()].slice(0, AMONG);
  // Of repeats the last one is kept: here the first is the best.
  const ids = foldRepeats(once.toReversed()).map(({ id }) => id);
  const found = new Map(readCurrentByIds(db, ids).map((observation) => [observation.id, observation]));
  const best = ids.toReversed().flatMap((id) => found.get(id) ?? []);
  return best.slice(0, most);
}

/** [] when there is nothing to say; then neither git nor a file is asked. */
export async function writeFileNote({ db, checkFreshness }: TellDeps, query: FileQuery): Promise<Piece[]> {
  const { root, path } = query;
  const observations = inPairs(db, recallFile(db, query));
  if (observations.length === 0) return [];
  const checked = observations.map(({ observation }) => observation);
  const freshness = await checkFreshness(checked, { ...NOWHERE, root, branch: readBranch(root) });
  const known = new Set(listToldInFull(db, query.sessionId));
  return writeNote({ subject: plainLine(path, 160), section: 'file', why: `about ${path}`, known, observations, freshness });
}

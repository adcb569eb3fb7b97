// What is known of a file or an error: what was decided, fixed, or tried in vain. And how any note is filled.
import type { Database } from 'bun:sqlite';
import { markError } from '../core/error-mark.ts';
import { isOutdated } from '../core/evidence.ts';
import { plainLine } from '../core/plain-line.ts';
import { readBranch } from '../git/identity.ts';
import { type Lesson, listErrorLessons, listFileLessons, listNamingLessons, namesPath, readCurrentByIds } from '../memory/for-context.ts';
import { readCommitted } from '../memory/git-log.ts';
import { listToldInFull } from '../memory/injections.ts';
import type { Observation } from '../memory/observations.ts';
import { foldRepeats } from '../search/alike.ts';
import type { Piece as Quoted } from '../search/pieces.ts';
import { foldCommits } from './commits.ts';
import { joinPieces, observed, type Piece, toldPieces } from './page.ts';
import { inPairs } from './pair-replaced.ts';
import { joinQuoted, readQuotable } from './quote.ts';
import { frameNote, markOf, type Render, renderFull, renderHead } from './render.ts';
import { countNews, FEWEST_WORDS, wordsOf } from './sentences.ts';
import { isAboutAny } from './surroundings.ts';
import type { TellDeps } from './tell.ts';

/** Its own memories a session knows; 0 for nobody's. */
type Asking = { projectId: number; sessionId: number };
/** `path` as memories name it: relative to the root. */
export type FileQuery = Asking & { root: string; path: string; isExcluded: (path: string) => boolean };

const MOST_OF_FILE = 4;
/** So many commits are compared with each other. */
const COMPARED = 20;

/** Of other sessions, the best first. Reads only, and neither asks git nor searches: an edit waits for it. */
export function recallFile(db: Database, { projectId, sessionId, path, isExcluded }: Omit<FileQuery, 'root'>): Observation[] {
  const lessons = listFileLessons(db, { projectId, exceptSession: sessionId, paths: listNames(db, projectId, path) });
  const known = lessons.length > 0 ? commitsLast(db, lessons) : listNaming(db, { projectId, exceptSession: sessionId, path, isExcluded });
  return pickLessons(db, known, MOST_OF_FILE).filter((one) => !isAboutAny(one, isExcluded));
}

/** So many records are read for what they say of it: an edit waits. */
const READ = 5;

/** Those that name it, else those of turns that say something of it. */
function listNaming(db: Database, query: Parameters<typeof listNamingLessons>[1] & Pick<FileQuery, 'isExcluded'>): Lesson[] {
  const { lessons, ofTurns } = listNamingLessons(db, query);
  const says = (one: Lesson) => quoteFile(db, one, { ...query, shown: '' }) !== '';
  return lessons.length > 0 ? lessons : ofTurns.slice(0, READ).filter(says);
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

/** What a session learned says more than what a commit says of itself; and of commits that say the same, one is enough. */
function commitsLast(db: Database, lessons: Lesson[]): Lesson[] {
  const idsOf = (some: Lesson[]) => some.map(({ id }) => id);
  const committed = readCommitted(db, idsOf(lessons));
  const isCommit = ({ id }: Lesson) => committed.get(id)?.isCommit === true;
  const commits = lessons.filter(isCommit).slice(0, COMPARED);
  const kept = new Set(foldCommits(readCurrentByIds(db, idsOf(commits))).map(({ id }) => id));
  return [...lessons.filter((one) => !isCommit(one)), ...commits.filter(({ id }) => kept.has(id))];
}

/** So many are compared with each other. */
const AMONG = 12;

/** Of what is known of an error or a file the few that are given: the first, none that says the same as one before it. */
function pickLessons(db: Database, lessons: Lesson[], most: number): Observation[] {
  const once = [...new Map(lessons.map(({ id, title }) => [id, { id, text: title ?? '' }])).values()].slice(0, AMONG);
  // Of repeats the last one is kept: here the first is the best.
  const ids = foldRepeats(once.toReversed()).map(({ id }) => id);
  const found = new Map(readCurrentByIds(db, ids).map((observation) => [observation.id, observation]));
  const best = ids.toReversed().flatMap((id) => found.get(id) ?? []);
  return best.slice(0, most);
}

export const MOST_OF_ERROR = 2;

/** Null when no memory of an earlier session is known by this error. */
export function recallError(db: Database, { projectId, sessionId, error }: Asking & { error: string }) {
  const marks = markError(error);
  if (marks.length === 0) return null;
  const lessons = listErrorLessons(db, { projectId, exceptSession: sessionId, marks });
  const observations = pickLessons(db, lessons, MOST_OF_ERROR);
  const [best] = observations;
  // The most telling of its marks: another error with it would be the same.
  const mark = best && marks.find((one) => lessons.some((lesson) => lesson.id === best.id && lesson.mark === one));
  return mark ? { mark, observations } : null;
}

export function writeFileNote(deps: TellDeps, query: FileQuery, observations = recallFile(deps.db, query)): Promise<Piece[]> {
  const note = { subject: plainLine(query.path, 160), section: 'file', why: `about ${query.path}` } as const;
  const names = listNames(deps.db, query.projectId, query.path);
  return writeNote(deps, {
    ...query,
    ...note,
    observations,
    isElsewhere: (one) => !isAbout(one, names),
    quote: (one, shown) => quoteFile(deps.db, one, { ...query, shown }),
  });
}

/** By its files, or by its words. */
const isAbout = ({ title, narrative, facts, filesModified, filesRead }: Observation, names: string[]): boolean =>
  names.some((name) => [...filesModified, ...filesRead].includes(name) || namesPath([title, narrative, ...facts].join(' '), name));

const QUOTED = 240;

/** What its turn said of the file last, and how it changed its lines, but for what is shown anyway. */
function quoteFile(
  db: Database,
  { id }: Pick<Observation, 'id'>,
  { path, isExcluded, shown }: Pick<FileQuery, 'path' | 'isExcluded'> & { shown: string },
): string {
  const found = readQuotable(db, observed(id), (one) => !isAboutAny(one, isExcluded));
  const name = new Set(wordsOf(path));
  const tells = ({ text, line }: Quoted) => countNews(wordsOf(line?.text ?? text), name) >= FEWEST_WORDS;
  const isOf = ({ text, line }: Quoted) => (line ? line.file === path : !text.startsWith('$ ') && namesPath(text, path));
  const pieces = found?.pieces.filter((piece) => isOf(piece) && tells(piece) && !shown.includes(piece.line?.text ?? piece.text)) ?? [];
  const last: Quoted[] = [];
  for (let room = QUOTED; ; ) {
    const piece = pieces.pop();
    if (!piece) return joinQuoted(last, QUOTED);
    if (piece.text.length + piece.head.length > room) continue;
    last.unshift(piece);
    room -= piece.text.length + piece.head.length + 3;
  }
}

/** What it is about, in a few words. */
type Note = { subject: string; section: Piece['section'] };
type NoteQuery = Note & {
  observations: Observation[];
  why: string;
  root: string;
  sessionId: number;
  /** Only its turn speaks of what was asked for: that is quoted, and its own words are about something else. */
  isElsewhere?: (one: Observation) => boolean;
  /** What else is said of it, beside what is shown; '' mostly. */
  quote?: (one: Observation, shown: string) => string;
};

/**
 * [] when there is nothing to say; then neither git nor a file is asked. What the code has overtaken is left out, but for what was ruled
 * out: that is said because the code shows nothing of it.
 */
export async function writeNote(
  { db, checkFreshness }: TellDeps,
  { observations, why, root, sessionId, quote, isElsewhere, ...note }: NoteQuery,
) {
  const pairs = inPairs(db, observations);
  if (pairs.length === 0) return [];
  const checked = pairs.map(({ observation }) => observation);
  const freshness = await checkFreshness(checked, { root, branch: readBranch(root) });
  // A line is enough to bring to mind what the session was given in full before.
  const known = new Set(listToldInFull(db, sessionId));
  const said: string[] = [];
  const results = pairs.flatMap(({ observation, pair }): Piece[][] => {
    const state = freshness.get(observation.id) ?? null;
    if (state && isOutdated(state) && observation.outcome !== 'ruled-out') return [];
    // After an error its cause is what counts, and the page of a start has only some of it.
    const isShort = (note.section !== 'error' && known.has(observation.id)) || pair?.above || isElsewhere?.(observation);
    const withQuote = (one: Observation, lines: string[]) => {
      const quoted = quote?.(one, [...said, ...lines].join('\n')) ?? '';
      return quoted === '' ? lines : [...lines, `  ${markOf(one)}${quoted}`];
    };
    const render: Render = (one, is) => withQuote(one, isShort ? [renderHead(one, is)] : renderFull(one, is, said));
    // By the error the older one is known: its cause is what was asked for.
    const renderOlder: Render = note.section === 'error' ? renderFull : (one) => withQuote(one, [renderHead(one, null)]);
    const pieces = toldPieces({ observation, pair, freshness: state, why: [why], value: 0 }, note.section, render, renderOlder);
    said.push(...pieces.map(({ text }) => text));
    return [pieces];
  });
  return fillNote(results, note);
}

const MOST_CHARACTERS = 1500;

/** Whole results, as long as there is room: what may be replaced is not told without what may replace it. [] when there is none. */
export function fillNote(results: Piece[][], { subject, section }: Note, most = MOST_CHARACTERS): Piece[] {
  let pieces: Piece[] = [{ text: frameNote(subject), section, record: null }];
  for (const result of results) {
    const next = [...pieces, ...result.map((piece) => ({ ...piece, section }))];
    if (joinPieces(next).length <= most) pieces = next;
  }
  return pieces.length > 1 ? pieces : [];
}

// What earlier sessions learned of an error or of a file, as ids in the order in which it is worth telling.
import type { Database } from 'bun:sqlite';
import type { Outcome } from '../../core/observation.ts';
import { current, tellable } from '../trust/trusted.ts';

/** So many of the newest are looked at: the cost does not grow with the store. */
const AMONG = 300;

export type Lesson = { id: number; title: string | null; outcome: Outcome | null };

/** Of one project, and not of the session that would be told. */
export type LessonQuery = { projectId: number; exceptSession: number };

/** Memories of an error that is known by one of these marks: what fixed it, what did not, what was found out. */
export function listErrorLessons(
  db: Database,
  { marks, ...query }: LessonQuery & { marks: string[] },
): (Lesson & { mark: string })[] {
  return db
    .query<Lesson & { mark: string }, [Record<string, string | number>]>(
      `SELECT o.id, o.title, o.outcome, known.mark FROM (
           SELECT mark, observation_id FROM error_marks WHERE project_id = $projectId
             AND mark IN (SELECT value FROM json_each($marks)) ORDER BY observation_id DESC LIMIT ${AMONG}) AS known
         JOIN observations o ON o.id = known.observation_id
       WHERE o.session_id <> $exceptSession AND ${tellable('o')}
         AND ((o.type = 'bugfix' AND o.outcome IN ('passed','unverified')) OR o.outcome = 'ruled-out' OR o.type = 'discovery')
       ORDER BY CASE WHEN o.type = 'bugfix' AND o.outcome = 'passed' THEN 0 WHEN o.outcome = 'ruled-out' THEN 1
           WHEN o.type = 'bugfix' THEN 2 ELSE 3 END, o.created_at_epoch DESC, o.id DESC`,
    )
    .all({ ...query, marks: JSON.stringify(marks) });
}

/** word: a decision, a rule, what was ruled out, or what replaced another. fix: what broke there, and pitfalls. work: what was done there and held. */
export type FileLesson = Lesson & { rank: 'word' | 'fix' | 'work' };

const IS_PITFALL = `instr(o.concepts, '"gotcha"') > 0`;
const IS_WORD = `(o.outcome IS 'ruled-out' OR o.type = 'decision'
  OR EXISTS (SELECT 1 FROM replacements r WHERE r.newer_kind = 'observation' AND r.newer_id = o.id AND r.both_hold = 0))`;

/** Of memories that cite a file by one of its names. */
export function listFileLessons(db: Database, { paths, ...query }: LessonQuery & { paths: string[] }): FileLesson[] {
  return db
    .query<FileLesson, [Record<string, string | number>]>(
      `SELECT o.id, o.title, o.outcome, CASE WHEN ${IS_WORD} THEN 'word' WHEN o.type = 'bugfix' OR ${IS_PITFALL} THEN 'fix' ELSE 'work' END AS rank FROM (
           SELECT c.observation_id FROM citations c JOIN observations said ON said.id = c.observation_id
             WHERE c.project_id = $projectId AND c.path IN (SELECT value FROM json_each($paths))
             -- A file may be in thousands of commits: what sessions said of it comes first.
             ORDER BY said.origin = 'commit', c.observation_id DESC LIMIT ${AMONG}) AS citing
         JOIN observations o ON o.id = citing.observation_id
       WHERE (${IS_WORD} OR ${IS_PITFALL} OR (o.type <> 'discovery' AND o.outcome = 'passed' AND o.origin <> 'commit'))
         AND o.outcome IS NOT 'failed' AND o.session_id <> $exceptSession AND ${current('o')}
       ORDER BY CASE rank WHEN 'word' THEN 0 WHEN 'fix' THEN 1 ELSE 2 END, o.created_at_epoch DESC, o.id DESC`,
    )
    .all({ ...query, paths: JSON.stringify(paths) });
}

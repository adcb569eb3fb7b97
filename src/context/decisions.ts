// The decisions of a project as a person reads them: what applies now with the state of the code, and what was replaced by what.
import type { Database } from 'bun:sqlite';
import { parseRef } from '../core/memory.ts';
import type { Decision, DecisionsAnswer } from '../core/shapes/pages.ts';
import { readBranch } from '../git/identity.ts';
import { readAnyByIds } from '../memory/for-context.ts';
import { readLastGiven } from '../memory/injections.ts';
import { readMemories } from '../memory/read.ts';
import { findGlobalProject, type Project } from '../projects/projects.ts';
import { countRows, readAll } from '../store/read.ts';
import type { TellDeps } from './tell.ts';

/** The newest of them: nobody reads more, and each is looked up in the work tree. */
const MOST = 200;

type Row = { id: number; projectId: number; isRule: number; origin: string };

export async function listDecisions({ db, checkFreshness }: TellDeps, project: Project): Promise<DecisionsAnswer> {
  const everywhere = findGlobalProject(db)?.id ?? 0;
  const rows = listRows(db, [project.id, everywhere]);
  const memories = readMemories(db, rows.map(asRef));
  const lastGiven = readLastGiven(
    db,
    rows.map(({ id }) => id),
  );
  const states = await readStates({ db, checkFreshness }, rows, project.root);
  const all = rows.flatMap((row): Decision[] => {
    const memory = memories.get(String(row.id));
    if (!memory) return [];
    return [
      {
        ...memory,
        isRule: row.isRule === 1,
        isGlobal: row.projectId === everywhere,
        isUsers: row.origin === 'user',
        state: states.get(row.id)?.word ?? null,
        lastGivenAt: lastGiven.get(row.id) ?? null,
      },
    ];
  });
  const isReplaced = ({ replacedBy }: Decision) => replacedBy?.isCertain === true;
  const newer = readMemories(
    db,
    all.flatMap(({ replacedBy }) => (replacedBy ? (parseRef(replacedBy.id) ?? []) : [])),
  );
  // What no session gets comes last, with its mark.
  const isNeverGiven = (one: Decision) => Boolean(one.isWrong || one.isDistrusted || one.isQuarantined || one.isFromOutside);
  const rank = (one: Decision) => (isNeverGiven(one) ? 3 : one.isRule ? 0 : one.isPinned ? 1 : 2);
  return {
    project: project.name,
    current: all.filter((one) => !isReplaced(one)).sort((a, b) => rank(a) - rank(b) || b.at - a.at),
    replaced: all.filter(isReplaced).flatMap((older) => {
      const by = newer.get(older.replacedBy?.id ?? '');
      return by ? [{ older, newer: by }] : [];
    }),
    total: countRows(db, `observations o WHERE ${OF_PROJECTS}`, { projects: JSON.stringify([project.id, everywhere]) }),
  };
}

const OF_PROJECTS = `o.project_id IN (SELECT value FROM json_each($projects)) AND o.hidden_at IS NULL
  AND (o.type = 'decision' OR o.is_rule = 1)`;

const listRows = (db: Database, projectIds: number[]) => {
  const sql = `SELECT o.id, o.project_id AS projectId, o.is_rule AS isRule, o.origin FROM observations o
    WHERE ${OF_PROJECTS} ORDER BY o.is_rule DESC, o.created_at_epoch DESC, o.id DESC LIMIT ${MOST}`;
  return readAll<Row>(db, sql, { projects: JSON.stringify(projectIds) });
};

const asRef = ({ id }: Pick<Row, 'id'>) => ({ kind: 'observation' as const, id });

/** Of what cannot be looked up nothing is said. */
async function readStates({ db, checkFreshness }: TellDeps, rows: Pick<Row, 'id'>[], root: string) {
  const observations = readAnyByIds(
    db,
    rows.map(({ id }) => id),
  );
  return root === '' ? new Map() : checkFreshness(observations, { root, branch: readBranch(root) });
}

/** Of one memory; null for what is no observation. */
export async function readState(deps: TellDeps, id: string, project: Project | null) {
  const ref = parseRef(id);
  if (ref?.kind !== 'observation' || !project) return null;
  const states = await readStates(deps, [ref], project.root);
  return states.get(ref.id)?.word ?? null;
}

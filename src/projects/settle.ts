// In the background: a repository that moved, or is another clone, becomes part of the project that it is once its history proves it.
import type { Database } from 'bun:sqlite';
import { identifyProject } from '../git/identity.ts';
import { provesWork, readCommitTimes, readFirstCommit } from '../git/proof.ts';
import type { Log } from '../log.ts';
import { exists, readAll, readColumn, readFirst, readValue } from '../store/read.ts';
import { isSeparate } from './keys.ts';
import { joinProject } from './merge.ts';
import { findProject, findProjectBy, findWholeOf } from './projects.ts';

/** joined: two keys are of one project. apart: it might be, and nothing proves it. begun: its first commit is known now. Null mostly. */
type Settled = { kind: 'joined' | 'apart'; before: string; now: string } | { kind: 'begun' } | null;

type Settleable = {
  id: number;
  key: string;
  root: string;
  remote: string | null;
  /** Null: not known, or no git. */
  firstCommit: string | null;
  createdAt: string;
};

/** One look at where a project's repository lies now. What is not known leads to no conclusion. */
async function settleProject(db: Database, projectId: number, clock: () => number): Promise<Settled> {
  const whole = findWhole(db, projectId);
  const project = whole && findRoot(db, whole) ? read(db, whole.id) : null;
  if (!project) return null;
  const here = identifyProject(project.root);
  const holder = here.remote === null ? null : findProject(db, here.remote);
  // Its remote is known from elsewhere; else it may have moved.
  const isHeld = holder !== null && holder.id !== project.id && !isSeparate(db, holder.id, here);
  const known = isHeld ? read(db, holder.id) : null;
  const { into, commits } = known
    ? { into: known, commits: await listKnownCommits(db, known) }
    : await findLeft(db, project, here.bornAt ?? 0);
  if (!into) {
    const firstCommit = await learnFirstCommit(db, project);
    return firstCommit === project.firstCommit ? null : { kind: 'begun' };
  }
  const keys = { before: project.key, now: into.key };
  if (!(await provesWork(project.root, commits))) return { kind: 'apart', ...keys };
  // Git was asked meanwhile: it is settled only as it was seen.
  const isUnchanged = [into, project].every((seen) => isSame(read(db, seen.id), seen));
  if (!isUnchanged || identifyProject(project.root).bornAt !== here.bornAt) return null;
  joinProject(db, { fresh: project, into, here, hasMoved: !isHeld }, clock());
  if (isHeld) findRoot(db, into);
  return { kind: 'joined', ...keys };
}

const isSame = (now: Settleable | null, seen: Settleable) => now !== null && now.key === seen.key && now.root === seen.root;

const COLUMNS = 'id, key, root, remote, first_commit AS firstCommit, created_at AS createdAt';

const read = (db: Database, id: number): Settleable | null => readFirst<Settleable>(db, `SELECT ${COLUMNS} FROM projects WHERE id = ?`, id);

/** A part of a repository goes where the whole goes. */
const findWhole = (db: Database, id: number): Settleable | null => read(db, findWholeOf(db, id)?.id ?? id);

/** Where it is now, if its root was another clone, or it has moved. Null when it is nowhere to be seen. */
function findRoot(db: Database, { id, root: known }: Settleable): string | null {
  for (const root of [known, ...listSessionRoots(db, id)]) {
    const here = identifyProject(root);
    if (here.isPlain || here.root !== root || findProjectBy(db, here)?.id !== id) continue;
    if (root !== known) db.query('UPDATE projects SET root = ?, remote = ? WHERE id = ?').run(root, here.remote, id);
    return root;
  }
  return null;
}

export const listSessionRoots = (db: Database, projectId: number, limit = 5): string[] => {
  const sql = `SELECT root FROM (SELECT root, updated_at_epoch AS at FROM sessions WHERE project_id = ?1
    ORDER BY updated_at_epoch DESC LIMIT 10 * ?2) GROUP BY root ORDER BY max(at) DESC LIMIT ?2 + 0`;
  return readColumn(db, sql, projectId, limit);
};

/** Git counts whole seconds. */
const SECOND_MS = 1000;

/**
 * The project without a remote that is not where it was, and what it stood on last is here. Only if that was made while it was
 * known, or this repository was there at the time: clones of a starter have all that was in it before. Of several nobody knows which.
 */
async function findLeft(db: Database, fresh: Settleable, bornAt: number): Promise<{ into: Settleable | null; commits: string[] }> {
  const sql = `SELECT ${COLUMNS}, (SELECT min(started_at_epoch) FROM sessions s WHERE s.project_id = projects.id) AS startedAt,
      max(coalesce((SELECT max(updated_at_epoch) FROM sessions s WHERE s.project_id = projects.id), 0),
        coalesce((SELECT max(read_at_epoch) FROM git_logs l WHERE l.project_id = projects.id), 0)) AS lastAt
    FROM projects WHERE id <> ? AND remote IS NULL AND substr(key, 1, 1) = '/' AND instr(key, '#') = 0`;
  const left = readAll<Settleable & { startedAt: number | null; lastAt: number }>(db, sql, fresh.id)
    // Its root may be a work tree that is gone, while the repository itself is still in the place that it is known by.
    .filter(({ root, key }) => ![root, key].some(isRepository))
    .map((project) => ({ project, head: readLastHead(db, project.id) ?? '' }));
  const times = await readCommitTimes(
    fresh.root,
    left.map(({ head }) => head),
  );
  const isTheSame = ({ project, head }: (typeof left)[number]) => {
    const madeAt = times.get(head);
    if (madeAt === undefined) return false;
    const from = Math.min(Date.parse(project.createdAt), project.startedAt ?? Number.POSITIVE_INFINITY);
    return madeAt + SECOND_MS > from || (bornAt > 0 && bornAt <= project.lastAt);
  };
  const [found, ...others] = left.filter(isTheSame);
  return found && others.length === 0 ? { into: found.project, commits: [found.head] } : { into: null, commits: [] };
}

function isRepository(place: string): boolean {
  const there = place.startsWith('/') ? identifyProject(place) : null;
  return there !== null && !there.isPlain && there.root === place;
}

async function learnFirstCommit(db: Database, { id, root, firstCommit: known }: Settleable): Promise<string | null> {
  const firstCommit = known ?? (await readFirstCommit(root));
  if (firstCommit !== known) db.query('UPDATE projects SET first_commit = ? WHERE id = ?').run(firstCommit, id);
  return firstCommit;
}

/** Commits by which another clone is known: what it stood on last in each of its places, and its first one. */
async function listKnownCommits(db: Database, project: Settleable): Promise<string[]> {
  const heads = readColumn<string>(db, 'SELECT head FROM git_logs WHERE project_id = ? ORDER BY read_at_epoch DESC LIMIT 5', project.id);
  const first = findRoot(db, project) ? await learnFirstCommit(db, project) : project.firstCommit;
  return [...new Set([...heads, readLastHead(db, project.id), first])].filter((hash) => hash !== null).filter(Boolean);
}

/** By the log that was read and by what was remembered, whichever is later; else the newest commit that is known. */
const readLastHead = (db: Database, projectId: number): string | null => {
  const sql = `SELECT hash FROM (
      SELECT * FROM (SELECT head AS hash, read_at_epoch AS at, 1 AS seen FROM git_logs WHERE project_id = ?1 ORDER BY at DESC LIMIT 1)
      UNION ALL SELECT * FROM (SELECT head, created_at_epoch AS at, 1 FROM observations
        WHERE project_id = ?1 AND head IS NOT NULL AND origin <> 'commit' ORDER BY at DESC LIMIT 1)
      UNION ALL SELECT * FROM (SELECT hash, author_at_epoch AS at, 0 FROM commits WHERE project_id = ?1 ORDER BY at DESC LIMIT 1))
    ORDER BY seen DESC, at DESC LIMIT 1`;
  return readValue(db, sql, projectId);
};

/** Goes by its place, though its remote is known from elsewhere. */
const IS_APART = `p.key <> p.remote AND substr(p.key, 1, length(p.remote) + 1) <> p.remote || '#'`;
const IS_HOLDER = `(holder.key = p.remote OR holder.id = (SELECT project_id FROM project_aliases a WHERE a.key = p.remote))`;

export const isApart = (db: Database, id: number): boolean => exists(db, `SELECT 1 FROM projects p WHERE p.id = ? AND ${IS_APART}`, id);

/** The project that has the remote of this one, and might be the same. Null mostly. */
export function findHolder(db: Database, key: string): { project: string; key: string } | null {
  const sql = `SELECT holder.name AS project, holder.key FROM projects p JOIN projects holder ON ${IS_HOLDER}
    WHERE p.key = ?1 AND p.key <> p.remote AND instr(p.key, '#') = 0 AND holder.id <> p.id
      AND NOT EXISTS (SELECT 1 FROM project_roots r WHERE r.project_id = holder.id AND r.root IN (p.key, p.root)
        AND r.how = 'separate')`;
  return readFirst<{ project: string; key: string }>(db, sql, key);
}

/** Those to look at: they may be known elsewhere by their remote, or nobody has looked how they began. */
const listUnsettled = (db: Database): number[] => {
  const sql = `SELECT p.id FROM projects p WHERE (first_commit IS NULL AND root <> '')
      OR (${IS_APART} AND EXISTS (SELECT 1 FROM projects holder WHERE ${IS_HOLDER} AND holder.id <> p.id))
    ORDER BY (SELECT max(s.updated_at_epoch) FROM sessions s WHERE s.project_id = p.id) DESC LIMIT ? + 0`;
  return readColumn(db, sql, MOST_UNSETTLED);
};

type SettlingDeps = {
  db: Database;
  log: Log;
  clock: () => number;
  /** Its memories are found in another project, or by another name; or what others published of it can be known as its own. */
  onSettled: () => void;
  /** How many times as long as usual a session waits. */
  patience: number;
};

/** Hooks come first, and a repository that was just made gets its first commit. */
const LOOK_MS = 300;
const NOW_MS = 250;
/** A few with each worker. */
const MOST_UNSETTLED = 80;

const NEWS = {
  joined: 'the history of a folder has proven that it is a known project',
  apart: 'a folder may be a known project, and nothing proves it; if it is, `claude-mem projects merge` makes it one',
};

export function createSettling({ db, log, clock, onSettled, patience }: SettlingDeps) {
  const seen = new Set<number>();
  const said = new Set<string>();
  const waiting = new Set(listUnsettled(db));
  let timer: Timer | null = null;
  let running: Promise<void> | null = null;
  let isClosed = false;

  const settleQuietly = async (projectId: number) => {
    try {
      const settled = await settleProject(db, projectId, clock);
      if (!settled) return;
      if (settled.kind !== 'apart') onSettled();
      if (settled.kind === 'begun' || said.has(JSON.stringify(settled))) return;
      const { kind, ...keys } = settled;
      said.add(JSON.stringify(settled));
      log.info(NEWS[kind], keys);
    } catch (error) {
      // The database is locked or full: the next session there comes back to it.
      log.error('a project could not be settled', { error: String(error) });
    }
  };

  const run = async () => {
    for (const projectId of waiting) {
      if (isClosed) return;
      waiting.delete(projectId);
      await settleQuietly(projectId);
    }
  };

  const schedule = () => {
    if (isClosed || timer || running) return;
    timer = setTimeout(() => {
      timer = null;
      running = run().finally(() => {
        running = null;
        if (waiting.size > 0) schedule();
      });
    }, LOOK_MS);
  };

  schedule();
  return {
    /** Something happened in a session: the first time its project is looked at, soon. */
    note({ id, projectId }: { id: number; projectId: number }) {
      if (seen.has(id)) return;
      seen.add(id);
      waiting.add(projectId);
      schedule();
    },
    /** At once, and not waited for any longer than a starting session can: it may be one that is remembered under another key. */
    settleNow: (projectId: number) => Promise.race([settleQuietly(projectId), Bun.sleep(NOW_MS * patience)]),
    /** A project was merged or separated, or some came in from elsewhere. */
    wake() {
      for (const projectId of listUnsettled(db)) waiting.add(projectId);
      schedule();
    },
    hasWork: () => running !== null || timer !== null,
    async close() {
      isClosed = true;
      if (timer) clearTimeout(timer);
      await running;
    },
  };
}

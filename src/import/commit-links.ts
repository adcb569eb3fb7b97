// Which commit a memory's change went into: the one that has its file with the very bytes that the memory saw.
import type { Database } from 'bun:sqlite';
import { z } from 'zod';
import type { ObservationType, Outcome } from '../core/observation.ts';
import { setOutcome } from '../memory/observations.ts';
import { addReplacement, dropReverted } from '../memory/replacements.ts';
import { exists, readAll, readFirst, readValue } from '../store/read.ts';

/** The hash of a known commit: by its own, or the beginning of it; by its subject the latest before a moment. Null: nobody knows it. */
export function findReverted(
  db: Database,
  projectId: number,
  named: { by: 'hash'; hash: string } | { by: 'subject'; subject: string; before: number },
): string | null {
  const beginsSo = "SELECT hash FROM commits WHERE project_id = ?1 AND hash >= ?2 AND hash < ?2 || 'g' LIMIT 1";
  if (named.by === 'hash') return readValue(db, beginsSo, projectId, named.hash);
  const latest = `SELECT c.hash FROM commits c JOIN observations o ON o.id = c.observation_id
    WHERE c.project_id = ? AND o.title = ? AND c.author_at_epoch <= ? ORDER BY c.author_at_epoch DESC LIMIT 1`;
  return readValue(db, latest, projectId, named.subject, named.before);
}

export function noteReverted(db: Database, commit: { projectId: number; hash: string; reverts: string }): void {
  db.query('UPDATE commits SET reverts = $reverts WHERE project_id = $projectId AND hash = $hash').run(commit);
}

/** A revert of a revert of a revert: longer chains are somebody's play. */
const LONGEST_CHAIN = 10;

/** Inside a transaction; again it changes nothing. What the reverted commit had reverted itself holds again, and so on. */
export function revert(db: Database, projectId: number, hash: string): void {
  let next: string | null = hash;
  for (let step = 0; next !== null && step < LONGEST_CHAIN; step++) {
    const by = step % 2 === 0 ? findReverting(db, projectId, next) : null;
    for (const memory of listMemories(db, projectId, next)) {
      settle(db, memory, step % 2 === 0);
      if (step % 2 === 1) dropReverted(db, memory.id);
      else if (by) replaceBy(db, memory.id, by);
    }
    next = revertedBy(db, projectId, next);
  }
}

type Reverting = { id: number; at: number };

const findReverting = (db: Database, projectId: number, hash: string): Reverting | null => {
  const sql = `SELECT c.observation_id AS id, c.author_at_epoch AS at FROM commits c
    WHERE c.project_id = ? AND c.reverts = ? AND c.observation_id IS NOT NULL ORDER BY c.author_at_epoch DESC LIMIT 1`;
  return readFirst<Reverting>(db, sql, projectId, hash);
};

const replaceBy = (db: Database, id: number, by: Reverting) =>
  addReplacement(db, {
    older: { kind: 'observation', id },
    newer: { kind: 'observation', id: by.id },
    ...{ isCertain: true, why: 'reverted', words: null, madeBy: 'rules', at: by.at },
  });

/** The memory of the commit says so. */
const isReverted = (db: Database, projectId: number, hash: string): boolean => {
  const sql = "SELECT 1 FROM observations WHERE project_id = ? AND commit_hash = ? AND origin = 'commit' AND outcome = 'ruled-out'";
  return exists(db, sql, projectId, hash);
};

type Row = { id: number; type: ObservationType; outcome: Outcome | null; origin: string };

/** The commit's own memory and those of the work that went into it; not what a person decided about. */
const listMemories = (db: Database, projectId: number, hash: string) => {
  const sql = `SELECT id, type, outcome, origin FROM observations
    WHERE project_id = ? AND commit_hash = ? AND edited_at IS NULL AND pinned = 0 AND kept = 0`;
  return readAll<Row>(db, sql, projectId, hash);
};

function settle(db: Database, { id, type, outcome, origin }: Row, isOut: boolean): void {
  if (isOut) setOutcome(db, id, 'ruled-out');
  else if (outcome === 'ruled-out') setOutcome(db, id, whenBack(origin, type));
}

/** How it stood before is not known any more: nobody has shown that it works. */
const whenBack = (origin: string, type: ObservationType): Outcome | null =>
  origin !== 'commit' && WORK.includes(type) ? 'unverified' : null;
const WORK: ObservationType[] = ['bugfix', 'feature', 'refactor', 'change'];

const revertedBy = (db: Database, projectId: number, hash: string): string | null =>
  readValue(db, 'SELECT reverts FROM commits WHERE project_id = ? AND hash = ?', projectId, hash);

/** What a commit left behind. */
export type CommitTrace = {
  hash: string;
  /** Null: not known, or a merge. */
  parent: string | null;
  /** Epoch ms, of the commit. */
  at: number;
  /** Git's hashes by path. */
  blobs: Map<string, string>;
};

/** Work is seldom left uncommitted for longer. */
const LONGEST_MS = 30 * 86_400_000;
/** By the files alone it is told for so long. */
const LONGEST_BY_FILES_MS = 7 * 86_400_000;
/** A memory is stored at the end of its turn, and the commit may have been made within it. */
const WITHIN_TURN_MS = 6 * 3_600_000;
const MOST = 2000;

/** Inside a transaction. Oldest first; the first commit that fits is the one. Returns how many memories know their commit now. */
export function linkMemories(db: Database, projectId: number, traces: CommitTrace[]): number {
  if (traces.length === 0) return 0;
  const times = traces.map(({ at }) => at);
  const since = Math.min(...times) - LONGEST_MS;
  const memories = listUnlinked(db, projectId, { since, until: Math.max(...times) + WITHIN_TURN_MS });
  let linked = 0;
  for (const trace of memories.length > 0 ? traces : [])
    for (const memory of memories) {
      if (memory.isLinked || !wentInto(memory, trace)) continue;
      memory.isLinked = true;
      linked++;
      db.query('UPDATE observations SET commit_hash = ? WHERE id = ?').run(trace.hash, memory.id);
      if (isReverted(db, projectId, trace.hash)) revert(db, projectId, trace.hash);
    }
  const hashes = traces.map(({ hash }) => hash);
  return linked + linkTurns(db, projectId, hashes);
}

/** What cites no file of its own went where the rest of its turn went, if that was one commit. What was found out holds anyway. */
function linkTurns(db: Database, projectId: number, hashes: string[]): number {
  const sql = `SELECT o.session_id AS session, o.prompt_number AS turn, min(o.commit_hash) AS hash FROM observations o
    JOIN (SELECT DISTINCT session_id, prompt_number FROM observations WHERE project_id = ?1 AND prompt_number > 0
        AND commit_hash IN (SELECT value FROM json_each(?2)) AND origin <> 'commit') AS worked
      ON worked.session_id = o.session_id AND worked.prompt_number = o.prompt_number
    WHERE o.project_id = ?1 AND o.commit_hash IS NOT NULL AND o.origin <> 'commit'
    GROUP BY o.session_id, o.prompt_number HAVING count(DISTINCT o.commit_hash) = 1`;
  const turns = readAll<{ session: number; turn: number; hash: string }>(db, sql, projectId, JSON.stringify(hashes));
  let linked = 0;
  for (const { session, turn, hash } of turns) {
    const { changes } = db
      .query(
        `UPDATE observations AS o SET commit_hash = $hash
         WHERE session_id = $session AND prompt_number = $turn AND project_id = $projectId AND commit_hash IS NULL
           AND origin <> 'commit' AND type <> 'discovery' AND hidden_at IS NULL
           AND NOT EXISTS (SELECT 1 FROM citations c WHERE c.observation_id = o.id AND c.did = 'changed')`,
      )
      .run({ session, turn, hash, projectId });
    linked += changes;
    if (changes > 0 && isReverted(db, projectId, hash)) revert(db, projectId, hash);
  }
  return linked;
}

type Unlinked = { id: number; at: number; head: string | null; blobs: Map<string, string | null>; isLinked: boolean };

function wentInto({ at, head, blobs }: Unlinked, trace: CommitTrace): boolean {
  const age = trace.at - at;
  if (age > LONGEST_MS || age < -WITHIN_TURN_MS) return false;
  if ([...blobs].some(([path, blob]) => blob && trace.blobs.get(path) === blob)) return true;
  const isAllIn = blobs.size > 0 && [...blobs.keys()].every((path) => trace.blobs.has(path));
  return isAllIn && age >= 0 && age <= LONGEST_BY_FILES_MS && head !== null && head === trace.parent;
}

/** The newest memories of sessions that changed something and know no commit. */
function listUnlinked(db: Database, projectId: number, { since, until }: { since: number; until: number }): Unlinked[] {
  const sql = `SELECT o.id, o.created_at_epoch AS at, o.head, json_group_array(json_array(c.path, c.blob)) AS blobs
    FROM (SELECT id, created_at_epoch, head FROM observations INDEXED BY observations_recent
        WHERE project_id = ?1 AND created_at_epoch BETWEEN ?2 AND ?3 AND commit_hash IS NULL AND origin <> 'commit'
          AND hidden_at IS NULL ORDER BY created_at_epoch DESC LIMIT ${MOST}) o
      JOIN citations c ON c.observation_id = o.id AND c.did = 'changed' GROUP BY o.id`;
  return readAll<{ id: number; at: number; head: string | null; blobs: string }>(db, sql, projectId, since, until).map(
    ({ blobs, ...row }) => ({ ...row, blobs: new Map(Blobs.parse(JSON.parse(blobs))), isLinked: false }),
  );
}

const Blobs = z.array(z.tuple([z.string(), z.string().nullable()]));

/** The latest commits since a moment, oldest first: for memories that were stored after theirs was read. */
export function listTraces(db: Database, projectId: number, since: number): CommitTrace[] {
  const sql = `SELECT k.hash, k.author_at_epoch AS at, json_group_array(json_array(c.path, c.blob)) AS blobs
    FROM (SELECT hash, author_at_epoch, observation_id FROM commits WHERE project_id = ?1 AND author_at_epoch >= ?2
        ORDER BY author_at_epoch DESC LIMIT ${LATEST}) k
      JOIN observations o ON o.id = k.observation_id AND o.commit_hash = k.hash
      JOIN citations c ON c.observation_id = o.id GROUP BY k.hash ORDER BY k.author_at_epoch`;
  return readAll<{ hash: string; at: number; blobs: string }>(db, sql, projectId, since).map(({ hash, at, blobs }) => ({
    hash,
    at,
    parent: null,
    blobs: new Map(readBlobs(blobs)),
  }));
}
const LATEST = 100;

const readBlobs = (json: string) =>
  Blobs.parse(JSON.parse(json)).flatMap(([path, blob]): [string, string][] => (blob === null ? [] : [[path, blob]]));

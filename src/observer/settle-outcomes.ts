// What a turn says about earlier work: borne out by a check or a commit, taken back, or red again. The words of an agent say nothing.
import type { Database } from 'bun:sqlite';
import type { Batch } from '../core/batch.ts';
import type { Outcome } from '../core/observation.ts';
import {
  hasCommitted,
  isChangedSince,
  listFixesOf,
  listOpenWork,
  type OpenWork,
  setOutcome,
} from '../store/memories/outcomes.ts';
import { type Attempt, findAttempt } from './local/given-up.ts';
import { newSteps, readTurn, type Turn } from './local/turn.ts';
import { findProof } from './outcome/borne-out.ts';
import { isUnexplained, listRedRuns, type RedRun } from './outcome/red-again.ts';
import { isRestored, isReverted, isUndone } from './outcome/taken-back.ts';
import { placeOf } from './outcome/work-place.ts';

/** What happened in a turn that may settle something: read before the transaction, for it takes a while. */
export type Verdicts = { turn: Turn; attempt: Attempt | null; red: RedRun[] };

/** Null for a turn in which nothing was run or edited. */
export function readVerdicts(batch: Batch): Verdicts | null {
  const isIdle = !batch.events.some(
    (event) => event.kind === 'tool' && (event.action.type === 'command' || event.action.type === 'edit'),
  );
  if (isIdle) return null;
  const turn = readTurn(batch);
  return { turn, attempt: findAttempt(turn), red: listRedRuns(turn) };
}

/** Where the turn took place; branch and head as they are now, where git tells. */
export type Scene = { projectId: number; sessionId: number; branch: string | null; head: string | null };

export type Settled = { id: number; outcome: Outcome };

/** Older work of other sessions is history. */
const RECENT_MS = 7 * 24 * 3600 * 1000;

/** Inside the transaction that stores the turn, before its own observations are in. */
export function settleOutcomes(db: Database, verdicts: Verdicts, scene: Scene): Settled[] {
  const { turn } = verdicts;
  const query = {
    projectId: scene.projectId,
    sessionId: scene.sessionId,
    since: turn.lastTime - RECENT_MS,
    paths: [...new Set(newSteps(turn).flatMap((step) => step.edits.map((edit) => edit.file)))].slice(0, 100),
  };
  const works = listOpenWork(db, query).filter((work) => isHere(work, scene));
  const fixes =
    verdicts.red.length > 0
      ? listFixesOf(
          db,
          query,
          verdicts.red.flatMap(({ marks }) => marks),
        )
      : [];
  const outcomes = new Map<number, Outcome>();
  for (const work of works) if (isBorneOut(db, verdicts, scene, work)) outcomes.set(work.id, 'passed');
  for (const fix of fixes)
    if (isHere(fix, scene) && isRedAgain(db, verdicts, scene, fix)) outcomes.set(fix.id, 'failed');
  for (const work of works) if (isTakenBack(db, verdicts, scene, work)) outcomes.set(work.id, 'ruled-out');
  return [...outcomes]
    .map(([id, outcome]) => ({ id, outcome }))
    .filter(({ id, outcome }) => setOutcome(db, id, outcome));
}

/** What was made on another branch is not in this work tree. */
const isHere = ({ sessionId, branch }: OpenWork, scene: Scene) =>
  sessionId === scene.sessionId || branch === null || scene.branch === null || branch === scene.branch;

/** Red work is proven only where it was made: elsewhere too much may have changed. */
function isBorneOut(db: Database, { turn }: Verdicts, scene: Scene, work: OpenWork): boolean {
  const isOwn = work.sessionId === scene.sessionId;
  if (work.outcome !== 'unverified' && !(work.outcome === 'failed' && isOwn)) return false;
  const proof = findProof(turn, { work, place: placeOf(turn, work, isOwn) });
  if (!proof || proof.time <= work.at) return false;
  return isOwn || !isChangedSince(db, scene.projectId, work);
}

function isRedAgain(db: Database, { turn, red }: Verdicts, scene: Scene, fix: OpenWork): boolean {
  const isOwn = fix.sessionId === scene.sessionId;
  const isSame = red.some((run) => run.step.time > fix.at && isUnexplained(turn, run, fix, isOwn));
  return isSame && !isChangedSince(db, scene.projectId, fix);
}

function isTakenBack(db: Database, { turn, attempt }: Verdicts, scene: Scene, work: OpenWork): boolean {
  if (work.at >= turn.lastTime) return false;
  if (isReverted(turn, work)) return true;
  if (work.sessionId === scene.sessionId) return isUndone(turn, attempt, work);
  return isRestored(turn, { work, head: scene.head }) && !hasCommitted(db, [work.sessionId, scene.sessionId], work.at);
}

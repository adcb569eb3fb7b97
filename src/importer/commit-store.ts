// Stores one commit as a memory: once, under the hash it has now, and not if somebody wanted it forgotten.
import type { Database } from 'bun:sqlite';
import { oneLine } from '../core/one-line.ts';
import type { LoggedCommit } from '../git/log.ts';
import { findReverted, noteReverted, revert } from '../memory/commit-reverts.ts';
import {
  type CommitRow,
  type Earlier,
  insertCommit,
  isKnownCommit,
  leaveOutCommit,
  listWrittenAt,
  moveCommit,
} from '../store/commits/commits.ts';
import { isSaidBefore } from '../store/forgetting/said-before.ts';
import { isForgottenObservation, type Owner } from '../store/memories/observations.ts';
import { type CommitMemory, draftCommit, type Reading } from './commit-draft.ts';
import { readReverted } from './commit-message.ts';
import { isRoutine } from './commit-routine.ts';

export type CommitPlace = Reading & {
  owner: Owner;
  /** What happened at such a time is not kept. */
  isSilent: (at: number) => boolean;
  /** False when the project was joined with another, or split, meanwhile: then this is not the place any more. */
  isStill: () => boolean;
  /** Commits that are known and do not lead to where the work tree stands now. */
  leftBehind: ReadonlySet<string>;
  /** When this is, epoch ms; 0 when the log is read for the first time, of which nothing is news. */
  readAt: number;
  /** The person made it here; null when that is not shown. */
  isOwn: (commit: LoggedCommit) => boolean | null;
};

/** Inside a transaction. True when a memory was added. */
export function storeCommit(db: Database, commit: LoggedCommit, place: CommitPlace): boolean {
  const { projectId } = place.owner;
  if (isKnownCommit(db, projectId, commit.hash)) return false;
  const row = {
    projectId,
    hash: commit.hash,
    authoredAt: commit.authoredAt,
    reverts: findItsReverted(db, commit, place),
    readAt: place.readAt,
    isOwn: place.isOwn(commit),
    isRoutine: isRoutine(commit),
  };
  const isSilent = place.isSilent(commit.committedAt);
  const memory = isSilent ? null : draftCommit(commit, place);
  const isAdded = memory !== null && store(db, row, memory, place);
  // Nobody hears of one that was made in a silence, not even how many there were.
  if (!isAdded) leaveOutCommit(db, { ...row, isRoutine: row.isRoutine && !isSilent });
  // Also one that says nothing itself reverts what it reverts.
  if (row.reverts) revert(db, projectId, row.reverts);
  return isAdded;
}

/** The newest were stored before those that they revert. Oldest first; inside a transaction. */
export function settleReverts(db: Database, commits: LoggedCommit[], place: CommitPlace): void {
  const { projectId } = place.owner;
  for (const commit of commits) {
    const reverts = findItsReverted(db, commit, place);
    if (reverts === null) continue;
    noteReverted(db, { projectId, hash: commit.hash, reverts });
    revert(db, projectId, reverts);
  }
}

function findItsReverted(db: Database, commit: LoggedCommit, { owner, clean }: CommitPlace): string | null {
  const named = readReverted(commit);
  if (!named) return null;
  if (named.by === 'hash') return findReverted(db, owner.projectId, named);
  const subject = oneLine(clean(named.subject));
  return findReverted(db, owner.projectId, { ...named, subject, before: commit.committedAt });
}

function store(db: Database, row: CommitRow, memory: CommitMemory, place: CommitPlace): boolean {
  const { draft } = memory;
  const from = listWrittenAt(db, row.projectId, row.authoredAt).find((earlier) => isSameCommit(earlier, memory, place));
  if (from) {
    moveCommit(db, row, { from, ...memory });
    return false;
  }
  const texts = draft.narrative === null ? [] : [draft.narrative];
  if (isForgottenObservation(db, draft) || isSaidBefore(db, { title: draft.title, texts })) return false;
  insertCommit(db, row, { owner: place.owner, ...memory });
  return true;
}

/** Amended or rebased: written at the same moment, with the same subject or for the same files, and not in the history any more. */
function isSameCommit({ hash, title, files }: Earlier, { draft }: CommitMemory, { leftBehind }: CommitPlace): boolean {
  if (!leftBehind.has(hash)) return false;
  return title === draft.title || (files !== '[]' && files === JSON.stringify(draft.filesModified));
}

// A commit as a memory: its subject, what it says of itself, and the files as it left them; once, under the hash it has
// now, and not if somebody wanted it forgotten.
import type { Database } from 'bun:sqlite';
import type { Citation, Evidence } from '../core/evidence.ts';
import { readsLikeInstructions } from '../core/instruction-like.ts';
import type { ObservationDraft } from '../core/observation.ts';
import { TRUST } from '../core/observation.ts';
import { oneLine, withoutSentences } from '../core/text.ts';
import type { LoggedCommit, Touch } from '../git/log.ts';
import { type CommitRow, type Earlier, insertCommit, isKnownCommit, leaveOutCommit, listWrittenAt, moveCommit } from '../memory/git-log.ts';
import { isForgottenObservation, type Owner } from '../memory/observations.ts';
import { isSaidBefore } from '../memory/said-before.ts';
import { findReverted, noteReverted, revert } from './commit-links.ts';
import { isOneWord, isPitfall, isRoutine, readReverted, typeOfCommit, withoutTrailers } from './commit-words.ts';

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

type CommitMemory = { draft: ObservationDraft; evidence: Evidence };

export type Reading = {
  /** Secrets scrubbed, private text stripped. */
  clean: (text: string) => string;
  /** Of such a file not even the name is kept. */
  isExcluded: (path: string) => boolean;
};

const TITLE_LENGTH = 300;
const BODY_LENGTH = 8000;
const SHORTEST_NAME = 4;

/** Null for one that has nothing to say: a merge or a single word without more, or a change of excluded files alone. */
function draftCommit(commit: LoggedCommit, { clean, isExcluded }: Reading): CommitMemory | null {
  // As a whole first: what is private may begin in the subject and end in the body.
  const [subject = '', ...others] = clean(`${commit.subject}\n\n${withoutTrailers(commit.body)}`).split('\n');
  const title = oneLine(subject, TITLE_LENGTH);
  const hidden = commit.touches.filter(({ path }) => isExcluded(path));
  // A name may hold a secret as well as a text.
  const named = commit.touches.filter((touch) => !hidden.includes(touch) && clean(touch.path) === touch.path);
  if (commit.touches.length > 0 && named.length === 0) return null;
  const isNamed = (text: string) => hidden.some(({ path }) => namesFile(text, path));
  if (isNamed(title)) return null;
  const whole = others.join('\n').trim().slice(0, BODY_LENGTH).toWellFormed();
  const body = hidden.length === 0 ? whole : (withoutSentences(whole, isNamed) ?? '');
  if (title === '' || (body === '' && (commit.parents.length > 1 || isOneWord(title)))) return null;
  const isMany = commit.touched > commit.touches.length;
  const touches = isMany ? [] : named;
  const draft: ObservationDraft = {
    type: typeOfCommit({ subject: title, body }),
    title,
    subtitle: null,
    narrative: body || null,
    facts: isMany ? [{ text: `Changed ${commit.touched} files.`, sources: [] }] : [],
    concepts: isPitfall({ subject: title, body }) ? ['gotcha'] : [],
    filesRead: [],
    filesModified: touches.map(({ path }) => path),
    outcome: null,
    origin: 'commit',
    sources: [],
    at: commit.authoredAt,
  };
  return { draft, evidence: judge(draft, commit.hash, touches) };
}

/** By its path or, where that tells it, by its name alone. */
function namesFile(text: string, path: string): boolean {
  const name = path.split('/').at(-1) ?? path;
  return text.includes(path) || (name.length >= SHORTEST_NAME && text.includes(name));
}

/** Anybody may have written it: what reads like instructions to an agent is put away. */
function judge({ title, narrative }: ObservationDraft, hash: string, touches: Touch[]): Evidence {
  return {
    head: hash,
    branch: null,
    citations: touches.map(cite),
    errorMarks: [],
    trust: TRUST.commit,
    isQuarantined: readsLikeInstructions([title, narrative].filter(Boolean).join('\n')),
  };
}

const cite = ({ path, from, to }: Touch): Citation => ({
  path,
  did: 'changed',
  blob: to,
  before: from,
  added: [],
  removed: [],
});

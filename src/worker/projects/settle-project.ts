// One look at where a project's repository lies now: one that moved or got another remote goes on as the project it was.
import type { Database } from 'bun:sqlite';
import { wholeKeyOf } from '../../core/project.ts';
import { readFirstCommit } from '../../git/first-commit.ts';
import { identifyProject } from '../../git/identity.ts';
import { holdsItsObjects, provesWork } from '../../git/proof.ts';
import { listKnownCommits } from '../../store/projects/last-head.ts';
import { joinProject, reuniteProjects } from '../../store/projects/merge-projects.ts';
import { isSeparate } from '../../store/projects/project-roots.ts';
import { asKnown, findProject, findProjectBy } from '../../store/projects/projects.ts';
import {
  listSameBeginning,
  listSessionRoots,
  readSettleable,
  type Settleable,
  setFirstCommit,
  setRoot,
} from '../../store/projects/settled-projects.ts';
import { type Split, splitProject } from '../../store/projects/split-project.ts';
import { findSplit, isSameWork } from './same-work.ts';

/** What was found out: two keys are of one project, one was of two, or it might be. Null mostly. What is not known leads to no conclusion. */
export type Settled = {
  kind: 'joined' | 'apart' | 'reunited' | 'split' | 'unsure';
  before: string;
  now: string;
} | null;

export async function settleProject(db: Database, projectId: number, clock: () => number): Promise<Settled> {
  const known = findWhole(db, projectId);
  const project = known && findRoot(db, known) ? readSettleable(db, known.id) : null;
  if (!project) return null;
  const apart = await joinHolder(db, project, clock);
  if (apart?.kind === 'joined') return apart;
  const split = await findSplit(db, project);
  // Git was asked meanwhile: it is settled only as it was seen.
  if (split) return isUnchanged(db, project) ? separate(db, split, clock()) : null;
  const fresh = await learnFirstCommit(db, project.id);
  const old = fresh && (await findOld(db, fresh));
  if (!old) return apart;
  const keys = { before: old.key, now: fresh.key };
  if (!(await isSameWork(db, old, fresh))) return { kind: 'unsure', ...keys };
  if (!isUnchanged(db, old) || !isUnchanged(db, fresh)) return null;
  reuniteProjects(db, { old, fresh }, clock());
  return { kind: 'reunited', ...keys };
}

/** It goes by its place, and its remote is known from elsewhere: its history tells whether it is the same. */
async function joinHolder(db: Database, fresh: Settleable, clock: () => number): Promise<Settled> {
  const here = identifyProject(fresh.root);
  const holder = here.remote === null ? null : findProject(db, here.remote);
  if (!holder || holder.id === fresh.id || isSeparate(db, holder.id, here)) return null;
  const keys = { before: fresh.key, now: holder.key };
  if (!holdsItsObjects(fresh.root)) return { kind: 'apart', ...keys };
  const known = readSettleable(db, holder.id);
  const into = known && findRoot(db, known) ? ((await learnFirstCommit(db, holder.id)) ?? known) : known;
  if (!into) return null;
  if (!(await provesWork(fresh.root, listKnownCommits(db, into.id)))) return { kind: 'apart', ...keys };
  if (!isUnchanged(db, into) || !isUnchanged(db, fresh) || identifyProject(fresh.root).bornAt !== here.bornAt)
    return null;
  joinProject(db, { fresh, into, here }, clock());
  findRoot(db, into);
  return { kind: 'joined', ...keys };
}

function separate(db: Database, split: Split, now: number): Settled {
  const { key } = splitProject(db, split, now);
  return { kind: 'split', before: readSettleable(db, split.old.id)?.key ?? '', now: key };
}

/** A part of a repository goes where the whole goes. */
function findWhole(db: Database, id: number): Settleable | null {
  const project = readSettleable(db, id);
  const wholeKey = project && wholeKeyOf(project);
  const whole = wholeKey ? findProject(db, wholeKey) : null;
  return whole ? readSettleable(db, whole.id) : project;
}

/** Where it is now, if its root was another clone, or it has moved. Null when it is nowhere to be seen. */
function findRoot(db: Database, { id, root: known }: Settleable): string | null {
  for (const root of [known, ...listSessionRoots(db, id)]) {
    const here = identifyProject(root);
    if (here.isPlain || here.root !== root || findProjectBy(db, here)?.id !== id) continue;
    if (root !== known) setRoot(db, id, here);
    return root;
  }
  return null;
}

async function learnFirstCommit(db: Database, id: number): Promise<Settleable | null> {
  const project = readSettleable(db, id);
  if (!project || project.firstCommit !== null) return project;
  const firstCommit = await readFirstCommit(project.root);
  if (firstCommit === null) return null;
  setFirstCommit(db, id, firstCommit);
  return readSettleable(db, id);
}

/** The project that this one was before: in the same place, or in one that it has left. Two that are both there are two. */
async function findOld(db: Database, fresh: Settleable): Promise<Settleable | null> {
  const left: Settleable[] = [];
  for (const other of listSameBeginning(db, fresh)) {
    if (other.root === fresh.root) return isOlder(db, other, fresh) ? other : null;
    if (other.remote === null && (await hasLeft(other))) left.push(other);
  }
  // Of several nobody knows which.
  return left.length === 1 ? (left[0] ?? null) : null;
}

/** In one place there is one repository: the project that it does not go by any more is the old one. */
const isOlder = (db: Database, other: Settleable, fresh: Settleable) => {
  const { key } = asKnown(db, identifyProject(fresh.root));
  return key === fresh.key && key !== other.key;
};

/** Its root may be a work tree that is gone, while the repository itself is still in the place that it is known by. */
async function hasLeft({ root, key, firstCommit }: Settleable): Promise<boolean> {
  for (const place of [root, key]) if (await isIn(place, firstCommit)) return false;
  return true;
}

/** Where git does not tell, it may be. */
async function isIn(place: string, firstCommit: string | null): Promise<boolean> {
  const there = place.startsWith('/') ? identifyProject(place) : null;
  if (!there || there.isPlain || there.root !== place) return false;
  const now = await readFirstCommit(place);
  return now === null || now === firstCommit;
}

function isUnchanged(db: Database, seen: Settleable): boolean {
  const now = readSettleable(db, seen.id);
  return now !== null && now.key === seen.key && now.root === seen.root;
}

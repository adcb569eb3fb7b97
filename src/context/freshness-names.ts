// Files that are not there under their names any more, followed to the names they have now.
import { look } from '../git/git-dir.ts';
import { listAncestors } from '../git/history.ts';
import { findStagedMoves, type Moves } from '../git/moves.ts';
import type { MsLeft, Repository, RepositoryQuery, RepositoryReader } from './freshness-repository.ts';

export type Following = {
  reader: RepositoryReader;
  question: Omit<RepositoryQuery, 'paths'>;
  msLeft: MsLeft;
};

/** By the name that was asked for: all it had since, the one it has now last. */
export type Names = ReadonlyMap<string, string[]>;

/** Renamed more often than that since, a file counts as gone. */
const MOST_RENAMES = 4;

export async function followNames({ reader, question, msLeft }: Following, paths: string[]): Promise<Names> {
  const { root } = question;
  const names = new Map(paths.map((path) => [path, [path]]));
  let repository = await reader.read({ ...question, paths }, msLeft);
  let staged: Moves | null = null;
  for (let round = 0; round < MOST_RENAMES; round++) {
    const lost = [...names.values()].filter((had) => isLost(root, had));
    if (lost.length === 0) break;
    const removals = listRemovals(repository, question.head);
    const commits = lost.flatMap((had) => removals.get(lastOf(had)) ?? []);
    await reader.readMoves(root, repository, [...new Set(commits)], msLeft);
    staged ??= await readStaged(lost, repository, { root, msLeft });
    const moved = lost.filter((had) => addNextName(had, { repository, removals, staged: staged ?? new Map() }));
    const further = moved.filter((had) => isLost(root, had));
    if (further.length === 0) break;
    repository = await reader.read({ ...question, paths: further.map(lastOf) }, msLeft);
  }
  return names;
}

const lastOf = (had: string[]) => had.at(-1) ?? '';
const isLost = (root: string, had: string[]) => !look(`${root}/${lastOf(had)}`);

/** The latest commit that took each file away, among those that led to where the work tree stands. */
function listRemovals({ commits }: Repository, head: string | null): Map<string, string> {
  const here = listAncestors(commits, head ?? commits.keys().next().value ?? '');
  const removals = new Map<string, string>();
  for (const { hash, touches } of commits.values())
    for (const { path, to } of touches)
      if (to === '' && here.has(hash) && !removals.has(path)) removals.set(path, hash);
  return removals;
}

/** Only a file that HEAD still has can have been moved in the index alone. */
async function readStaged(
  lost: string[][],
  { blobs }: Repository,
  { root, msLeft }: { root: string; msLeft: MsLeft },
): Promise<Moves | null> {
  const isPossible = lost.some((had) => blobs.get(lastOf(had)));
  return isPossible ? findStagedMoves({ root, deadlineMs: msLeft() }) : null;
}

type Known = { repository: Repository; removals: ReadonlyMap<string, string>; staged: Moves };

function addNextName(had: string[], { repository, removals, staged }: Known): boolean {
  const name = lastOf(had);
  const commit = repository.blobs.get(name) ? undefined : removals.get(name);
  const next = commit === undefined ? staged.get(name) : repository.moves.get(commit)?.get(name);
  if (next === undefined || had.includes(next)) return false;
  had.push(next);
  return true;
}

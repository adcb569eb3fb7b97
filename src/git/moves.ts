// Under which name a file went on: in a commit that took its old one away, or in the index.
import { askGit, PLAIN_LOG } from './ask-git.ts';

/** New names by old ones. */
export type Moves = Map<string, string>;

/** So many files of one commit are compared with each other; those with the same bytes are always found. */
const MOST_COMPARED = '-l400';
const NAMES = ['-M', MOST_COMPARED, '--diff-filter=R', '--name-status', '-z'];

type Question = { root: string; deadlineMs: number };

/** By commit. One that is missing was not answered for. */
export async function findMoves({ root, deadlineMs }: Question, commits: string[]): Promise<Map<string, Moves>> {
  if (commits.length === 0) return new Map();
  const args = ['log', '--no-walk=unsorted', ...NAMES, '--format=%H', ...PLAIN_LOG, ...commits, '--'];
  const { text, isWhole } = await askGit({ root, args, deadlineMs });
  // Git is silent about a commit that moved nothing.
  const found = new Map<string, Moves>(isWhole ? commits.map((commit) => [commit, new Map()]) : []);
  let moves: Moves = new Map();
  const parts = text.split('\0');
  for (let at = 0; at < parts.length; ) {
    const part = parts[at]?.trim() ?? '';
    if (commits.includes(part)) {
      moves = new Map();
      found.set(part, moves);
    }
    at += noteMove(moves, parts, at);
  }
  return found;
}

/** What was moved in the index and not committed yet. */
export async function findStagedMoves({ root, deadlineMs }: Question): Promise<Moves> {
  const args = ['diff-index', '--cached', ...NAMES, '--no-ext-diff', '--no-textconv', 'HEAD', '--'];
  const { text } = await askGit({ root, args, deadlineMs });
  const moves: Moves = new Map();
  const parts = text.split('\0');
  for (let at = 0; at < parts.length; ) at += noteMove(moves, parts, at);
  return moves;
}

/** `R100 NUL before NUL after`; says how many parts were read. */
function noteMove(moves: Moves, parts: string[], at: number): number {
  const [mark = '', before, after] = parts.slice(at, at + 3);
  if (!/^\n?R\d{0,3}$/.test(mark) || !before || !after) return 1;
  moves.set(before, after);
  return 3;
}

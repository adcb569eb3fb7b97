// Whose files git trusts: what another user has put somewhere is not followed.
import { readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { readRegular } from '../regular-file.ts';
import { parseGitConfig } from './git-config.ts';

/** The user's own, those of root, and with root's rights those of whoever logged in. */
export function isTrustedOwner(uid: number): boolean {
  const self = process.geteuid?.();
  return self === undefined || uid === self || uid === 0 || (self === 0 && uid === loginUid());
}

/** Who logged in before becoming root, by the kernel's word and not the environment's, which a repository can set. Null: not known. */
function loginUid(): number | null {
  try {
    return Number(readFileSync('/proc/self/loginuid', 'utf8'));
  } catch {
    // Not on this system.
    return null;
  }
}

/** The user has said so in their own settings of git, where a repository has no say. */
export function namesSafe(workTree: string): boolean {
  let isSafe = false;
  for (const path of ['/etc/gitconfig', `${homeOf()}/.config/git/config`, `${homeOf()}/.gitconfig`])
    for (const said of listSafe(path)) {
      // An empty one takes back all that came before.
      if (said === '') isSafe = false;
      else if (said === '*' || said === workTree || isBelow(workTree, said)) isSafe = true;
    }
  return isSafe;
}

const isBelow = (workTree: string, said: string) => said.endsWith('/*') && workTree.startsWith(said.slice(0, -1));

/** By the system's list of users: HOME is the environment's word. */
const homeOf = () => userInfo().homedir;

function listSafe(path: string): readonly string[] {
  try {
    return parseGitConfig(readRegular(path).toString('utf8'))?.get('safe.directory') ?? [];
  } catch {
    // There is none.
    return [];
  }
}

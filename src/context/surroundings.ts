// Where a session stands: its work tree, its branch, the files that are being worked on, and what its agent is told anyway.
import { join } from 'node:path';
import { splitSentences } from '../core/text.ts';
import { look } from '../git/git-dir.ts';
import { readBranch } from '../git/identity.ts';
import type { TouchedFiles } from '../git/touched.ts';
import type { Observation } from '../memory/observations.ts';
import { readPiece } from '../regular-file.ts';
import { stemsOf } from '../search/alike.ts';

export type Surroundings = {
  /** The work tree. */
  root: string;
  branch: string | null;
  /** Paths that git shows as changed, and those of the last commits; relative to the root. */
  dirty: ReadonlySet<string>;
  recent: ReadonlySet<string>;
  /** What CLAUDE.md, AGENTS.md or the agent's own memory says already. */
  isSaid: (text: string) => boolean;
  /** A path, absolute or relative to the root, of which nothing is told. */
  isExcluded: (path: string) => boolean;
  /** The same only while all of this is; null where that cannot be said. */
  stamp: string | null;
};

/** Of a project whose folder is not known. */
export const NOWHERE: Surroundings = {
  root: '',
  branch: null,
  dirty: new Set(),
  recent: new Set(),
  isSaid: () => false,
  isExcluded: () => false,
  stamp: null,
};

/** Whether it read or changed one of these files. */
export const isAboutAny = (
  { filesModified, filesRead }: Pick<Observation, 'filesModified' | 'filesRead'>,
  isMeant: (path: string) => boolean,
) => [...filesModified, ...filesRead].some(isMeant);

type Around = {
  home: string | null;
  isExcluded: Surroundings['isExcluded'];
  /** Some paths are: which ones that are, the links on the disk may change. */
  hasExcluded: boolean;
  touched: TouchedFiles;
  /** As `TouchedFiles` have it. */
  isAhead?: boolean;
};

export async function readSurroundings(root: string, { home, isExcluded, hasExcluded, isAhead = false, ...around }: Around) {
  const touched = around.touched.read(root, { isAhead });
  // While git is at work.
  const files = listInstructions(root, home);
  const said = files.map(stampFile);
  let known: Surroundings['isSaid'] | null = null;
  const isSaid: Surroundings['isSaid'] = (text) => {
    known ??= readAlreadySaid(files);
    return known(text);
  };
  const { dirty, recent } = await touched;
  const branch = readBranch(root);
  const stamp = hasExcluded ? null : JSON.stringify([root, branch, dirty, recent, said]);
  return { root, branch, dirty: new Set(dirty), recent: new Set(recent), isSaid, isExcluded, stamp } satisfies Surroundings;
}

const stampFile = (path: string): string => {
  const stat = look(path);
  return stat ? `${stat.mtimeMs} ${stat.ctimeMs} ${stat.size} ${stat.ino}` : '';
};

const IN_PROJECT = ['CLAUDE.md', 'CLAUDE.local.md', '.claude/CLAUDE.md', 'AGENTS.md'];
/** More than any agent reads of such a file. */
const MOST_BYTES = 64 * 1024;
/** So much of a memory counts: who says its beginning says it. */
const MOST_COMPARED = 400;
const LEAST_WORDS = 2;
const SHARE = 0.85;

/** The project's own, the person's, and what the agent notes by itself. */
function listInstructions(root: string, home: string | null): string[] {
  const inHome = ['.claude/CLAUDE.md', join('.claude/projects', root.replace(/[^A-Za-z0-9]/g, '-'), 'memory/MEMORY.md')];
  return [...IN_PROJECT.map((name) => join(root, name)), ...(home ? inHome.map((name) => join(home, name)) : [])];
}

/** To say it again would only cost. */
function readAlreadySaid(files: string[]): (text: string) => boolean {
  const byStem = new Map<string, Claim[]>();
  const passages = new Set(files.flatMap((file) => splitPassages(readStart(file))));
  for (const claim of [...passages].map(readClaim))
    for (const stem of claim.stems) {
      const claims = byStem.get(stem);
      if (claims) claims.push(claim);
      else byStem.set(stem, [claim]);
    }
  if (byStem.size === 0) return () => false;
  return (text) => {
    const { stems, turns } = readClaim(text.slice(0, MOST_COMPARED));
    if (stems.size < LEAST_WORDS) return false;
    const hits = new Map<Claim, number>();
    for (const stem of stems) for (const claim of byStem.get(stem) ?? []) hits.set(claim, (hits.get(claim) ?? 0) + 1);
    return [...hits].some(([claim, count]) => count / stems.size >= SHARE && claim.turns === turns);
  };
}

/** What a text claims: its words, and what turns them into another claim. */
type Claim = { stems: Set<string>; turns: string };

/** "Never use tabs" is not said by "Always use tabs", nor "7 attempts" by "9 attempts". */
const TURNS = /\d+(?:[.,]\d+)*|\b(?:never|not|no|always|only|without|except|unless|before|after)\b|n['’]t\b/gi;

const readClaim = (text: string): Claim => ({
  stems: stemsOf(text),
  turns: [...new Set(text.match(TURNS)?.map((turn) => turn.toLowerCase()))].sort().join(' '),
});

/** Each line, and each paragraph: a rule may stand in one line or be explained over several. */
function splitPassages(text: string): string[] {
  const paragraphs = text.split(/\n\s*\n/);
  return [...paragraphs.flatMap((paragraph) => paragraph.split('\n')), ...paragraphs]
    .flatMap((passage) => [passage.trim(), ...splitSentences(passage)])
    .filter((passage) => /[\p{L}\p{N}]/u.test(passage));
}

function readStart(path: string): string {
  try {
    return readPiece(path, MOST_BYTES).toString('utf8');
  } catch {
    // There is none, or nobody may read it: then the agent is not told it either.
    return '';
  }
}

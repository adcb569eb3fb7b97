// What an agent is told anyway: its project's own instructions and its own memory. To say it again would only cost.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { splitSentences } from '../core/sentences.ts';
import { readPiece } from '../regular-file.ts';
import { stemsOf } from '../search/alike.ts';

const IN_PROJECT = ['CLAUDE.md', 'CLAUDE.local.md', '.claude/CLAUDE.md', 'AGENTS.md'];
const IN_HOME = ['.claude/CLAUDE.md'];
/** More than any agent reads of such a file. */
const MOST_BYTES = 64 * 1024;
/** So much of a memory counts: who says its beginning says it. */
const MOST_COMPARED = 400;

export function readAlreadySaid(root: string, home: string | null): (text: string) => boolean {
  const files = [
    ...IN_PROJECT.map((name) => join(root, name)),
    ...(home ? [...IN_HOME.map((name) => join(home, name)), ownMemory(root, home)] : []),
  ];
  const said = files.flatMap((file) => readIndexed(file) ?? []);
  if (said.length === 0) return () => false;
  return (text) => {
    const claim = readClaim(text.slice(0, MOST_COMPARED));
    return claim.stems.size >= LEAST_WORDS && said.some((isIn) => isIn(claim));
  };
}

/** Where Claude Code keeps what its agent notes by itself. */
const ownMemory = (root: string, home: string) =>
  join(home, '.claude/projects', root.replace(/[^A-Za-z0-9]/g, '-'), 'memory/MEMORY.md');

/** What a text claims: its words, and what turns them into another claim. */
type Claim = { stems: Set<string>; turns: string };
type IsIn = (claim: Claim) => boolean;

const LEAST_WORDS = 2;
const SHARE = 0.85;
/** "Never use tabs" is not said by "Always use tabs", nor "7 attempts" by "9 attempts". */
const TURNS = /\d+(?:[.,]\d+)*|\b(?:never|not|no|always|only|without|except|unless|before|after)\b|n['’]t\b/gi;

const readClaim = (text: string): Claim => ({
  stems: stemsOf(text),
  turns: [...new Set(text.match(TURNS)?.map((turn) => turn.toLowerCase()))].sort().join(' '),
});

function indexPassages(passages: string[]): IsIn {
  const claims = passages.map(readClaim);
  const byStem = new Map<string, Claim[]>();
  for (const claim of claims) for (const stem of claim.stems) byStem.set(stem, [...(byStem.get(stem) ?? []), claim]);
  return ({ stems, turns }) => {
    const hits = new Map<Claim, number>();
    for (const stem of stems) for (const claim of byStem.get(stem) ?? []) hits.set(claim, (hits.get(claim) ?? 0) + 1);
    return [...hits].some(([claim, count]) => count / stems.size >= SHARE && claim.turns === turns);
  };
}

const known = new Map<string, { stamp: string; isIn: IsIn }>();
const MOST_KNOWN = 50;

/** Read again only when it has changed. */
function readIndexed(path: string): IsIn | null {
  const stat = look(path);
  if (!stat) return null;
  const stamp = `${stat.ino}:${stat.mtimeMs}:${stat.size}`;
  const before = known.get(path);
  if (before?.stamp === stamp) return before.isIn;
  const isIn = indexPassages(splitPassages(readStart(path)));
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(path, { stamp, isIn });
  return isIn;
}

/** Each line, and each paragraph: a rule may stand in one line or be explained over several. */
function splitPassages(text: string): string[] {
  const paragraphs = text.split(/\n\s*\n/);
  return [...paragraphs.flatMap((paragraph) => paragraph.split('\n')), ...paragraphs]
    .flatMap((passage) => [passage, ...splitSentences(passage)])
    .filter((passage) => /[\p{L}\p{N}]/u.test(passage));
}

function look(path: string) {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    return stat?.isFile() ? stat : null;
  } catch {
    // Not allowed to look: then the agent is not told it either.
    return null;
  }
}

function readStart(path: string): string {
  try {
    return readPiece(path, MOST_BYTES).toString('utf8');
  } catch {
    // It went away, or nobody may read it: it says nothing.
    return '';
  }
}

// What an agent is told anyway: its project's own instructions and its own memory. To say it again would only cost.
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type IsTaken, indexDeeds } from '../search/alike.ts';

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
  return (text) => said.some((isIn) => isIn(text.slice(0, MOST_COMPARED), () => true));
}

/** Where Claude Code keeps what its agent notes by itself. */
const ownMemory = (root: string, home: string) =>
  join(home, '.claude/projects', root.replace(/[^A-Za-z0-9]/g, '-'), 'memory/MEMORY.md');

type Passage = { text: string };
const known = new Map<string, { stamp: string; isIn: IsTaken<Passage> }>();
const MOST_KNOWN = 50;

/** Read again only when it has changed. */
function readIndexed(path: string): IsTaken<Passage> | null {
  const stat = look(path);
  if (!stat) return null;
  const stamp = `${stat.ino}:${stat.mtimeMs}:${stat.size}`;
  const before = known.get(path);
  if (before?.stamp === stamp) return before.isIn;
  const isIn = indexDeeds(splitPassages(readStart(path)));
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(path, { stamp, isIn });
  return isIn;
}

/** Each line, and each paragraph: a rule may stand in one line or be explained over several. */
function splitPassages(text: string): Passage[] {
  const paragraphs = text.split(/\n\s*\n/);
  return [...paragraphs.flatMap((paragraph) => paragraph.split('\n')), ...paragraphs]
    .filter((passage) => /[\p{L}\p{N}]/u.test(passage))
    .map((passage) => ({ text: passage }));
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
    return readFileSync(path, 'utf8').slice(0, MOST_BYTES);
  } catch {
    // It went away, or nobody may read it: it says nothing.
    return '';
  }
}

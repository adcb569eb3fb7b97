// What is said of a memory of several files, from what is known of each.
import type { Freshness } from '../core/freshness.ts';
import type { Case, Verdict } from './freshness-case.ts';

export type Judged = { of: Case; verdict: Verdict };

export function sumUp(judged: Judged[]): Freshness {
  // What it only read matters when it changed nothing.
  const changes = judged.filter(({ of }) => of.cited.did === 'changed');
  const counted = changes.length > 0 ? changes : judged;
  const word = chooseWord(counted.map(({ verdict }) => verdict.word));
  const commits = new Set(counted.flatMap(({ verdict }) => verdict.commits)).size;
  const isThere = word === 'fresh' || word === 'changed';
  return {
    word,
    commits: word === 'changed' && commits > 0 ? commits : null,
    renamed: isThere ? counted.flatMap(listRename) : [],
  };
}

function chooseWord(words: Verdict['word'][]): Freshness['word'] {
  const [first] = words;
  if (first === undefined) return 'uncited';
  if (words.every((word) => word === first)) return first;
  const known = words.filter((word) => word !== 'unverified');
  if (known.every((word) => word === 'fresh')) return 'unverified';
  if (known.every((word) => word === known[0])) return known[0] ?? 'unverified';
  // A part of it is not here, and nothing of it is as it was.
  return known.includes('elsewhere') && !known.includes('fresh') ? 'elsewhere' : 'changed';
}

const listRename = ({ of }: Judged) => (of.path === of.cited.path ? [] : [{ from: of.cited.path, to: of.path }]);

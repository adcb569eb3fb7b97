// What a project is known by.
import { createPathMatcher } from './path-match.ts';

export type ProjectIdentity = {
  /** The normalised remote, else the canonical root. What a folder says of itself: see `asKnown` in store/projects/projects.ts. */
  key: string;
  /** The folder's name, for people. Two projects may have the same. */
  name: string;
  /** The work tree's, of a part of it, too: paths begin there. */
  root: string;
  /** Where the repository itself lies, if this is another work tree of it. */
  mainRoot?: string;
  remote: string | null;
  /** Of a repository with a remote: when its folder was made, epoch ms; 0 when the disk does not say. */
  bornAt?: number;
  /** The folder of the repository that is a project of its own: `packages/a`. */
  part?: string;
  /** There is no repository, or none any more. */
  isPlain?: true;
};

/** The folder of a work tree that one of the patterns names and that this one is, or lies in; of several the innermost. */
export function findPart(folder: string, root: string, patterns: readonly string[]): string | null {
  const folders = foldersUpTo(folder, root);
  const parts = patterns.flatMap((pattern) => {
    const isNamed = createPathMatcher([`./${pattern.replace(/^(\.?\/)+/, '')}`], '');
    return folders.find((one) => isNamed(`${root}/${one}`, root)) ?? [];
  });
  return parts.sort((one, other) => other.length - one.length)[0] ?? null;
}

/** `packages`, `packages/a`, `packages/a/src`: all on the way from the root to a folder in it. */
export function foldersUpTo(folder: string, root: string): string[] {
  if (!folder.startsWith(`${root}/`)) return [];
  const names = folder.slice(root.length + 1).split('/');
  return names.map((_, at) => names.slice(0, at + 1).join('/'));
}

export const asPart = (whole: ProjectIdentity, part: string): ProjectIdentity => ({
  ...whole,
  key: partKey(whole.key, part),
  name: `${whole.name}/${part}`,
  part,
});

export const partKey = (wholeKey: string, part: string) => `${wholeKey}#${part}`;

/** The key of the repository that this is a part of; null for one that is whole. A root may have a # in it, too. */
export function wholeKeyOf({ key, root }: { key: string; root: string }): string | null {
  if (key === root) return null;
  if (key.startsWith(`${root}#`)) return root;
  const at = key.indexOf('#');
  return at > 0 ? key.slice(0, at) : null;
}

/** `GET /api/projects`: the latest used first. */
export type ProjectRow = {
  /** Tells apart projects of the same name. */
  key: string;
  project: string;
  root: string;
  sessions: number;
  observations: number;
  updatedAt: number | null;
  /** Other keys that it goes by. */
  aliases: string[];
  /** Its root is not there any more. */
  isGone: boolean;
  /** A project with the same remote, which nothing has proven to be the same. */
  maybe: { project: string; key: string } | null;
};
export type ProjectsAnswer = { items: ProjectRow[]; total: number; limit: number; offset: number };

/** `POST /api/projects/merge` with `{"from", "into"}`, each a name, a key or a folder. */
export type MergeAnswer = { from: string; project: string; key: string; moved: Moved };
export type Moved = { sessions: number; observations: number; summaries: number };

/** `POST /api/projects/separate` with `{"folder"}`. */
export type SeparateAnswer = { from: string; project: string; key: string; moved: Moved };

/** `PATCH /api/projects` with `{"project", "name"}`. */
export type RenameAnswer = { project: string; key: string; before: string };

// Whether what a memory says about the code is still so, in one word.

/**
 * fresh: the files are as they were, or at least the lines it is about. changed: they are not. gone: the files are not there any
 * more. reverted: the change it tells of was taken back. elsewhere: it was made on another branch and is not part of this one.
 * unverified: nobody knows how the files were. uncited: it is about no file of the project.
 */
export type FreshnessWord = 'fresh' | 'changed' | 'gone' | 'reverted' | 'elsewhere' | 'unverified' | 'uncited';

export type Freshness = {
  word: FreshnessWord;
  /** For `changed`: by how many commits, where git tells. */
  commits: number | null;
  /** For `fresh` and `changed`: the names its files have now, where they were renamed. */
  renamed: { from: string; to: string }[];
};

/** `fresh`, `changed:3`, `gone`. */
export const formatFreshness = ({ word, commits }: Pick<Freshness, 'word' | 'commits'>) =>
  word === 'changed' && commits ? `changed:${commits}` : word;

/** What the code does not bear out any more. Told only where nothing newer is known. */
export const isOutdated = ({ word }: Pick<Freshness, 'word'>) => word === 'gone' || word === 'reverted';

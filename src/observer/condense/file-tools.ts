// Edits, reads and searches.
import { relativePath } from '../../core/project-path.ts';
import { condenseChange } from './change.ts';
import { listNames } from './rank-code.ts';
import type { Of, Told, Where } from './told.ts';
import { condenseWords, oneLine } from './words.ts';

export function tellEdit({ file, hunks, created }: Of<'edit'>, where: Where): Told {
  const count = (sign: string) =>
    hunks.reduce((sum, { lines }) => sum + lines.filter((line) => line.startsWith(sign)).length, 0);
  const path = oneLine(relativePath(file, where.root, where.cwd), 300);
  const changes = `+${count('+')} -${count('-')} lines${hunks.length > 1 ? ` in ${hunks.length} places` : ''}`;
  return {
    headline: created ? `created ${path} (${count('+')} lines)` : `edited ${path} (${changes})`,
    body: (maxChars) => condenseChange(hunks, created, maxChars),
  };
}

/** That it was read matters, and what it declares; what stands in it can be read again. */
export function tellRead({ file, content }: Of<'read'>, where: Where): Told {
  const count = content === '' ? '' : ` (${content.replace(/\n$/, '').split('\n').length} lines)`;
  return {
    headline: `read ${oneLine(relativePath(file, where.root, where.cwd), 300)}${count}`,
    body: (maxChars) => {
      const names = content.length > 400 ? listNames(content) : [];
      if (names.length < 2) return condenseWords(content, Math.min(maxChars, 400), 1);
      return oneLine(`holds: ${names.join(', ')}`, maxChars);
    },
  };
}

export function tellSearch({ query, path, files, matches }: Of<'search'>, where: Where): Told {
  const place = path && path !== where.root ? ` in ${relativePath(path, where.root, where.cwd)}` : '';
  const shown = files.slice(0, 100).map((file) => relativePath(file, where.root, where.cwd));
  const found = matches === null && files.length === 0 ? '' : `: ${matches ?? files.length} found`;
  return {
    headline: oneLine(`searched ${JSON.stringify(query)}${place}${found}`, 400),
    body: (maxChars) => oneLine(shown.join(', '), maxChars),
  };
}

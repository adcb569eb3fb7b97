// Whether a turn takes an earlier piece of work back: by git, or by the inverse edit.
import type { OpenWork } from '../../store/memories/outcomes.ts';
import { isNamed } from '../local/commands/named-path.ts';
import type { Attempt } from '../local/given-up.ts';
import { editKey } from '../local/given-up.ts';
import { isRevertOf, readReverted } from '../local/reverts.ts';
import { type Edit, newSteps, type Turn } from '../local/turn.ts';
import { mainFiles } from './work-place.ts';

/** Of this session: its own edits are known, and all of them were undone now and not made again. */
export function isUndone(turn: Turn, attempt: Attempt | null, work: OpenWork): boolean {
  if (!attempt || attempt.how === 'git stash') return false;
  const files = mainFiles(work.files);
  const own = turn.steps
    .filter((step) => step.old && work.sources.includes(step.id))
    .flatMap((step) => step.edits.filter((edit) => files.includes(edit.file)));
  const undone = new Set(attempt.undone.map(editKey));
  const after = Math.max(...attempt.by.map((step) => step.index));
  return own.length > 0 && own.every((edit) => undone.has(editKey(edit)) && !isMadeAgain(turn, edit, after));
}

/** Moved to another file, or put back after a look at how it fails without it. */
function isMadeAgain(turn: Turn, edit: Edit, after: number): boolean {
  const wanted = addedBy(edit);
  if (wanted.length === 0) return false;
  return newSteps(turn)
    .flatMap((step) => step.edits)
    .filter((other) => other.index >= after || other.file !== edit.file)
    .some((other) => {
      const lines = new Set(addedBy(other));
      return wanted.every((line) => lines.has(line));
    });
}

const LINES_READ = 400;

const addedBy = ({ hunks }: Edit) =>
  hunks
    .flatMap((hunk) => hunk.lines)
    .slice(0, LINES_READ)
    .filter((line) => line.startsWith('+') && line.slice(1).trim() !== '')
    .map((line) => line.slice(1).trim());

/** The commits that hold it were reverted, by their hash or their subject. */
export function isReverted(turn: Turn, { facts }: OpenWork): boolean {
  const commits = facts.flatMap((text) => {
    const [, hash = null, subject = ''] = /^Commit (?:([0-9a-f]{7,40}): )?(.{3,})$/.exec(text) ?? [];
    return subject ? [{ hash, subject: subject.replace(/\.$/, '') }] : [];
  });
  const reverted = newSteps(turn).flatMap(readReverted);
  return commits.length > 0 && commits.every((commit) => isRevertOf(reverted, commit));
}

/** Its files, not committed as far as anybody knows, were put back as the last commit has them. */
export function isRestored(turn: Turn, { work, head }: { work: OpenWork; head: string | null }): boolean {
  if (work.facts.some((text) => text.startsWith('Commit '))) return false;
  // Another commit since then may hold it. Where git never told, only what is named counts.
  if (work.head !== head) return false;
  return newSteps(turn).some((step) =>
    step.git.some((deed) => {
      if (deed.kind !== 'undo' || !/^git (?:checkout|restore|reset --hard)/.test(deed.how)) return false;
      if (deed.files.length === 0) return head !== null;
      return mainFiles(work.files).every((file) => isNamed(file, deed.files));
    }),
  );
}

// Faults that pass: of the disk, the database or the system, never of what was to be stored. What fails so is tried again, however often.

/** SQLite's own names: full, locked, unreadable, read-only or damaged. None of them says anything about the row. */
const STORE = /^SQLITE_(?:FULL|BUSY|LOCKED|IOERR|READONLY|CANTOPEN|CORRUPT|NOTADB|NOMEM|PROTOCOL|INTERRUPT|PERM|AUTH)/;
const SYSTEM = new Set('ENOSPC EDQUOT EIO EROFS EACCES EPERM EMFILE ENFILE ENOMEM EBUSY EAGAIN ESTALE ETIMEDOUT'.split(' '));
const FULL = /^(?:SQLITE_FULL|ENOSPC|EDQUOT)/;

export const isPassing = (error: unknown): boolean => STORE.test(codeOf(error)) || SYSTEM.has(codeOf(error));

/** There is no room: waiting does not help, somebody has to delete something. */
export const isFull = (error: unknown): boolean => FULL.test(codeOf(error));

/** `SQLITE_BUSY`, `ENOSPC`; '' when it has none. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

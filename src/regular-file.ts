// Reads files whose names others choose, a repository or a payload: regular ones only, bounded, and never waiting for
// whoever holds the other end of a pipe.

/** On need: it would cost a hook that reads nothing a quarter of its time. */
const fs = () => process.getBuiltinModule('node:fs');

/** For files that say something about others: settings, names, references. */
export const SMALL_FILE = 1024 * 1024;

/** The descriptor of a regular file. Throws what opening it throws; for a pipe, a device, a socket or a folder an error of code EINVAL. */
export const openRegular = (path: string): number => openSized(path).file;

function openSized(path: string): { file: number; size: number } {
  const { closeSync, constants, fstatSync, openSync, statSync } = fs();
  // To open some devices does something by itself.
  if (!statSync(path).isFile()) throw refuse(path, 'EINVAL', 'is not a regular file');
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0));
  // It may have become another one since.
  const stat = fstatSync(file);
  if (stat.isFile()) return { file, size: stat.size };
  closeSync(file);
  throw refuse(path, 'EINVAL', 'is not a regular file');
}

/** All of it. Throws as openRegular does, and with EFBIG when it is larger than that. */
export function readRegular(path: string, mostBytes = SMALL_FILE): Buffer {
  const { file, size } = openSized(path);
  try {
    if (size > mostBytes) throw refuse(path, 'EFBIG', `is larger than ${mostBytes} bytes`);
    return readFully(file, size, 0);
  } finally {
    fs().closeSync(file);
  }
}

/** So many bytes from a position on, or as many as there are. Throws as openRegular does. */
export function readPiece(path: string, bytes: number, from = 0): Buffer {
  const { file, size } = openSized(path);
  try {
    return readFully(file, Math.max(0, Math.min(bytes, size - from)), from);
  } finally {
    fs().closeSync(file);
  }
}

/** What the system gives out as a file without a size, such as /proc, is never read. */
function readFully(file: number, size: number, from: number): Buffer {
  const bytes = Buffer.alloc(size);
  let length = 0;
  while (length < size) {
    const read = fs().readSync(file, bytes, length, size - length, from + length);
    if (read === 0) break;
    length += read;
  }
  return bytes.subarray(0, length);
}

const refuse = (path: string, code: string, why: string) => Object.assign(new Error(`${path} ${why}`), { code, path });

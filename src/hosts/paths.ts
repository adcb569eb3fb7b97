// Files as an agent names them, from the folder it works in.
import { isAbsolute, join, win32 } from 'node:path';

/** Absolute, where the folder is known. */
export function placeFile(file: string, cwd: string): string {
  if (file === '' || cwd === '' || isAbsolute(file) || win32.isAbsolute(file)) return file;
  return join(cwd, file);
}

// Keeps what is slow to make between two builds.
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export type Product = {
  /** The name of the file. */
  name: string;
  /** All that decides what it will be. */
  inputs: (string | Uint8Array)[];
  make: () => Promise<Uint8Array>;
};

/** The product from `folder`, where only its latest version is kept, or made anew. */
export async function remember(folder: string, { name, inputs, make }: Product): Promise<Uint8Array> {
  mkdirSync(folder, { recursive: true });
  const hasher = new Bun.CryptoHasher('sha256');
  // With its length, so that no two lists of inputs look alike.
  for (const input of inputs) hasher.update(`${input.length}:`).update(input);
  const key = hasher.digest('hex').slice(0, 16);
  const path = join(folder, `${name}.${key}`);
  if (existsSync(path)) return readFileSync(path);
  const made = await make();
  const temporary = `${path}.tmp-${process.pid}`;
  writeFileSync(temporary, made);
  for (const other of readdirSync(folder)) {
    if (other.startsWith(`${name}.`) && !other.includes('.tmp-')) rmSync(join(folder, other), { force: true });
  }
  renameSync(temporary, path);
  return made;
}

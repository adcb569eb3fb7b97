// How Bun is started by our own code: so that it obeys nothing that lies around. bin/start-bun does the same for
// whoever starts us from outside.
import { dirname } from 'node:path';

/**
 * The command of one of our programs, whose folder becomes its own: what lies in the folder of whoever asked, or above it, is not looked
 * at. Its environment is to be chosen by name: Bun loads code by variables, too.
 */
export function startBun(program: string, { flags = [], args = [] }: Extra = {}): string[] {
  return [process.execPath, `--cwd=${dirname(program)}`, ...BUN_FLAGS, ...flags, program, ...args];
}

/** This process goes on as a new run of a program of ours: nobody sees it end. Returns only where the system knows no such call. */
export function becomeBun(program: string): void {
  process.execve?.(process.execPath, startBun(program));
}

type Extra = { flags?: string[]; args?: string[] };

/** No bunfig.toml, no tsconfig.json above our own files, no .env, and no package fetched because one is missing. */
const BUN_FLAGS = ['--config=/dev/null', '--tsconfig-override=/dev/null', '--no-env-file', '--no-install'];

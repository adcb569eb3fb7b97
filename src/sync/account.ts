// <data dir>/sync.json: which hub, as whom, with which key. Only `claude-mem sync` writes it, for a person at a terminal.
import { mkdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { readOwnFile, writeOwnFile } from '../own-files.ts';

export type Account = {
  hub: string;
  token: string;
  device: string;
  member: string;
  name: string;
  personal: string;
  /** Base64. Leaves the user's machines only sealed, from one to the next. */
  seed: string;
  isPaused: boolean;
};

const TEXTS = ['hub', 'token', 'device', 'member', 'name', 'personal', 'seed'] as const;

/** Null: nobody is logged in. Throws for a file that cannot be read. */
export function readAccount(path: string): Account | null {
  let text: string;
  try {
    text = readOwnFile(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
  // By hand: a starting worker asks whether there is one, and loads no schemas for it.
  const said: Partial<Account> = JSON.parse(text);
  if (!TEXTS.every((name) => typeof said[name] === 'string')) throw new Error(`${path} is not an account`);
  return { isPaused: false, ...said } as Account;
}

export function writeAccount(path: string, account: Account): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeOwnFile(path, `${JSON.stringify(account, null, 2)}\n`);
}
export const dropAccount = (path: string) => rmSync(path, { force: true });

export const seedOf = ({ seed }: Account) => new Uint8Array(Buffer.from(seed, 'base64'));

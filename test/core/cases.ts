// Cases that are data: JSON Lines beside the test, a list for each case.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const readCases = <Case extends unknown[]>(name: string): Case[] =>
  readFileSync(join(import.meta.dir, name), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

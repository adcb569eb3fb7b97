// What the files in the data dir take.
import { readdirSync, statSync } from 'node:fs';
import type { Paths } from '../../paths.ts';

export type Sizes = { database: number; wal: number; index: number; spool: number; logs: number };

export function readSizes(paths: Paths): Sizes {
  return {
    database: sizeOf(paths.database),
    wal: sizeOf(`${paths.database}-wal`),
    index: sizeOf(paths.indexDatabase),
    spool: sizeOfFolder(paths.spool),
    logs: sizeOfFolder(paths.logs),
  };
}

const listFolder = (path: string) => (statSync(path, { throwIfNoEntry: false }) ? readdirSync(path) : []);
const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
const sizeOfFolder = (path: string) => listFolder(path).reduce((sum, name) => sum + sizeOf(`${path}/${name}`), 0);

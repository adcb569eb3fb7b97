// What copies, checks and repairs memory.db (dist/backup.js), so that neither the worker nor its memory has to: one order, one answer.
import { serveOrders, stepBack } from '../child-program.ts';
import { findRemains } from '../forget/remains.ts';
import type { Paths } from '../paths.ts';
import { checkStore } from './check.ts';
import { copyStore, dropUnclean, forgetInCopies, takeBackInCopies } from './copy-store.ts';
import { repairStore, restoreStore } from './repair.ts';

const WORK = {
  copy: copyStore,
  scan: ({ paths }: { paths: Paths }) => dropUnclean(paths),
  'take back': ({ paths }: { paths: Paths }) => takeBackInCopies(paths),
  check: checkStore,
  repair: repairStore,
  restore: restoreStore,
  forget: forgetInCopies,
  look: findRemains,
};
type Work = typeof WORK;
export type Order = { [Kind in keyof Work]: { kind: Kind } & Parameters<Work[Kind]>[0] }[keyof Work];
export type Answers = { [Kind in keyof Work]: Awaited<ReturnType<Work[Kind]>> };

function main(): void {
  process.umask(0o077);
  stepBack();
  serveOrders((order: Order) =>
    Promise.try(WORK[order.kind] as (order: Order) => unknown, order).then(
      (result) => ({ result }),
      (error) => ({ error: error instanceof Error ? error.message : String(error) }),
    ),
  );
}

if (import.meta.main) main();

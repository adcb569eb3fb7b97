// What copies, checks and repairs memory.db (dist/backup.js), so that neither the worker nor its memory has to: one order, one answer.
import { setPriority } from 'node:os';
import { findRemains, type LookOrder, type Remain } from '../forget/remains.ts';
import type { Paths } from '../paths.ts';
import { type CheckOrder, checkStore, type Verdict } from './check.ts';
import { copyStore, dropUnclean, type ForgetOrder, type ForgottenCopies, forgetInCopies, takeBackInCopies } from './copy-store.ts';
import type { RepairReport } from './damage.ts';
import { type RepairOrder, type RestoreOrder, type RestoreReport, repairStore, restoreStore } from './repair.ts';

export type Order =
  | { kind: 'copy'; database: string; target: string }
  | { kind: 'scan'; paths: Paths }
  | { kind: 'take back'; paths: Paths }
  | ({ kind: 'check' } & CheckOrder)
  | ({ kind: 'repair' } & RepairOrder)
  | ({ kind: 'restore' } & RestoreOrder)
  | ({ kind: 'forget' } & ForgetOrder)
  | ({ kind: 'look' } & LookOrder);

export type Answers = {
  copy: true;
  scan: number;
  'take back': number;
  check: Verdict;
  repair: RepairReport;
  restore: RestoreReport;
  forget: ForgottenCopies;
  look: Remain[];
};

/** Hooks come first. */
const BACKGROUND = 5;

async function obey(order: Order): Promise<Answers[Order['kind']]> {
  if (order.kind === 'scan') return dropUnclean(order.paths);
  if (order.kind === 'take back') return takeBackInCopies(order.paths);
  if (order.kind === 'check') return checkStore(order);
  if (order.kind === 'repair') return repairStore(order);
  if (order.kind === 'restore') return restoreStore(order);
  if (order.kind === 'forget') return forgetInCopies(order);
  if (order.kind === 'look') return findRemains(order);
  copyStore(order);
  return true;
}

function main(): void {
  process.umask(0o077);
  try {
    setPriority(BACKGROUND);
  } catch {
    // A system that does not let us: the work is done all the same.
  }
  process.on('message', async (order: Order) => {
    const answer = await obey(order).then(
      (result) => ({ result }),
      (error) => ({ error: error instanceof Error ? error.message : String(error) }),
    );
    // Whoever asked may be gone: what was done is done all the same. Else it ends us.
    if (process.connected) process.send?.(answer);
  });
  process.on('disconnect', () => process.removeAllListeners('message'));
}

if (import.meta.main) main();

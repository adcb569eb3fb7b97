// What a repair has done, in words.
import { sayCount } from '../core/say-count.ts';
import type { RepairReport } from './repair.ts';

/** One line for a starting session. */
export function sayRepaired({ tables, backup, keptAs }: RepairReport): string {
  const fromBackup = Object.values(tables).reduce((sum, table) => sum + table.fromBackup, 0);
  const helped = backup && fromBackup > 0 ? `, ${sayCount(fromBackup, 'rows')} of them from a backup` : '';
  return `The memory was damaged and has been repaired: every row is there${helped}. The damaged file: ${keptAs}.`;
}

/** A line for each table that is not as it was. */
export function listRepaired({ tables }: RepairReport): string[] {
  return Object.entries(tables)
    .filter(([, { fromBackup, byHash, missing }]) => fromBackup > 0 || byHash > 0 || missing !== 0)
    .map(([name, { read, fromBackup, byHash, missing }]) => {
      const left = missing === null ? 'how many are missing is not known' : `${missing} missing`;
      const proven = byHash > 0 ? `, ${byHash} of damaged pages by their own hash` : '';
      return `${name}: ${read} read, ${fromBackup} from the backup${proven}, ${left}`;
    });
}

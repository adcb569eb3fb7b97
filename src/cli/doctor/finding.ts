// What `doctor` finds: what is so, why it matters, and the one command that mends it.
import type { Facts, HealthStatus, Problem } from '../../core/health.ts';
import type { Paths } from '../../paths.ts';
import type { WorkerStatus } from '../worker-status.ts';

export type Finding = {
  check: string;
  isOk: boolean;
  what: string;
  /** Of a problem: what comes of it, and one command, or one thing to do. */
  why?: string;
  remedy?: string;
  /** Mends it, if that can do no harm; says what it did. */
  fix?: () => Promise<string> | string;
};

export type Health = { status: HealthStatus; problems: Problem[]; facts?: Facts };

/** `status` and `health` are null when no worker answers, or one that does not know the question. */
export type Patient = { paths: Paths; status: WorkerStatus | null; health: Health | null };

export type Examine = (patient: Patient) => Promise<Finding[]> | Finding[];

export const ok = (check: string, what: string): Finding => ({ check, isOk: true, what });
/** None without its reason and its remedy. */
export type Meaning = { why: string; remedy: string; fix?: Finding['fix'] };
export const problem = (check: string, what: string, more: Meaning): Finding => ({
  check,
  isOk: false,
  what,
  ...more,
});

// What the model was paid, by day, project and session, against the budget.
import type { Database } from 'bun:sqlite';
import { countObservations } from '../store/observations.ts';
import { type SpendRow, spendByDay, spendByProject, spendBySessions } from '../store/spend.ts';
import type { ModelStatus } from './model-observer.ts';

export type Stats = {
  observations: number;
  spend: Pick<ModelStatus, 'spentToday' | 'budget' | 'exhausted'> & {
    byDay: SpendRow[];
    byProject: SpendRow[];
    bySession: SpendRow[];
  };
};

const DAYS = 14;
const ROWS = 10;

export function readStats(db: Database, model: () => ModelStatus): Stats {
  const { spentToday, budget, exhausted } = model();
  return {
    observations: countObservations(db),
    spend: {
      spentToday,
      budget,
      exhausted,
      byDay: spendByDay(db, DAYS),
      byProject: spendByProject(db, ROWS),
      bySession: spendBySessions(db, ROWS),
    },
  };
}

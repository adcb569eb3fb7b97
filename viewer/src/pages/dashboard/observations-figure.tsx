// Observations per day, stacked by type.
import type { DayCount } from '../../../../src/core/shapes/stats.ts';
import { formatCount, formatDay, formatNumber } from '../../format.ts';
import { Figure } from '../../parts/figure.tsx';
import { lastDays, sayShortDay, sum, typesByDay } from './days.ts';

const DAYS = 30;

export function ObservationsFigure({ counts }: { counts: DayCount[] }) {
  const days = lastDays(DAYS);
  const series = typesByDay(days, counts);
  const total = sum(series.flatMap(({ values }) => values));
  if (total === 0) {
    return (
      <section class="figure">
        <h2>Observations</h2>
        <p class="faint small">None in the last {DAYS} days. Each turn of a session brings some when it ends.</p>
      </section>
    );
  }
  const today = sum(series.map(({ values }) => values.at(-1) ?? 0));
  return (
    <Figure
      title="Observations"
      sentence={`${formatCount(total, 'observation')} in ${DAYS} days, ${formatNumber(today)} today.`}
      steps="Day"
      whole={`Last ${DAYS} days`}
      sayAt={(at) => formatDay(days[at]?.at ?? 0)}
      sayValue={(values, at) => formatNumber(at === null ? sum(values) : (values[at] ?? 0))}
      shape={{
        kind: 'bars',
        xs: days.map((_, at) => at),
        series,
        xSteps: [1, 2, 4, 7, 14],
        sayX: (x) => sayShortDay(days[x]),
        sayY: formatNumber,
      }}
    />
  );
}

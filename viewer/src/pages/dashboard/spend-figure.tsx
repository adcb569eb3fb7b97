// Tokens spent per day, against what a day may cost.
import { formatDay, formatNumber, formatTokens, LOCALE } from '../../format.ts';
import { Figure } from '../../parts/figure.tsx';
import type { Stats, Status } from './answers.ts';
import { lastDays, sayShortDay, sum, tokensByDay } from './days.ts';

const compact = new Intl.NumberFormat(LOCALE, { notation: 'compact' });

const DAYS = 14;

export function SpendFigure({ spend, model }: { spend: Stats['spend']; model: Status['model'] }) {
  const days = lastDays(DAYS);
  const values = tokensByDay(days, spend.byDay);
  const budget = spend.budget.dailyTokens;
  if (sum(values) === 0 && !model.provider) {
    return (
      <section class="figure">
        <h2>Tokens</h2>
        <p class="faint small">Nothing is spent: memories are made by rules, without a model.</p>
      </section>
    );
  }
  return (
    <Figure
      title="Tokens"
      sentence={saySpent(spend)}
      steps="Day"
      whole={`Last ${DAYS} days`}
      sayAt={(at) => formatDay(days[at]?.at ?? 0)}
      sayValue={(all, at) => formatNumber(at === null ? sum(all) : (all[at] ?? 0))}
      shape={{
        kind: 'bars',
        xs: days.map((_, at) => at),
        series: [{ name: 'spent', values, color: '--type-feature' }],
        limit: { value: budget, color: '--ink-faint' },
        xSteps: [1, 2, 4, 7, 14],
        sayX: (x) => sayShortDay(days[x]),
        sayY: (y) => compact.format(y),
        smallestY: 100,
      }}
    />
  );
}

const saySpent = ({ spentToday, budget, exhausted }: Stats['spend']) =>
  `${formatTokens(spentToday.tokens)} today, of ${formatTokens(budget.dailyTokens)} a day (the broken line).${
    exhausted ? ` ${exhausted.charAt(0).toUpperCase()}${exhausted.slice(1)}: memories are made by rules until tomorrow.` : ''
  }`;

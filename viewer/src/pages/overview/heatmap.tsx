// When there was work: a square for each day, darker for more, pale outside the chosen days; a square leads to its day in the feed.
import type { Overview } from '../../../../src/core/shapes/pages.ts';
import { formatCount, formatDate, LOCALE } from '../../format.ts';

const WEEK = 7;
const LEVELS = 4;
const month = new Intl.DateTimeFormat(LOCALE, { month: 'short' });

/** Nothing, where there would only be empty squares. */
export function Heatmap({ days, range, project }: { days: Overview['days']; range: number; project: string }) {
  if (days.every(({ count }) => count === 0)) return null;
  const first = new Date(`${days[0]?.day}T12:00`);
  // Weeks begin on a Monday.
  const lead = (first.getDay() + 6) % WEEK;
  const most = Math.max(1, ...days.map(({ count }) => count));
  const chosen = days.slice(-range);
  const total = chosen.reduce((sum, { count }) => sum + count, 0);
  const active = chosen.filter(({ count }) => count > 0).length;
  return (
    <section class="box" aria-labelledby="activity">
      <div class="row spread">
        <h2 id="activity">Activity</h2>
        <span class="faint small number">
          {formatCount(total, 'memory')} on {formatCount(active, 'day')} of {chosen.length}
        </span>
      </div>
      <div class="heat-scroll" ref={showEnd}>
        <ol class="heat" style={{ '--lead': String(lead + 1) }}>
          {days.map(({ day, count }, at) => (
            <li
              key={day}
              data-level={count === 0 ? 0 : Math.ceil((count / most) * LEVELS)}
              data-chosen={at >= days.length - range || undefined}
              class={at === 0 ? 'heat-first' : undefined}
            >
              {count > 0 ? (
                <a
                  href={`/view/feed?since=${day}&until=${day}${project ? `&project=${encodeURIComponent(project)}` : ''}`}
                  title={sayDay(day, count)}
                >
                  <span class="hidden-text">{sayDay(day, count)}</span>
                </a>
              ) : (
                <span title={sayDay(day, count)} />
              )}
            </li>
          ))}
        </ol>
        <Months days={days} lead={lead} />
      </div>
    </section>
  );
}

/** Where it is longer than its place, today is seen first. */
const showEnd = (element: HTMLElement | null) => element?.scrollTo({ left: element.scrollWidth, behavior: 'instant' });

const at = (day: string) => Date.parse(`${day}T12:00`);
const sayDay = (day: string, count: number) => `${formatCount(count, 'memory')} on ${formatDate(at(day))}`;

/** Below the week in which a month begins. */
function Months({ days, lead }: { days: Overview['days']; lead: number }) {
  const starts = days.flatMap(({ day }, index) => (day.endsWith('-01') ? [{ day, week: Math.floor((index + lead) / WEEK) + 1 }] : []));
  return (
    <p class="heat-months" aria-hidden="true">
      {starts.map(({ day, week }) => (
        <span key={day} style={{ gridColumn: `${week} / span 4` }}>
          {month.format(at(day))}
        </span>
      ))}
    </p>
  );
}

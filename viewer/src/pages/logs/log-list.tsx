// Entries of the log, day by day; what belongs to one stands faint behind it in a line, and below it when it is opened.
import { Fragment } from 'preact';
import { formatDateTime, formatDay, formatSecond, startOfDay } from '../../format.ts';
import { tellingDetails } from './telling-details.ts';
import { keyOf, type LogEntry } from './use-log.ts';

export function LogList({ entries }: { entries: LogEntry[] }) {
  const seen = new Map<string, number>();
  return (
    <ol class="log">
      {entries.map((entry, index) => {
        const at = Date.parse(entry.at);
        const before = entries[index - 1];
        const isNewDay = !before || startOfDay(Date.parse(before.at)) !== startOfDay(at);
        return (
          <Fragment key={uniqueKey(seen, entry)}>
            {isNewDay && <li class="log-day small">{formatDay(at)}</li>}
            <Entry entry={entry} at={at} />
          </Fragment>
        );
      })}
    </ol>
  );
}

/** The same thing may be said twice in a millisecond. */
function uniqueKey(seen: Map<string, number>, entry: LogEntry): string {
  const key = keyOf(entry);
  const times = seen.get(key) ?? 0;
  seen.set(key, times + 1);
  return `${key} ${times}`;
}

function Entry({ entry, at }: { entry: LogEntry; at: number }) {
  const { level, message } = entry;
  const details = tellingDetails(entry);
  const line = (
    <>
      <time class="mono" dateTime={new Date(at).toISOString()} title={formatDateTime(at)}>
        {formatSecond(at)}
      </time>
      <span class="log-level mono" data-level={level}>
        {level}
      </span>
      <span class="log-message">{message}</span>
    </>
  );
  if (details.length === 0) return <li class="log-line">{line}</li>;
  return (
    <li>
      <details>
        <summary class="log-line">
          {line}
          <span class="log-brief mono">{sayBrief(details)}</span>
        </summary>
        <dl class="log-details mono tiny">
          {details.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{sayDetail(value)}</dd>
            </div>
          ))}
        </dl>
      </details>
    </li>
  );
}

const sayDetail = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

/** More than fits into any line is not put into the page. */
const BRIEF = 300;

const sayBrief = (details: readonly [string, unknown][]) =>
  details
    .map(([name, value]) => `${name}=${sayDetail(value)}`)
    .join(' ')
    .replace(/\s*\n\s*/g, ' ')
    .slice(0, BRIEF);

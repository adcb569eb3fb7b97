// What a session was told, at its start and in the middle of it, and why.
import type { ReplayAnswer } from '../../../../src/core/context.ts';
import { formatCount, formatDateTime, formatTime } from '../../format.ts';
import { explainFreshness, linkTo, nameSection, OCCASION_NAMES } from '../preview/words.ts';

type Telling = ReplayAnswer['tellings'][number];

export function ToldThen({ tellings }: { tellings: readonly Telling[] }) {
  return (
    <section class="told-then" aria-labelledby="told-then">
      <h2 id="told-then">What it was told, and why</h2>
      {tellings.length === 0 && <p class="faint small">It was told nothing.</p>}
      {tellings.map((telling, at) => (
        <OneTelling key={at} telling={telling} />
      ))}
    </section>
  );
}

function OneTelling({ telling }: { telling: Telling }) {
  const { occasion, about, at, records, text, missing } = telling;
  return (
    <details class="telling">
      <summary>
        {OCCASION_NAMES[occasion]} {about && <span class="mono">{about} </span>}
        <span class="faint number">
          {formatCount(records.length, 'record')},{' '}
          <time dateTime={new Date(at).toISOString()} title={formatDateTime(at)}>
            {formatTime(at)}
          </time>
        </span>
      </summary>
      <ul class="telling-records">
        {records.map((record, place) => (
          <li key={place}>
            <a class="mono" href={linkTo(record)}>
              {record.kind === 'session' ? 'session' : `#${record.id}`}
            </a>
            <span>{nameOf(record.section)}</span>
            <span class="faint">
              {record.reason}
              {record.freshness && `. ${explainFreshness(record.freshness)}`}
            </span>
          </li>
        ))}
      </ul>
      {missing > 0 && <p class="faint small">{formatCount(missing, 'record')} of it cannot be shown any more.</p>}
      <details>
        <summary>Word for word</summary>
        <pre class="telling-text">{text}</pre>
      </details>
    </details>
  );
}

const nameOf = (section: string) => nameSection(section as never) ?? section;

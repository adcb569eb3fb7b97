// The context a session got, at its start and in the middle of its work, and why.
import { useState } from 'preact/hooks';
import type { ReplayAnswer } from '../../../../src/core/shapes/context.ts';
import { formatCount, formatDateTime, formatId, formatTime } from '../../format.ts';
import { explainFreshness, nameOccasion } from '../../words.ts';
import { linkTo, nameSection } from '../preview/words.ts';
import { type Titles, useTitles } from './use-titles.ts';

type Telling = ReplayAnswer['tellings'][number];

export type ToldThenProps = {
  tellings: readonly Telling[];
  /** It was had elsewhere: its context did not come along. */
  isImported: boolean;
};

export function ToldThen({ tellings, isImported }: ToldThenProps) {
  return (
    <section class="told-then" aria-labelledby="told-then">
      <h2 id="told-then">Context it got, and why</h2>
      {tellings.length === 0 && <p class="faint small">{isImported ? 'Not known: the session was imported.' : 'It got no context.'}</p>}
      {tellings.map((telling, at) => (
        <OneTelling key={at} telling={telling} />
      ))}
    </section>
  );
}

function OneTelling({ telling }: { telling: Telling }) {
  const { occasion, about, at, records, text, missing } = telling;
  const [isOpen, setOpen] = useState(false);
  const titles = useTitles(records, isOpen);
  return (
    <details class="telling" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        {nameOccasion(occasion)} {about && <span class="mono">{about} </span>}
        <span class="faint number">
          {formatCount(new Set(records.map(({ id }) => id)).size, 'entry')},{' '}
          <time dateTime={new Date(at).toISOString()} title={formatDateTime(at)}>
            {formatTime(at)}
          </time>
        </span>
      </summary>
      <ul class="telling-records">
        {[...Map.groupBy(records, ({ id }) => id)].map(([id, those]) => (
          <li key={id}>
            <Told records={those} titles={titles} />
          </li>
        ))}
      </ul>
      {missing > 0 && <p class="faint small">{formatCount(missing, 'entry')} of it cannot be shown any more.</p>}
      <details>
        <summary>Word for word</summary>
        <pre class="telling-text">{text}</pre>
      </details>
    </details>
  );
}

type Entry = Telling['records'][number];

/** One memory, however many of its lines were given. What was deleted since has an id, and leads nowhere. */
function Told({ records, titles }: { records: readonly Entry[]; titles: Titles }) {
  const [record] = records;
  if (!record) return null;
  const name = record.kind === 'session' ? 'session' : formatId(record.id);
  const title = titles?.get(record.id);
  return (
    <>
      <span class={title ? 'telling-title' : 'faint'}>{title ?? (titles ? 'Deleted or hidden' : '…')}</span>
      {titles && !title ? (
        <span class="mono telling-id faint">{name}</span>
      ) : (
        <a class="mono telling-id" href={linkTo(record)}>
          {name}
        </a>
      )}
      <span class="telling-why">{[...new Set(records.map(sayWhy))].join('; ')}</span>
    </>
  );
}

function sayWhy({ section, reason, freshness }: Entry): string {
  const name = nameSection(section as never) ?? section;
  const isTwice = reason === '' || name.toLowerCase().startsWith(reason);
  // That it cites nothing is no reason, and true of most decisions.
  const state = freshness && freshness !== 'uncited' ? `. ${explainFreshness(freshness)}` : '';
  return `${name}${isTwice ? '' : `: ${reason}`}${state}`;
}

// Why an entry is included: what made it worth its tokens, and whether the code still bears it out.
import type { ToldRecord } from '../../../../src/core/shapes/context.ts';
import { formatDateTime, formatId } from '../../format.ts';
import { explainFreshness } from '../../words.ts';
import { linkTo, nameSection } from './words.ts';

export function Why({ record }: { record: ToldRecord }) {
  const { id, kind, why, freshness, section, replaced, lastGivenAt } = record;
  return (
    <div class="told-why stack">
      <p>
        <a href={linkTo(record)}>{kind === 'session' ? 'This session' : formatId(id)}</a>{' '}
        <span class="faint">in “{nameSection(section)}”</span>
      </p>
      <ul class="told-reasons">
        {why.map((reason) => (
          <li key={reason}>{reason}</li>
        ))}
      </ul>
      {replaced.length > 0 && <p>It replaced {replaced.map(formatId).join(', ')}.</p>}
      {lastGivenAt !== null && <p>Last given {formatDateTime(lastGivenAt)}.</p>}
      {freshness && <p>{explainFreshness(freshness)}</p>}
    </div>
  );
}

// Why a memory was found: what its score is made of, in words, and what is folded into it.
import type { ScoreParts, SearchHit } from '../../../../src/core/shapes/search.ts';
import { formatId, formatShare } from '../../format.ts';
import { memoryPage } from '../../links.ts';

const PARTS = [
  ['keyword', 'its words match'],
  ['meaning', 'its meaning is similar'],
  ['neighbours', 'its session is about it'],
  ['recency', 'it is recent'],
  ['type', 'its type is asked for'],
] as const;

export function Why({ hit: { why, alike } }: { hit: SearchHit }) {
  if (!why && alike.length === 0) return null;
  return (
    <details class="why">
      <summary>{why && why.words.length > 0 ? `Matched ${why.words.join(', ')}` : 'Found by meaning'}</summary>
      {why && <Score why={why} />}
      {alike.length > 0 && (
        <p>
          Similar, not shown:{' '}
          {alike.map((id) => (
            <a key={id} class="mono" href={memoryPage(id)}>
              {formatId(id)}
            </a>
          ))}
        </p>
      )}
    </details>
  );
}

function Score({ why }: { why: ScoreParts }) {
  const parts = PARTS.filter(([name]) => why[name] > 0);
  const sum = parts.reduce((all, [name]) => all + why[name], 0);
  return (
    <dl>
      {parts.map(([name, label]) => (
        <div key={name}>
          <dt>{label}</dt>
          <dd class="number">
            <span class="why-bar" aria-hidden="true" style={{ width: `${(why[name] / sum) * 6}rem` }} />
            {formatShare(why[name] / sum)}
          </dd>
        </div>
      ))}
    </dl>
  );
}

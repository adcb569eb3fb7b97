// Why a memory was found: the parts of its score, the words that matched, and what is folded into it.
import type { ScoreParts, SearchHit } from '../../../../src/core/shapes/search.ts';
import { formatId } from '../../format.ts';
import { timelineOf } from '../../links.ts';

const PARTS = [
  ['keyword', 'words'],
  ['meaning', 'meaning'],
  ['neighbours', 'neighbours'],
  ['recency', 'recency'],
  ['type', 'type'],
] as const;

export function Why({ hit: { why, alike } }: { hit: SearchHit }) {
  return (
    <div class="why">
      {why && <Score why={why} />}
      {alike.length > 0 && (
        <p>
          alike:{' '}
          {alike.map((id) => (
            <a key={id} class="mono" href={timelineOf(id)}>
              {formatId(id)}
            </a>
          ))}
        </p>
      )}
    </div>
  );
}

function Score({ why }: { why: ScoreParts }) {
  const parts = PARTS.filter(([name]) => why[name] > 0);
  const sum = parts.reduce((all, [name]) => all + why[name], 0);
  if (sum === 0) return null;
  const share = (value: number) => `${Math.round((value / sum) * 100)}%`;
  return (
    <details>
      <summary>
        <span class="why-bar" aria-hidden="true">
          {parts.map(([name]) => (
            <span key={name} data-part={name} style={{ width: share(why[name]) }} />
          ))}
        </span>
        {why.words.length > 0 ? `matched ${why.words.join(', ')}` : 'found by meaning'}
      </summary>
      <dl>
        {parts.map(([name, label]) => (
          <div key={name}>
            <dt>
              <span class="why-mark" data-part={name} /> {label}
            </dt>
            <dd class="number">{share(why[name])}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

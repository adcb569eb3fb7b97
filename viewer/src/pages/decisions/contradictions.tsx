// Two that apply and seem to disagree: a person says which one does, or that both do.
import type { ContradictionsAnswer } from '../../../../src/core/shapes/memory.ts';
import { replaceBy, sayBothHold } from '../../correct.ts';
import { formatAge, formatCount, formatId } from '../../format.ts';
import { openPanel } from '../../panel.ts';
import { Icon, TypeIcon } from '../../parts/icon.tsx';

type Pair = ContradictionsAnswer['items'][number];

export function Contradictions({ pairs, onDecided }: { pairs: readonly Pair[]; onDecided: () => void }) {
  if (pairs.length === 0) return null;
  const decide = (work: Promise<boolean>) => void work.then(onDecided);
  return (
    <section class="contradictions note warn" aria-labelledby="contradictions">
      <h2 id="contradictions">
        <Icon name="warn" /> {formatCount(pairs.length, 'pair')} may contradict each other
      </h2>
      {pairs.map(({ newer, older, why, words }) => (
        <div key={`${newer.id} ${older.id}`} class="contradiction">
          {[newer, older].map((row, at) => (
            <p key={row.id}>
              <TypeIcon type={row.type} />
              <button type="button" class="quiet contradiction-title" onClick={() => openPanel(row.id)}>
                <bdi>{row.title}</bdi>
              </button>
              <span class="tiny number">
                {at === 0 ? 'newer' : 'older'}, {formatAge(row.at)} {formatId(row.id)}
              </span>
            </p>
          ))}
          <p class="small">
            {why}
            {words && ` (“${words}”)`}
          </p>
          <p class="row">
            <button type="button" onClick={() => decide(replaceBy(older, newer))}>
              Newer applies
            </button>
            <button type="button" onClick={() => decide(replaceBy(newer, older))}>
              Older applies
            </button>
            <button type="button" onClick={() => decide(sayBothHold(older, newer))}>
              Both apply
            </button>
          </p>
        </div>
      ))}
    </section>
  );
}

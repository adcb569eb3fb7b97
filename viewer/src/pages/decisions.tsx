// The page "Decisions": what applies in a project, rules of the user first; what seems to contradict; and what was replaced by what.
import { useEffect } from 'preact/hooks';
import type { ContradictionsAnswer, RuleOffer, RulesAnswer } from '../../../src/core/shapes/memory.ts';
import type { Decision, DecisionsAnswer } from '../../../src/core/shapes/pages.ts';
import { useCardKeys } from '../card-keys.ts';
import { readFilter } from '../filter.ts';
import { formatCount, formatNumber } from '../format.ts';
import { openRemember } from '../opened-memory.ts';
import { firstId } from '../panel.ts';
import { Empty } from '../parts/empty.tsx';
import { Problem } from '../parts/problem.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { projects } from '../projects.ts';
import { setQuery } from '../router.ts';
import { useAnswer } from '../use-answer.ts';
import { Contradictions } from './decisions/contradictions.tsx';
import { CurrentDecision, OfferedRule } from './decisions/current.tsx';
import { Replaced } from './decisions/replaced.tsx';
import type { PageProps } from './index.ts';
import { useNews } from './session/use-news.ts';
import '../styles/decisions.css';
import '../styles/steps.css';
import '../styles/detail.css';

const NEWS = ['observation', 'changed', 'removed', 'reset'] as const;
const SETTLE_MS = 700;

export function DecisionsPage(_: PageProps) {
  useCardKeys();
  const project = readFilter().project || projects.value[0]?.value || null;
  const answer = useAnswer<DecisionsAnswer>(project ? '/api/decisions' : null, { project });
  const pairs = useAnswer<ContradictionsAnswer>(project ? '/api/contradictions' : null, { project });
  const rules = useAnswer<RulesAnswer>(project ? '/api/rules' : null, { project });
  const again = () => {
    answer.again();
    pairs.again();
    rules.again();
  };
  useNews({ types: NEWS, look: again, waitMs: SETTLE_MS });
  const { data, error } = answer;
  return (
    <div class="page decisions">
      <header>
        <h1>Decisions</h1>
        <div class="row">
          {project && (
            <select aria-label="Project" value={project} onChange={({ currentTarget }) => setQuery({ project: currentTarget.value })}>
              {projects.value.map(({ value, name }) => (
                <option key={value} value={value}>
                  {name}
                </option>
              ))}
            </select>
          )}
          <button type="button" onClick={openRemember}>
            Add
          </button>
        </div>
      </header>
      {error && <Problem error={error} onRetry={answer.again} />}
      {!project && <None />}
      {project && !data && !error && <Skeleton rows={8} />}
      {data && !error && (
        <>
          <Contradictions pairs={pairs.data?.items ?? []} onDecided={again} />
          <Lists data={data} offers={rules.data?.offers ?? []} />
        </>
      )}
    </div>
  );
}

const None = () => (
  <Empty title="No decision yet">
    <p>A decision is kept when you choose between options, approve a plan, or say how something should be from now on.</p>
  </Empty>
);

type ListsProps = { data: DecisionsAnswer; offers: readonly RuleOffer[] };

function Lists({ data: { current, replaced, total, project }, offers }: ListsProps) {
  const rules = current.filter(({ isRule }) => isRule);
  const others = current.filter(({ isRule }) => !isRule);
  const offerOf = (one: Decision) => offers.find(({ id }) => id === one.id);
  const elsewhere = offers.filter(({ id }) => !current.some((one) => one.id === id));
  const first = current[0]?.id ?? null;
  useEffect(() => {
    firstId.value = first;
    return () => {
      firstId.value = null;
    };
  }, [first]);
  if (current.length + replaced.length === 0) return <None />;
  const shown = current.length + replaced.length;
  return (
    <>
      {rules.length > 0 && (
        <section aria-labelledby="rules">
          <h2 id="rules" class="part-title">
            Your rules <span class="faint number">{formatNumber(rules.length)}</span>
          </h2>
          {rules.map((one) => (
            <CurrentDecision key={one.id} decision={one} offer={offerOf(one)} />
          ))}
        </section>
      )}
      {elsewhere.map((offer) => (
        <p key={offer.id} class="decision-foot note">
          <span>Said in several projects: {offer.text}</span>
          <OfferedRule offer={offer} />
        </p>
      ))}
      {others.length > 0 && (
        <section aria-labelledby="current">
          <h2 id="current" class="part-title">
            Current in {project} <span class="faint number">{formatNumber(others.length)}</span>
          </h2>
          {others.map((one) => (
            <CurrentDecision key={one.id} decision={one} offer={offerOf(one)} />
          ))}
        </section>
      )}
      {replaced.length > 0 && <Replaced pairs={replaced} />}
      {total > shown && <p class="faint small">and {formatCount(total - shown, 'older decision')}, which search finds: type:decision</p>}
    </>
  );
}

// Memories that seem to disagree: the newer one, what it may replace, and the words that show it.
import type { ContradictionsAnswer } from '../../../src/core/shapes/memory.ts';
import { formatDay } from '../format.ts';
import { Empty } from '../parts/empty.tsx';
import { MemoryLine } from '../parts/memory-line.tsx';
import { Problem } from '../parts/problem.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { useAnswer } from '../use-answer.ts';

export function ContradictionsPage() {
  const { data, error, again } = useAnswer<ContradictionsAnswer>('/api/contradictions', {});
  return (
    <div class="page">
      <header>
        <h1>Contradictions</h1>
        <p class="lead">
          Two memories that seem to disagree. A session is given the newer one first, the older one behind it with a mark. To decide:{' '}
          <code>claude-mem replace OLDER NEWER</code>, or with <code>--both-hold</code>.
        </p>
      </header>
      {error && <Problem error={error} onRetry={again} />}
      {!data && !error && <Skeleton />}
      {data?.items.length === 0 && (
        <Empty title="No contradictions">
          Nothing that is remembered seems to disagree. <a href="/?type=decision">See the decisions</a>
        </Empty>
      )}
      {data?.items.map(({ newer, older, words }) => (
        <section key={`${newer.id} ${older.id}`} class="stack">
          <MemoryLine row={newer} when={formatDay(newer.at)} />
          <MemoryLine row={older} when={formatDay(older.at)} />
          {words && <p class="faint small">“{words}”</p>}
        </section>
      ))}
    </div>
  );
}

// What was found, or why nothing was.
import { Empty } from '../../parts/empty.tsx';
import { MemoryCard } from '../../parts/memory-card.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import type { Search } from './use-search.ts';
import { Why } from './why.tsx';

export function Results({ search, question }: { search: Search; question: string }) {
  const { isAsked, found, note, error, hasMore, more, again } = search;
  if (error) return <Problem error={error} onRetry={again} />;
  if (!found) return isAsked ? <Skeleton /> : <Ask />;
  if (found.length === 0) {
    return (
      <Empty title="Nothing relevant">
        <p>{withoutTitle(note) || (question ? 'Other words may find it.' : 'No memory has all that is asked for.')}</p>
      </Empty>
    );
  }
  return (
    <>
      <h2 class="hidden-text">What was found</h2>
      {note && <p class="note small">{note}</p>}
      <div class="search-hits">
        {found.map(({ hit, memory }) => (
          <MemoryCard key={memory.id} memory={memory} withDate highlight={hit.why?.words ?? []} why={<Why hit={hit} />} />
        ))}
      </div>
      {hasMore && (
        <p class="search-more">
          <button type="button" onClick={more}>
            More
          </button>
        </p>
      )}
    </>
  );
}

/** The heading says it already. */
function withoutTitle(note: string | null): string {
  const rest = note?.replace(/^Nothing relevant[.:]?\s*/, '') ?? '';
  return rest.charAt(0).toUpperCase() + rest.slice(1);
}

function Ask() {
  return (
    <Empty title="What was that again?">
      <p>
        Ask in your own words, or give a name, an error, a file. Words are found as they stand and by what they mean, in everything that was
        observed, summed up or asked.
      </p>
    </Empty>
  );
}

// What was found, or why nothing was.
import { useEffect } from 'preact/hooks';
import { firstId } from '../../panel.ts';
import { Empty } from '../../parts/empty.tsx';
import { MemoryLine } from '../../parts/memory-line.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { withCode } from '../../parts/with-code.tsx';
import type { Found, Search } from './use-search.ts';
import { Why } from './why.tsx';

export function Results({ search, question }: { search: Search; question: string }) {
  const { isAsked, found, note, error, hasMore, more, again } = search;
  const first = found?.[0]?.id ?? null;
  useEffect(() => {
    firstId.value = first;
    return () => {
      firstId.value = null;
    };
  }, [first]);
  if (error && (error.status !== 0 || !found)) return <Problem error={error} onRetry={again} />;
  if (!found) return isAsked ? <Skeleton rows={8} /> : <Ask />;
  if (found.length === 0) return <Nothing question={question} note={note} />;
  return (
    <>
      <h2 class="hidden-text">Results</h2>
      {note && <p class="note small">{note}</p>}
      <div class="search-hits">
        {found.map((hit) => (
          <OneHit key={hit.id} hit={hit} />
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

const OneHit = ({ hit }: { hit: Found }) => (
  <div class="search-hit">
    <MemoryLine row={hit} highlight={hit.why?.words ?? []} more={hit.snippet ?? null} withProject />
    <Why hit={hit} />
  </div>
);

/** What the worker says of it, without the words that the heading has. */
function Nothing({ question, note }: { question: string; note: string | null }) {
  const rest = note?.replace(/^Nothing relevant[.:]?\s*/, '') ?? '';
  return (
    <Empty title={question ? `No results for “${question}”` : 'No results'}>
      {rest && <p>{withCode(rest.charAt(0).toUpperCase() + rest.slice(1))}</p>}
      <p>Try other words, remove a filter, or search all projects.</p>
    </Empty>
  );
}

const EXAMPLES = ['type:decision', 'type:bugfix since:7d', 'since:yesterday'];

function Ask() {
  return (
    <Empty title="Search what was observed, decided, asked and done">
      <p>Ask in your own words, or give a name, an error, a file. Both the words and their meaning are searched.</p>
      <p class="row">
        {EXAMPLES.map((example) => (
          <a key={example} class="button mono" href={`/view/search?q=${encodeURIComponent(example)}`}>
            {example}
          </a>
        ))}
      </p>
    </Empty>
  );
}

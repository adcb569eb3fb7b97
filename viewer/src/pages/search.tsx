// Search: what answers a question best, as it is typed, and why.
import { useEffect, useRef } from 'preact/hooks';
import { useCardKeys } from '../card-keys.ts';
import { readFilter } from '../filter.ts';
import { addShortcuts } from '../keyboard.ts';
import { FilterHead } from '../parts/filter-head.tsx';
import { place, setQuery } from '../router.ts';
import type { PageProps } from './index.ts';
import { type Order, OrderChoice } from './search/order-choice.tsx';
import { Results } from './search/results.tsx';
import { SearchField } from './search/search-field.tsx';
import { useSearch } from './search/use-search.ts';
import '../styles/search.css';

export function SearchPage(_: PageProps) {
  const { query } = place.value;
  const question = query.get('q') ?? '';
  const order: Order = query.get('order') === 'date' ? 'date' : 'relevance';
  const filter = readFilter();
  const search = useSearch({ question, order, filter });
  const field = useRef<HTMLInputElement>(null);
  useCardKeys();
  useEffect(() => {
    // A thumb that comes to look does not want half of the page for a keyboard.
    if (!place.peek().isReturn && matchMedia('(hover: hover)').matches) field.current?.focus();
    return addShortcuts([{ key: '/', about: 'Search', run: () => field.current?.select() }]);
  }, []);
  return (
    <div class="page search">
      <FilterHead title="Search" filter={filter}>
        <SearchField field={field} question={question} onQuestion={(q) => setQuery({ q })} />
      </FilterHead>
      <div class="search-head">
        <p class="faint small number" role="status">
          {search.words}
        </p>
        <OrderChoice order={order} />
      </div>
      <Results search={search} question={question} />
    </div>
  );
}

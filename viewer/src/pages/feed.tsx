// The feed: what was remembered, newest first, as it happens.
import { useCardKeys } from '../card-keys.ts';
import { density, toggleDensity } from '../density.ts';
import { readFilter } from '../filter.ts';
import { FilterHead } from '../parts/filter-head.tsx';
import { FeedList } from './feed/feed-list.tsx';
import { HiddenPart } from './feed/hidden-part.tsx';
import { ProcessingLine } from './feed/processing-line.tsx';
import type { PageProps } from './index.ts';
import '../styles/feed.css';

export function FeedPage(_: PageProps) {
  const filter = readFilter();
  useCardKeys();
  return (
    <div class="page feed">
      <FilterHead
        title="Feed"
        filter={filter}
        now={<ProcessingLine />}
        end={
          <button type="button" aria-pressed={density.value === 'roomy'} onClick={toggleDensity}>
            {density.value === 'roomy' ? 'Compact' : 'Roomy'}
          </button>
        }
      />
      <HiddenPart />
      <FeedList filter={filter} />
    </div>
  );
}

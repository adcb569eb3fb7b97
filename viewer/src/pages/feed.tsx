// The feed: what was remembered, newest first, as it happens.
import { useState } from 'preact/hooks';
import { useCardKeys } from '../card-keys.ts';
import { readFilter } from '../filter.ts';
import { Filters, ProjectChoice } from '../parts/filters.tsx';
import { FeedList } from './feed/feed-list.tsx';
import { HiddenPart } from './feed/hidden-part.tsx';
import { ProcessingLine } from './feed/processing-line.tsx';
import type { PageProps } from './index.ts';
import '../styles/feed.css';

export function FeedPage(_: PageProps) {
  const filter = readFilter();
  const [isFiltering, setFiltering] = useState(false);
  useCardKeys();
  return (
    <div class="page feed">
      <header>
        <h1>Feed</h1>
        <div class="row">
          <ProjectChoice filter={filter} />
          <button type="button" aria-expanded={isFiltering} onClick={() => setFiltering(!isFiltering)}>
            Filter
          </button>
        </div>
      </header>
      <Filters filter={filter} isOpen={isFiltering} />
      <ProcessingLine />
      <HiddenPart />
      <FeedList filter={filter} />
    </div>
  );
}

// The page of one memory: what the side panel shows, at an address of its own.
import { useCardKeys } from '../card-keys.ts';
import { formatId } from '../format.ts';
import { useTitle } from '../page-title.ts';
import { Empty } from '../parts/empty.tsx';
import { Opened } from '../parts/panel.tsx';
import type { PageProps } from './index.ts';

export function MemoryPage({ rest }: PageProps) {
  const id = rest.replace(/^#/, '').toUpperCase();
  useCardKeys();
  useTitle(id ? formatId(id) : null);
  return (
    <div class="page memory-page">
      <header>
        <h1>Memory</h1>
      </header>
      {id ? (
        <Opened key={id} id={id} />
      ) : (
        <Empty title="Which memory?">
          <p>
            Its id follows the address: <code>/view/memory/123</code>. The <a href="/view/feed">feed</a> lists them.
          </p>
        </Empty>
      )}
    </div>
  );
}

// The page "Search".
import type { PageProps } from './index.ts';

export function SearchPage(_: PageProps) {
  return (
    <div class="page">
      <header>
        <h1>Search</h1>
      </header>
    </div>
  );
}

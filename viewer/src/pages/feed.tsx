// The page "Feed".
import type { PageProps } from './index.ts';

export function FeedPage(_: PageProps) {
  return (
    <div class="page">
      <header>
        <h1>Feed</h1>
      </header>
    </div>
  );
}

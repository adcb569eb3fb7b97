// The page "Timeline".
import type { PageProps } from './index.ts';

export function TimelinePage(_: PageProps) {
  return (
    <div class="page">
      <header>
        <h1>Timeline</h1>
      </header>
    </div>
  );
}

// The page "Sessions".
import type { PageProps } from './index.ts';

export function SessionsPage(_: PageProps) {
  return (
    <div class="page">
      <header>
        <h1>Sessions</h1>
      </header>
    </div>
  );
}

// The page "Session".
import type { PageProps } from './index.ts';

export function SessionPage(_: PageProps) {
  return (
    <div class="page">
      <header>
        <h1>Session</h1>
      </header>
    </div>
  );
}

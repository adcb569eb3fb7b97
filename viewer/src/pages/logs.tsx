// The page "Logs".
import type { PageProps } from './index.ts';

export function LogsPage(_: PageProps) {
  return (
    <div class="page">
      <header>
        <h1>Logs</h1>
      </header>
    </div>
  );
}

// The page "Dashboard".
import type { PageProps } from './index.ts';

export function DashboardPage(_: PageProps) {
  return (
    <div class="page">
      <header>
        <h1>Dashboard</h1>
      </header>
    </div>
  );
}

// For an address that names no page.
import type { PageProps } from './index.ts';

export function NoPage(_: PageProps) {
  return (
    <div class="page stack">
      <h1>There is no such page</h1>
      <p class="lead">The address may have been cut short, or is of another version.</p>
      <p>
        <a href="/">To the overview</a>
      </p>
    </div>
  );
}

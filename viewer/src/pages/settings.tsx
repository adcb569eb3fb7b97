// The page "Settings".
import type { PageProps } from './index.ts';

export function SettingsPage(_: PageProps) {
  return (
    <div class="page">
      <header>
        <h1>Settings</h1>
      </header>
    </div>
  );
}

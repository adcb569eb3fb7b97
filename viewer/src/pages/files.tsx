// The page "Files".
import type { PageProps } from './index.ts';

export function FilesPage(_: PageProps) {
  return (
    <div class="page">
      <header>
        <h1>Files</h1>
      </header>
    </div>
  );
}

// The page "Preview".
import type { PageProps } from './index.ts';

export function PreviewPage(_: PageProps) {
  return (
    <div class="page">
      <header>
        <h1>Preview</h1>
      </header>
    </div>
  );
}

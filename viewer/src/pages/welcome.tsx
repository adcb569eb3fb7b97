// The page "Welcome".
import type { PageProps } from './index.ts';

export function WelcomePage(_: PageProps) {
  return (
    <div class="page">
      <header>
        <h1>Welcome</h1>
      </header>
    </div>
  );
}

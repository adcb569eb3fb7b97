// The shell: the rail with the pages, the state of the worker, and the page that the address names.
import { useEffect } from 'preact/hooks';
import { addShortcuts } from './keyboard.ts';
import { followMemories } from './memories.ts';
import { useTabTitle } from './page-title.ts';
import { findPage, PAGES, type Page } from './pages/index.ts';
import { Away } from './parts/away.tsx';
import { ConnectionDot, ConnectionLine } from './parts/connection-line.tsx';
import { Keys, showKeys } from './parts/keys.tsx';
import { Locked } from './parts/locked.tsx';
import { Logo } from './parts/logo.tsx';
import { MemoryDialogs } from './parts/memory-dialogs.tsx';
import { Silenced } from './parts/silenced.tsx';
import { ThemeChoice } from './parts/theme-choice.tsx';
import { Toasts } from './parts/toasts.tsx';
import { go, place } from './router.ts';
import { followSilences } from './silences.ts';
import { entry } from './token.ts';

export function App() {
  useEffect(
    () =>
      addShortcuts([
        { key: '/', about: 'Search', run: () => go('/view/search') },
        { key: '?', about: 'All keys', run: showKeys },
      ]),
    [],
  );
  useEffect(followMemories, []);
  useEffect(followSilences, []);
  useEffect(showCurrent, [place.value.path, entry.value.kind]);
  const { page, rest } = findPage(place.value.path);
  useTabTitle(page.name);
  if (entry.value.kind !== 'in') return <Locked />;
  return (
    <div class="shell">
      <a class="skip" href="#main">
        Skip to the page
      </a>
      <header class="rail">
        <a class="brand" href="/" aria-label="claude-mem, feed">
          <Logo />
          <span>claude-mem</span>
        </a>
        <ConnectionDot />
        <nav aria-label="Pages">
          <ul>
            {PAGES.filter(({ isInRail }) => isInRail).map(({ path, name }) => (
              <li key={path}>
                <a href={path} aria-current={currentness(path, page)}>
                  {name}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <div class="rail-foot">
          <ConnectionLine />
          <ThemeChoice />
        </div>
      </header>
      <main id="main" tabIndex={-1}>
        <Away />
        <Silenced />
        <page.Page key={page.path} rest={rest} />
      </main>
      <MemoryDialogs />
      <Keys />
      <Toasts />
    </div>
  );
}

/** A page that is not in the rail belongs to one that is. */
function currentness(path: string, page: Page): 'page' | 'true' | undefined {
  if (path === page.path) return 'page';
  return path === page.under ? 'true' : undefined;
}

/** On a phone the pages are a line that is longer than the window. */
function showCurrent(): void {
  const link = document.querySelector('.rail nav [aria-current]');
  link?.scrollIntoView({ block: 'nearest', inline: 'center', behavior: 'instant' });
}

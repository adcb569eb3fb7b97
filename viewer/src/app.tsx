// The shell: the rail with the pages, the state of the worker, and the page that the address names.
import { useEffect } from 'preact/hooks';
import { addShortcuts } from './keyboard.ts';
import { followMemories } from './memories.ts';
import { findPage, PAGES } from './pages/index.ts';
import { Away } from './parts/away.tsx';
import { ConnectionLine } from './parts/connection-line.tsx';
import { Keys, showKeys } from './parts/keys.tsx';
import { Locked } from './parts/locked.tsx';
import { Logo } from './parts/logo.tsx';
import { MemoryDialogs } from './parts/memory-dialogs.tsx';
import { ThemeChoice } from './parts/theme-choice.tsx';
import { Toasts } from './parts/toasts.tsx';
import { go, place } from './router.ts';
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
  const { page, rest } = findPage(place.value.path);
  useEffect(() => {
    document.title = `${page.name} · claude-mem`;
  }, [page]);
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
        <nav aria-label="Pages">
          <ul>
            {PAGES.filter(({ isInRail }) => isInRail).map(({ path, name }) => (
              <li key={path}>
                <a href={path} aria-current={path === page.path ? 'page' : undefined}>
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
        <page.Page key={page.path} rest={rest} />
      </main>
      <MemoryDialogs />
      <Keys />
      <Toasts />
    </div>
  );
}

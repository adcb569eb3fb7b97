// The shell: the rail with the pages, the state of the worker, the page that the address names, and the side panel.
import { useEffect } from 'preact/hooks';
import { addShortcuts } from './keyboard.ts';
import { followMemories } from './memories.ts';
import { openRemember } from './opened-memory.ts';
import { useTabTitle } from './page-title.ts';
import { findPage, PAGES, type Page, RAIL, TABS } from './pages/index.ts';
import { Away } from './parts/away.tsx';
import { BulkBar } from './parts/bulk-bar.tsx';
import { ConnectionLine } from './parts/connection-line.tsx';
import { Icon } from './parts/icon.tsx';
import { Keys, showKeys } from './parts/keys.tsx';
import { Locked } from './parts/locked.tsx';
import { Logo } from './parts/logo.tsx';
import { MemoryDialogs } from './parts/memory-dialogs.tsx';
import { Palette, showPalette } from './parts/palette.tsx';
import { Panel } from './parts/panel.tsx';
import { Silenced } from './parts/silenced.tsx';
import { ThemeChoice } from './parts/theme-choice.tsx';
import { Toasts } from './parts/toasts.tsx';
import { followProjects } from './projects.ts';
import { go, place } from './router.ts';
import { clearSelected } from './selection.ts';
import { followSilences } from './silences.ts';
import { entry } from './token.ts';

export function App() {
  useEffect(() => addShortcuts(SHORTCUTS), []);
  useEffect(followMemories, []);
  useEffect(followSilences, []);
  const isIn = entry.value.kind === 'in';
  useEffect(() => (isIn ? followProjects() : undefined), [isIn]);
  const { page, rest } = findPage(place.value.path);
  useEffect(clearSelected, [page.path]);
  useTabTitle(page.name);
  if (!isIn) return <Locked />;
  return (
    <div class="shell">
      <a class="skip" href="#main">
        Skip to the page
      </a>
      <header class="rail">
        <a class="brand" href="/" aria-label="claude-mem, overview">
          <Logo />
          <span>claude-mem</span>
        </a>
        <button type="button" class="find" onClick={showPalette}>
          <Icon name="search" />
          <span>Find or do</span>
          <kbd>Ctrl K</kbd>
        </button>
        <nav aria-label="Pages">
          {RAIL.map((group) => (
            <ul key={group[0]}>
              {group.map((path) => (
                <li key={path}>
                  <PageLink path={path} shown={page} />
                </li>
              ))}
            </ul>
          ))}
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
      <Panel />
      <nav class="tabs" aria-label="Main pages">
        {TABS.map((path) => (
          <PageLink key={path} path={path} shown={page} />
        ))}
        <button type="button" onClick={showPalette}>
          <Icon name="more" />
          <span>More</span>
        </button>
      </nav>
      <BulkBar />
      <MemoryDialogs />
      <Palette />
      <Keys />
      <Toasts />
    </div>
  );
}

function PageLink({ path, shown }: { path: string; shown: Page }) {
  const page = PAGES.find((one) => one.path === path);
  if (!page) return null;
  return (
    <a href={path} title={page.name} aria-current={currentness(path, shown)}>
      <Icon name={page.icon ?? 'file'} />
      <span>{page.name}</span>
    </a>
  );
}

/** A page that is not in the rail belongs to one that is. */
function currentness(path: string, page: Page): 'page' | 'true' | undefined {
  if (path === page.path) return 'page';
  return path === page.under ? 'true' : undefined;
}

const SHORTCUTS = [
  { key: '/', about: 'Search', run: () => go('/view/search') },
  { key: 'n', about: 'Remember something', run: openRemember },
  { key: '?', about: 'All keys', run: showKeys },
  ...PAGES.flatMap(({ key, path, name }) => (key ? [{ key: `g ${key}`, about: `Go to ${name}`, run: () => go(path) }] : [])),
];

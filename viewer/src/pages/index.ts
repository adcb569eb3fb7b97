// Every page: its address, its name, its icon and key, what shows it.
import type { ComponentType } from 'preact';
import type { IconName } from '../parts/icon.tsx';
import { DataPage } from './data.tsx';
import { DecisionsPage } from './decisions.tsx';
import { FeedPage } from './feed.tsx';
import { FilesPage } from './files.tsx';
import { HealthPage } from './health.tsx';
import { LogsPage } from './logs.tsx';
import { MemoryPage } from './memory.tsx';
import { NoPage } from './no-page.tsx';
import { OverviewPage } from './overview.tsx';
import { PreviewPage } from './preview.tsx';
import { ProjectsPage } from './projects.tsx';
import { SearchPage } from './search.tsx';
import { SessionPage } from './session.tsx';
import { SessionsPage } from './sessions.tsx';
import { SettingsPage } from './settings.tsx';
import { TimelinePage } from './timeline.tsx';
import { WelcomePage } from './welcome.tsx';

/** `rest` is what follows the page's own address: `/view/session/abc` has `abc`. */
export type PageProps = { rest: string };

export type Page = {
  path: string;
  name: string;
  icon?: IconName;
  /** After `g`: goes there. */
  key?: string;
  /** The page in the rail that it belongs to. */
  under?: string;
  Page: ComponentType<PageProps>;
};

export const PAGES: Page[] = [
  { path: '/', name: 'Overview', icon: 'home', key: 'o', Page: OverviewPage },
  { path: '/view/feed', name: 'Feed', icon: 'feed', key: 'f', Page: FeedPage },
  { path: '/view/search', name: 'Search', icon: 'search', key: 's', Page: SearchPage },
  { path: '/view/decisions', name: 'Decisions', icon: 'decision', key: 'd', Page: DecisionsPage },
  { path: '/view/sessions', name: 'Sessions', icon: 'sessions', key: 'e', Page: SessionsPage },
  { path: '/view/projects', name: 'Projects', icon: 'projects', key: 'p', Page: ProjectsPage },
  { path: '/view/preview', name: 'Next session', icon: 'next', key: 'n', Page: PreviewPage },
  { path: '/view/data', name: 'Data', icon: 'data', key: 'a', Page: DataPage },
  { path: '/view/settings', name: 'Settings', icon: 'settings', key: 't', Page: SettingsPage },
  { path: '/view/health', name: 'Health', icon: 'health', key: 'h', Page: HealthPage },
  { path: '/view/welcome', name: 'How it works', icon: 'help', Page: WelcomePage },
  { path: '/view/logs', name: 'Log', under: '/view/health', Page: LogsPage },
  { path: '/view/session', name: 'Session', under: '/view/sessions', Page: SessionPage },
  { path: '/view/memory', name: 'Memory', under: '/view/feed', Page: MemoryPage },
  { path: '/view/timeline', name: 'Timeline', under: '/view/feed', Page: TimelinePage },
  { path: '/view/files', name: 'File history', under: '/view/feed', Page: FilesPage },
];

/** By what they are for: reading, giving, the product itself. */
export const RAIL = [
  ['/', '/view/feed', '/view/search', '/view/decisions', '/view/sessions', '/view/projects'],
  ['/view/preview'],
  ['/view/data', '/view/settings', '/view/health', '/view/welcome'],
] as const;

/** On a phone; the others are behind More. */
export const TABS = ['/', '/view/feed', '/view/search', '/view/decisions'] as const;

const NO_PAGE: Page = { path: '', name: 'No such page', Page: NoPage };

export function findPage(path: string): { page: Page; rest: string } {
  const page = PAGES.find((one) => path === one.path || (one.path !== '/' && path.startsWith(`${one.path}/`)));
  const rest = page ? decode(path.slice(page.path.length + 1)) : null;
  return page && rest !== null ? { page, rest } : { page: NO_PAGE, rest: '' };
}

/** Null for an address that nobody can have meant. */
function decode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

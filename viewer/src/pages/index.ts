// Every page: its address, its name, what shows it.
import type { ComponentType } from 'preact';
import { ContradictionsPage } from './contradictions.tsx';
import { DashboardPage } from './dashboard.tsx';
import { FeedPage } from './feed.tsx';
import { FilesPage } from './files.tsx';
import { LogsPage } from './logs.tsx';
import { NoPage } from './no-page.tsx';
import { PreviewPage } from './preview.tsx';
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
  isInRail: boolean;
  /** The page in the rail that it belongs to. */
  under?: string;
  Page: ComponentType<PageProps>;
};

export const PAGES: Page[] = [
  { path: '/', name: 'Feed', isInRail: true, Page: FeedPage },
  { path: '/view/search', name: 'Search', isInRail: true, Page: SearchPage },
  { path: '/view/sessions', name: 'Sessions', isInRail: true, Page: SessionsPage },
  { path: '/view/preview', name: 'Next session', isInRail: true, Page: PreviewPage },
  { path: '/view/dashboard', name: 'Dashboard', isInRail: true, Page: DashboardPage },
  { path: '/view/settings', name: 'Settings', isInRail: true, Page: SettingsPage },
  { path: '/view/logs', name: 'Logs', isInRail: true, Page: LogsPage },
  {
    path: '/view/contradictions',
    name: 'Contradictions',
    isInRail: false,
    under: '/view/preview',
    Page: ContradictionsPage,
  },
  { path: '/view/session', name: 'Session', isInRail: false, under: '/view/sessions', Page: SessionPage },
  { path: '/view/timeline', name: 'Timeline', isInRail: false, under: '/', Page: TimelinePage },
  { path: '/view/files', name: 'File history', isInRail: false, under: '/', Page: FilesPage },
  { path: '/view/welcome', name: 'How it works', isInRail: true, Page: WelcomePage },
];

const NO_PAGE: Page = { path: '', name: 'No such page', isInRail: false, Page: NoPage };

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

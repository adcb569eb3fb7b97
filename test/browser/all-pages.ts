// Every page of the viewer, as the tests go through them after a day of work in the shop. ID: of a memory of it.
export const ALL_PAGES = [
  { name: 'overview', path: '/' },
  { name: 'feed', path: '/view/feed' },
  { name: 'panel', path: '/view/feed?m=ID' },
  { name: 'filtered', path: '/view/feed?type=bugfix,decision&project=shop' },
  { name: 'search', path: '/view/search?q=voucher' },
  { name: 'sessions', path: '/view/sessions' },
  { name: 'session', path: '/view/session/shop-session-1' },
  { name: 'timeline', path: '/view/timeline?anchor=ID' },
  { name: 'files', path: '/view/files?path=src/cart.ts' },
  { name: 'preview', path: '/view/preview' },
  { name: 'decisions', path: '/view/decisions?project=shop' },
  { name: 'memory', path: '/view/memory/ID' },
  { name: 'projects', path: '/view/projects' },
  { name: 'data', path: '/view/data' },
  { name: 'health', path: '/view/health' },
  { name: 'settings', path: '/view/settings' },
  { name: 'logs', path: '/view/logs' },
  { name: 'welcome', path: '/view/welcome' },
] as const;

export const pathOf = (path: string, id = '1') => path.replace('ID', id);

// Every page of the viewer, as the tests go through them after a day of work in the shop.
export const ALL_PAGES = [
  { name: 'feed', path: '/' },
  { name: 'filtered', path: '/?type=bugfix,decision&project=shop' },
  { name: 'search', path: '/view/search?q=voucher' },
  { name: 'sessions', path: '/view/sessions' },
  { name: 'session', path: '/view/session/shop-session-1' },
  { name: 'timeline', path: '/view/timeline?anchor=1' },
  { name: 'files', path: '/view/files?path=src/cart.ts' },
  { name: 'preview', path: '/view/preview' },
  { name: 'contradictions', path: '/view/contradictions' },
  { name: 'dashboard', path: '/view/dashboard' },
  { name: 'settings', path: '/view/settings' },
  { name: 'logs', path: '/view/logs' },
  { name: 'welcome', path: '/view/welcome' },
] as const;

// Every page that was opened while the worker was away shows what it should as soon as the worker is back, by itself.
import { type Browser, expect, type Page, test } from '@playwright/test';
import { ALL_PAGES, pathOf } from './all-pages.ts';
import { openViewer } from './viewer.ts';
import { workOnShop } from './work.ts';
import { createWorld, type World } from './world.ts';

let world: World;
test.beforeAll(async () => {
  world = createWorld();
  await workOnShop(world);
  // The page "Data" lists backups.
  expect(world.cli('backup').code).toBe(0);
});
test.afterAll(() => world.dispose());

/** What is there only when the worker has answered. */
const ANSWERED: Record<(typeof ALL_PAGES)[number]['name'], string> = {
  feed: 'article.line',
  filtered: 'article.line',
  search: 'article.line',
  sessions: '.session-list li',
  session: '.session-head h1',
  timeline: '.moments li',
  files: '.file-rows li',
  preview: '.preview-columns',
  overview: '.did',
  panel: '.side .detail',
  decisions: '.decision',
  memory: '.detail',
  projects: '.projects-table',
  data: '.found',
  health: '.facts',
  settings: '.settings-list li',
  logs: '.log li',
  welcome: '.promises',
};
/** These show what they have without an answer, or wait for one without a word. */
const WITHOUT_PROBLEM = ['data', 'logs', 'welcome'];

/** Of each way to ask one, unless all are wanted. */
const SOME = ['feed', 'search', 'session', 'timeline', 'decisions', 'settings', 'logs'];
const PAGES = ALL_PAGES.filter(({ name }) => process.env.CLAUDE_MEM_TEST_FULL || SOME.includes(name));

/** Each in a browser of its own, as it were: one has not enough connections for all. */
async function openAll(browser: Browser): Promise<Page[]> {
  const pages: Page[] = [];
  for (const { name } of PAGES) {
    const page = await (await browser.newContext()).newPage();
    // Not the page itself: what was asked before is kept.
    await openViewer(page, world, name === 'welcome' ? '/view/logs' : '/view/welcome');
    pages.push(page);
  }
  return pages;
}

const goTo = (page: Page, path: string) =>
  page.evaluate((url) => {
    history.pushState(null, '', url);
    dispatchEvent(new PopStateEvent('popstate'));
  }, path);

test('what was asked in vain is asked again on every page', async ({ browser }) => {
  const pages = await openAll(browser);
  const each = async (work: (page: Page, wanted: (typeof ALL_PAGES)[number]) => Promise<void>) => {
    for (const [at, wanted] of PAGES.entries()) {
      const page = pages[at];
      if (page) await test.step(wanted.name, () => work(page, wanted));
    }
  };
  process.kill(world.pid(), 'SIGKILL');
  await each(async (page, { name, path }) => {
    await expect(page.locator('[data-connection="away"]')).toBeAttached();
    await goTo(page, pathOf(path));
    if (WITHOUT_PROBLEM.includes(name)) return;
    await expect(page.locator('.waiting').first()).toHaveText('This loads as soon as claude-mem runs.');
    await expect(page.locator(ANSWERED[name])).toHaveCount(0);
  });
  expect(world.cli('start').code).toBe(0);
  await each(async (page, { name }) => {
    await expect(page.locator('[data-connection="live"]')).toBeAttached({ timeout: 30_000 });
    await expect(page.locator(ANSWERED[name]).first()).toBeVisible();
    await expect(page.getByText('claude-mem isn’t running.')).toHaveCount(0);
  });
  await Promise.all(pages.map((page) => page.context().close()));
});

test('a timeline that was asked for in vain is of its own project again', async ({ page }) => {
  await openViewer(page, world, '/view/welcome');
  process.kill(world.pid(), 'SIGKILL');
  await expect(page.locator('[data-connection="away"]')).toBeAttached();
  await goTo(page, '/view/timeline?anchor=1');
  await expect(page.locator('.waiting').first()).toBeVisible();
  expect(world.cli('start').code).toBe(0);
  await expect(page.locator('.moments li').first()).toBeVisible({ timeout: 30_000 });
  await expect(page.locator('.timeline header').getByRole('combobox')).toHaveValue('shop');
});

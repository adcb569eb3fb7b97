// No page and no dialog breaks a rule of WCAG 2.2 AA that a machine can check, light and dark, on a phone and on a desk.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, type Page, test } from '@playwright/test';
import type { AxeResults } from 'axe-core';
import { ALL_PAGES } from './all-pages.ts';
import { openViewer, visit, watchTrouble } from './viewer.ts';
import { workOnShop } from './work.ts';
import { createWorld, type World } from './world.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

let world: World;
let page: Page;
const trouble: string[] = [];
test.beforeAll(async ({ browser }) => {
  world = createWorld();
  await workOnShop(world);
  // Marks have colours of their own.
  await world.api('PATCH', '/api/observations/1', { by: 'user', pinned: true });
  await world.api('PATCH', '/api/observations/2', { by: 'user', wrong: true });
  await world.api('DELETE', '/api/observations/3');
  page = await browser.newPage();
  await watchTrouble(page, trouble);
  await openViewer(page, world);
});
test.afterEach(() => expect(trouble.splice(0)).toEqual([]));
test.afterAll(() => world.dispose());

type Axe = { run: (root: Document, options: object) => Promise<AxeResults> };

/** The policy of the page lets no script tag in; the driver of the browser is not bound by it. */
async function findFaults(page: Page, rules: string[]): Promise<string[]> {
  await page.evaluate(`if (!globalThis.axe) { ${AXE} }`);
  const { violations } = await page.evaluate((runOnly) => {
    const { axe } = globalThis as unknown as { axe: Axe };
    return axe.run(document, { runOnly, resultTypes: ['violations'], preload: false });
  }, rules);
  return violations.flatMap(({ id, impact, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${impact} ${id}: ${html.slice(0, 160)} ${failureSummary?.slice(0, 300)}`),
  );
}

const ALL_RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

type Look = { width: number; colorScheme: 'light' | 'dark'; rules: string[] };

const DESK: Look = { width: 1280, colorScheme: 'light', rules: ALL_RULES };
/** Of the same page in the dark only the colours are others, whatever its width. */
const DARK: Look = { width: 1280, colorScheme: 'dark', rules: ['color-contrast'] };
const PHONE: Look = { ...DESK, width: 360 };
/** There the panel stands beside a list. */
const LARGE: Look = { ...DESK, width: 2560 };
const LISTS = ['feed', 'panel', 'filtered', 'search'];

const EVERY_LOOK = [360, 1280, 1920, 2560].flatMap((width) =>
  (['light', 'dark'] as const).map((colorScheme): Look => ({ width, colorScheme, rules: ALL_RULES })),
);

async function findFaultsInLooks(page: Page, looks = [DESK, DARK, PHONE]): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {};
  for (const { width, colorScheme, rules } of process.env.CLAUDE_MEM_TEST_FULL ? EVERY_LOOK : looks) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    const faults = await findFaults(page, rules);
    if (faults.length > 0) found[`${width} ${colorScheme}`] = faults;
  }
  return found;
}

for (const { name, path } of ALL_PAGES) {
  test(`the page "${name}" is fit for everybody`, async () => {
    await visit(page, path);
    await page.evaluate(() => {
      for (const one of document.querySelectorAll('details')) one.open = true;
    });
    expect(await findFaultsInLooks(page, [DESK, DARK, PHONE, ...(LISTS.includes(name) ? [LARGE] : [])])).toEqual({});
  });
}

test('the page of whoever has no token is, too', async ({ page }) => {
  await page.goto(world.origin());
  await expect(page.getByText('claude-mem viewer')).toBeVisible();
  expect(await findFaultsInLooks(page)).toEqual({});
});

test('and so are the dialogs', async () => {
  await visit(page, '/view/feed');
  for (const key of ['e', 'f', 'n', '?', 'Control+k']) {
    await page.locator('article.line[data-kind="observation"]').first().focus();
    await page.keyboard.press(key);
    await expect(page.getByRole('dialog')).toBeVisible();
    expect(await findFaultsInLooks(page), key).toEqual({});
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog')).toHaveCount(0);
  }
});

test('nothing remembered, an address that leads nowhere, and a worker that is away', async ({ page }) => {
  const empty = createWorld();
  try {
    expect(empty.cli('start').code).toBe(0);
    await openViewer(page, empty);
    const names = ['overview', 'feed', 'search', 'sessions', 'preview', 'decisions', 'projects', 'data', 'health', 'settings', 'welcome'];
    const paths = ALL_PAGES.flatMap(({ name, path }) => (names.includes(name) ? path : []));
    for (const path of [...paths, '/view/nonsense', '/view/memory/99999', '/view/session/nonsense']) {
      await visit(page, path);
      expect(await findFaultsInLooks(page, [DESK, DARK]), path).toEqual({});
    }
    empty.cli('stop');
    await expect(page.getByText('claude-mem isn’t running.').first()).toBeVisible();
    for (const path of ['/', '/view/feed', '/view/decisions']) {
      await page.evaluate((url) => {
        history.pushState(null, '', url);
        dispatchEvent(new PopStateEvent('popstate'));
      }, path);
      await expect(page.locator('main h1').first()).toBeVisible();
      expect(await findFaultsInLooks(page, [DESK, DARK]), `away, ${path}`).toEqual({});
    }
  } finally {
    empty.dispose();
  }
});

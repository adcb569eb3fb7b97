// From a phone to a 4K screen: no page is wider than its window, nothing is too small to press; a full run keeps a picture of each.
import { expect, type Page, test } from '@playwright/test';
import { edit, userPrompt } from '../support/payloads.ts';
import { ALL_PAGES } from './all-pages.ts';
import { openViewer, visit, watchTrouble } from './viewer.ts';
import { workOnShop } from './work.ts';
import { createWorld, picture, type World } from './world.ts';

const WIDTHS = [2560, 1920, 1280, 768, 360];
const PICTURED = [2560, 1920, 1280, 360];
const IS_FULL = Boolean(process.env.CLAUDE_MEM_TEST_FULL);
const LONG = 'averylongnamethatneverendsandhasnoplacetobreak'.repeat(6);

let world: World;
let page: Page;
const trouble: string[] = [];
test.beforeAll(async ({ browser }) => {
  world = createWorld();
  const cwd = await workOnShop(world);
  // What no line can break at a space.
  await world.api('POST', '/api/memory/save', { title: LONG.slice(0, 150), text: `${LONG} ${LONG}`, cwd, by: 'user' });
  await world.hook('new', userPrompt('shop-session-1', cwd, `What is ${LONG}?`));
  await world.hook('save', edit('shop-session-1', cwd, `src/${LONG.slice(0, 120)}/${LONG.slice(0, 120)}.ts`, ['+x']));
  page = await browser.newPage();
  await watchTrouble(page, trouble);
  await openViewer(page, world);
});
test.afterEach(() => expect(trouble.splice(0)).toEqual([]));
test.afterAll(() => world.dispose());

/** What reaches beyond the window, outermost first. */
const findTooWide = (page: Page) =>
  page.evaluate(() => {
    if (document.documentElement.scrollWidth <= innerWidth) return [];
    const wide = [...document.querySelectorAll('body *')].filter((one) => one.getBoundingClientRect().right > innerWidth + 1);
    return [`${document.documentElement.scrollWidth} of ${innerWidth}`, ...wide.slice(0, 5).map((one) => one.outerHTML.slice(0, 150))];
  });

/** A link within a sentence may be as high as its line. */
const findTooSmall = (page: Page) =>
  page.evaluate(() => {
    const targets = document.querySelectorAll<HTMLElement>('button, select, input, textarea, summary, nav a, a.button, [role="slider"]');
    return [...targets].flatMap((one) => {
      const target = one.matches('input[type="checkbox"]') ? (one.closest('label') ?? one) : one;
      const { width, height } = target.getBoundingClientRect();
      const isSeen = one.checkVisibility({ visibilityProperty: true }) && width > 0;
      return isSeen && (width < 23.5 || height < 23.5) ? [`${width}x${height} ${one.outerHTML.slice(0, 120)}`] : [];
    });
  });

for (const { name, path } of ALL_PAGES) {
  test(`the page "${name}" fits every window`, async () => {
    await visit(page, path);
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: width === 360 ? 780 : 900 });
      await expect.poll(() => findTooWide(page), { message: `at ${width}` }).toEqual([]);
      if (!PICTURED.includes(width)) continue;
      expect(await findTooSmall(page), `at ${width}`).toEqual([]);
      for (const colorScheme of IS_FULL ? (['light', 'dark'] as const) : []) {
        await page.emulateMedia({ colorScheme });
        await page.screenshot({ path: picture(`${name}-${width}-${colorScheme}`), animations: 'disabled' });
      }
    }
  });
}

test('who has no token sees a page that fits, too', async ({ page }) => {
  await page.goto(world.origin());
  await expect(page.getByText('claude-mem viewer')).toBeVisible();
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 800 });
    expect(await findTooWide(page), `at ${width}`).toEqual([]);
  }
  if (IS_FULL) await page.screenshot({ path: picture('locked-360-light') });
});

test('on a phone the pages are at the bottom, with the one that is shown marked, and the others behind More', async () => {
  await page.setViewportSize({ width: 360, height: 640 });
  for (const path of ['/', '/view/feed', '/view/decisions']) {
    await visit(page, path);
    await expect(page.locator('.tabs [aria-current="page"]')).toBeInViewport({ ratio: 1 });
  }
  await page.locator('.tabs').getByRole('button', { name: 'More' }).click();
  await page.getByRole('option', { name: /^Projects/ }).click();
  await expect(page.getByRole('heading', { name: 'Projects', level: 1 })).toBeVisible();
});

test('on a phone the moments to choose from follow the project', async () => {
  await page.setViewportSize({ width: 360, height: 640 });
  await visit(page, '/view/preview?for=prompt');
  const project = await page.getByLabel('Project').boundingBox();
  const moments = await page.getByRole('group', { name: 'When' }).boundingBox();
  expect((moments?.y ?? 0) - (project?.y ?? 0) - (project?.height ?? 0)).toBeLessThan(32);
});

test('on a phone an edit can be saved without scrolling', async () => {
  await page.setViewportSize({ width: 360, height: 640 });
  await visit(page, '/view/feed');
  await page.locator('article.line[data-kind="observation"]').first().focus();
  await page.keyboard.press('e');
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByRole('button', { name: 'Save' })).toBeInViewport({ ratio: 1 });
  await page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);
});

test('dialogs fit a phone', async () => {
  await page.setViewportSize({ width: 360, height: 640 });
  await visit(page, '/view/feed');
  for (const [key, name] of [
    ['e', 'edit'],
    ['f', 'forget'],
    ['?', 'keys'],
  ] as const) {
    await page.locator('article.line[data-kind="observation"]').first().focus();
    await page.keyboard.press(key);
    const dialog = page.getByRole('dialog');
    await expect(dialog).toBeVisible();
    const box = await dialog.boundingBox();
    expect(box?.x).toBeGreaterThanOrEqual(0);
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(360);
    expect(await dialog.evaluate((one) => one.scrollWidth - one.clientWidth)).toBeLessThanOrEqual(0);
    expect(await findTooSmall(page)).toEqual([]);
    if (IS_FULL) await page.screenshot({ path: picture(`dialog-${name}-360-light`), animations: 'disabled' });
    await page.keyboard.press('Escape');
    await expect(dialog).toHaveCount(0);
  }
});

// Every page and dialog, from a phone to a 4K screen: no page is wider than its window, nothing is too small to press, no rule of WCAG 2.2 AA
// that a machine can check is broken, and Tab gets everywhere. A full run keeps a picture of each.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, type Page, test } from '@playwright/test';
import type { AxeResults } from 'axe-core';
import { edit, sessionStart, userPrompt } from '../support/payloads.ts';
import { ALL_PAGES, pathOf } from './all-pages.ts';
import { openViewer, visit, watchTrouble } from './viewer.ts';
import { addPast, workOnShop } from './work.ts';
import { createWorld, picture, type World } from './world.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const WIDTHS = [2560, 1920, 1280, 768, 360];
const PICTURED = [2560, 1920, 1280, 360];
const IS_FULL = Boolean(process.env.CLAUDE_MEM_TEST_FULL);
const LONG = 'averylongnamethatneverendsandhasnoplacetobreak'.repeat(6);

let world: World;
let page: Page;
/** Of the day in the shop, oldest first. */
let ids: string[];
const trouble: string[] = [];
test.beforeAll(async ({ browser }) => {
  world = createWorld();
  test.setTimeout(240_000);
  addPast(world);
  const cwd = await workOnShop(world);
  const { items } = (await world.api('GET', '/api/observations?project=shop')).body as { items: { id: string }[] };
  ids = items.map(({ id }) => id).reverse();
  // What no line can break at a space.
  await world.api('POST', '/api/memory/save', { title: LONG.slice(0, 150), text: `${LONG} ${LONG}`, cwd, by: 'user' });
  await world.hook('new', userPrompt('shop-session-1', cwd, `What is ${LONG}?`));
  await world.hook('save', edit('shop-session-1', cwd, `src/${LONG.slice(0, 120)}/${LONG.slice(0, 120)}.ts`, ['+x']));
  // Marks have colours of their own.
  await world.api('PATCH', `/api/observations/${ids[0]}`, { by: 'user', pinned: true });
  await world.api('PATCH', `/api/observations/${ids[1]}`, { by: 'user', wrong: true });
  await world.api('DELETE', `/api/observations/${ids[2]}`);
  page = await browser.newPage();
  await watchTrouble(page, trouble);
  await openViewer(page, world);
  await noteFocus(page);
});
test.afterEach(() => expect(trouble.splice(0)).toEqual([]));
test.afterAll(() => world.dispose());

for (const { name, path } of ALL_PAGES) {
  test(`the page "${name}" fits every window, is fit for everybody, and Tab reaches everything on it`, async () => {
    await visit(page, pathOf(path, ids[0]));
    await expect(page.locator('main').locator('a, button, input, summary').first()).toBeVisible();
    await test.step('windows', () => expectFit(page, name));
    await test.step('Tab', async () => {
      await page.setViewportSize({ width: 1280, height: 900 });
      await expectReached(page);
    });
    await test.step('WCAG', async () => {
      await page.evaluate(() => {
        for (const one of document.querySelectorAll('details')) one.open = true;
      });
      expect(await findFaultsInLooks(page, [DESK, DARK, PHONE, ...(LISTS.includes(name) ? [LARGE] : [])])).toEqual({});
    });
  });
}

test('the page of whoever has no token is like that, too', async ({ page }) => {
  await page.goto(world.origin());
  await expect(page.getByText('claude-mem viewer')).toBeVisible();
  await expectFit(page, 'locked');
  expect(await findFaultsInLooks(page)).toEqual({});
});

test('dialogs fit a phone and everybody', async () => {
  await visit(page, '/view/feed');
  for (const key of ['e', 'f', 'n', '?', 'Control+k']) {
    await page.setViewportSize({ width: 360, height: 640 });
    await page.locator('article.line[data-kind="observation"]').first().focus();
    await page.keyboard.press(key);
    const dialog = page.getByRole('dialog');
    await expect(dialog).toBeVisible();
    const box = await dialog.boundingBox();
    expect(box?.x).toBeGreaterThanOrEqual(0);
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(360);
    expect(await dialog.evaluate((one) => one.scrollWidth - one.clientWidth)).toBeLessThanOrEqual(0);
    expect(await findTooSmall(page)).toEqual([]);
    if (IS_FULL) await page.screenshot({ path: picture(`dialog-${encodeURIComponent(key)}-360-light`), animations: 'disabled' });
    expect(await findFaultsInLooks(page), key).toEqual({});
    await page.keyboard.press('Escape');
    await expect(dialog).toHaveCount(0);
  }
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

test('on a phone a decision is read by its title, the marks stand below', async () => {
  await page.setViewportSize({ width: 360, height: 780 });
  await visit(page, '/view/decisions?project=parcels');
  const widths = await page.locator('.decision .line-title').evaluateAll((all) => all.map((one) => one.getBoundingClientRect().width));
  expect(widths.length).toBeGreaterThan(2);
  expect(Math.min(...widths)).toBeGreaterThan(180);
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

test('nothing remembered, an address that leads nowhere, and a worker that is away', async ({ page }) => {
  const empty = createWorld();
  try {
    expect(empty.cli('start').code).toBe(0);
    await openViewer(page, empty);
    const names = ['overview', 'feed', 'search', 'sessions', 'preview', 'decisions', 'projects', 'data', 'health', 'settings', 'welcome'];
    const paths = ALL_PAGES.flatMap(({ name, path }) => (names.includes(name) ? path : []));
    for (const path of [...paths, '/view/nonsense', '/view/memory/99999', '/view/session/nonsense']) {
      await visit(page, path);
      expect(await findFaultsInLooks(page, [DESK]), path).toEqual({});
    }
    // A session that nothing came of yet: the first steps, not a plot of nothing.
    const cwd = empty.project('first');
    await empty.hook('context', sessionStart('first', cwd));
    await empty.hook('new', userPrompt('first', cwd, 'What is this?'));
    await visit(page, '/');
    await expect(page.locator('.steps li').nth(1)).toHaveAttribute('data-state', 'done');
    await expect(page.locator('.heat')).toHaveCount(0);
    expect(await findFaultsInLooks(page, [DESK])).toEqual({});
    empty.cli('stop');
    await expect(page.getByText('claude-mem isn’t running.').first()).toBeVisible();
    for (const path of ['/', '/view/feed', '/view/decisions']) {
      await page.evaluate((url) => {
        history.pushState(null, '', url);
        dispatchEvent(new PopStateEvent('popstate'));
      }, path);
      await expect(page.locator('main h1').first()).toBeVisible();
      expect(await findFaultsInLooks(page, [DESK]), `away, ${path}`).toEqual({});
    }
  } finally {
    empty.dispose();
  }
});

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

/** Sizes of the one scale (styles/tokens.css); the root is larger on the largest windows alone. */
const SCALE = [12, 13, 14, 16, 20];

const findOffScale = (page: Page) =>
  page.evaluate((scale) => {
    const seen = [...document.querySelectorAll<HTMLElement>('body *')].filter((one) => one.checkVisibility({ visibilityProperty: true }));
    const off = seen.filter((one) => !scale.includes(Math.round(100 * Number.parseFloat(getComputedStyle(one).fontSize)) / 100));
    return off.slice(0, 5).map((one) => `${getComputedStyle(one).fontSize} ${one.outerHTML.slice(0, 120)}`);
  }, SCALE);

async function expectFit(page: Page, name: string): Promise<void> {
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: width === 360 ? 780 : 900 });
    await expect.poll(() => findTooWide(page), { message: `at ${width}` }).toEqual([]);
    if (!PICTURED.includes(width)) continue;
    expect(await findTooSmall(page), `at ${width}`).toEqual([]);
    expect(await findOffScale(page), `at ${width}`).toEqual([]);
    for (const colorScheme of IS_FULL ? (['light', 'dark'] as const) : []) {
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: picture(`${name}-${width}-${colorScheme}`), animations: 'disabled' });
    }
  }
}

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
  for (const { width, colorScheme, rules } of IS_FULL ? EVERY_LOOK : looks) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    const faults = await findFaults(page, rules);
    if (faults.length > 0) found[`${width} ${colorScheme}`] = faults;
  }
  return found;
}

/** What a person can press or fill in, by a mark each, in the order of the page. */
function markTargets(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const all = document.querySelectorAll<HTMLElement>('a[href], button, input, select, textarea, summary, [tabindex="0"]');
    const seen = [...all].filter((one) => {
      // The box of a row is the mouse's way; the key is x.
      const isOff = one.matches(':disabled, .line-select input') || one.closest('[hidden], datalist') !== null;
      return !isOff && one.checkVisibility({ visibilityProperty: true });
    });
    return seen.map((one, at) => {
      one.dataset.target = String(at);
      return `${at} ${one.tagName} ${one.textContent?.slice(0, 30)}`;
    });
  });
}

type Focus = { reached: string[]; unseen: string[] };

/** Notes where the focus comes to, and whether one would see it there. */
const noteFocus = (page: Page) =>
  page.evaluate(() => {
    const focus: Focus = { reached: [], unseen: [] };
    Object.assign(globalThis, { focus });
    document.addEventListener('focusin', ({ target }) => {
      if (!(target instanceof HTMLElement)) return;
      const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(target);
      const isSeen = (outlineStyle !== 'none' && outlineWidth !== '0px') || boxShadow !== 'none';
      if (!isSeen) focus.unseen.push(target.outerHTML.slice(0, 120));
      focus.reached.push(target.dataset.target ?? '');
    });
  });

const forgetFocus = (page: Page) =>
  page.evaluate(() => {
    Object.assign((globalThis as unknown as { focus: Focus }).focus, { reached: [], unseen: [] });
  });

const readFocus = (page: Page) => page.evaluate(() => (globalThis as unknown as { focus: Focus }).focus);

const MOST_STEPS = 300;

async function expectReached(page: Page): Promise<void> {
  const targets = await markTargets(page);
  expect(targets.length).toBeGreaterThan(8);
  // From the top: a long list is as good as endless, and nobody comes round.
  await page.locator('[data-target="1"]').focus();
  await forgetFocus(page);
  await page.keyboard.press('Shift+Tab');
  const missed = async () => {
    const { reached } = await readFocus(page);
    // A long list lets go of rows that were left behind.
    const there = await page.locator('[data-target]').evaluateAll((all) => all.map((one) => (one as HTMLElement).dataset.target));
    return targets.filter((target) => there.includes(target.split(' ')[0]) && !reached.includes(target.split(' ')[0] ?? ''));
  };
  const goOn = async () => {
    for (let step = 0; step < MOST_STEPS; step++) {
      if (step % 25 === 0 && (await missed()).length === 0) break;
      await page.keyboard.press('Tab');
    }
  };
  // Once round. More may have come since, and the browser keeps some steps for itself: the parts of a date, its own bar.
  await goOn();
  const [behind] = await missed();
  if (behind !== undefined) {
    // Behind a list that grows as one goes down it: from there on.
    await page.locator(`[data-target="${behind.split(' ')[0]}"]`).focus();
    await page.keyboard.press('Shift+Tab');
    await forgetFocus(page);
    const before = targets.slice(0, targets.indexOf(behind));
    await goOn();
    expect((await missed()).filter((target) => !before.includes(target))).toEqual([]);
  }
  expect((await readFocus(page)).unseen).toEqual([]);
}

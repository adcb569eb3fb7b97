// A tab of the viewer, opened as a person opens it, and watched for what a page of ours never does.
import { test as base, expect, type Page } from '@playwright/test';
import type { World } from './world.ts';

/** Every test with it fails on an error in the console, a dialog, a breach of the CSP or a request to anybody else. */
const watched = base.extend<{ trouble: string[] }>({
  trouble: [
    async ({ page }, use) => {
      const trouble: string[] = [];
      await watchTrouble(page, trouble);
      await use(trouble);
      expect(trouble).toEqual([]);
    },
    { auto: true },
  ],
});

/** Each in a browser of its own, as it were: for what is kept beyond a page, or measures it. */
export const freshTest = watched;

/** In one tab after the other's end, emptied: to open a new one costs more than most tests do. */
export const test = watched.extend<object, { tab: Page }>({
  tab: [
    async ({ browser }, use) => {
      const context = await browser.newContext();
      await use(await context.newPage());
      await context.close();
    },
    { scope: 'worker' },
  ],
  context: async ({ tab }, use) => use(tab.context()),
  page: async ({ tab, viewport }, use) => {
    await use(tab);
    await leave(tab);
    if (viewport) await tab.setViewportSize(viewport);
  },
});

async function leave(tab: Page): Promise<void> {
  for (const heard of ['dialog', 'pageerror', 'console', 'request', 'response'] as const) tab.removeAllListeners(heard);
  for (const other of tab.context().pages()) if (other !== tab) await other.close();
  await tab.unrouteAll();
  if (tab.url().startsWith('http'))
    await tab.evaluate(() => {
      localStorage.clear();
      sessionStorage.clear();
    });
  await tab.goto('about:blank');
  await tab.emulateMedia({ colorScheme: null, media: null, reducedMotion: null });
  await tab.context().clearPermissions();
}

export { expect };

export async function watchTrouble(page: Page, trouble: string[]): Promise<void> {
  page.on('dialog', (dialog) => {
    trouble.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('pageerror', (error) => trouble.push(`error: ${error.stack ?? error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error') trouble.push(`console: ${message.text()} ${message.location().url}`);
  });
  page.on('request', (request) => {
    const { protocol, hostname } = new URL(request.url());
    if (protocol !== 'http:' || hostname !== '127.0.0.1') trouble.push(`request: ${request.url()}`);
  });
  // Once for each page: what a page is given so stays.
  const isNew = !breachesOf.has(page);
  breachesOf.set(page, trouble);
  if (!isNew) return;
  await page.exposeFunction('noteBreach', (breach: string) => breachesOf.get(page)?.push(`CSP: ${breach}`));
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sample }) => {
      (globalThis as unknown as { noteBreach: (breach: string) => void }).noteBreach(`${violatedDirective} ${blockedURI} ${sample}`);
    });
  });
}

const breachesOf = new WeakMap<Page, string[]>();

/** By a link of its own; the feed unless another page is named. */
export async function openViewer(page: Page, world: World, path = '/view/feed'): Promise<void> {
  const { origin, hash } = new URL(await world.link());
  await page.goto(origin + path + hash);
  await settle(page);
}

/** In a tab that has its token already, as a click on a link within the page goes. */
export async function visit(page: Page, path: string): Promise<void> {
  const isAnswer = (url: string) => new URL(url).pathname.startsWith('/api/');
  // What stood there before stays until the answer comes. Not every page asks for one.
  const answered = page.waitForResponse((response) => isAnswer(response.url()), { timeout: 1000 }).catch(() => null);
  await page.evaluate((url) => {
    history.pushState(null, '', url);
    dispatchEvent(new PopStateEvent('popstate'));
  }, path);
  await answered;
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  await settle(page);
}

/** The page has its heading, and nothing is asked for the first time any more. */
export async function settle(page: Page): Promise<void> {
  await expect(page.locator('main h1').first()).toBeVisible();
  await expect(page.locator('.skeleton')).toHaveCount(0);
  await expect(page.locator('[data-connection="live"]')).toBeAttached();
}

/** Twelve rows and more, and no sentence of the feed stands twice. */
export async function expectDenseRows(page: Page): Promise<void> {
  const rows = page.locator('article.line');
  await expect(rows.nth(12)).toBeVisible();
  const seen = await rows.evaluateAll((all) => all.filter((one) => one.getBoundingClientRect().bottom <= innerHeight).length);
  expect(seen).toBeGreaterThanOrEqual(12);
  const plain = (text: string) =>
    text
      .toLowerCase()
      .replace(/[.!?;…]+$/, '')
      .trim();
  const sentences = (await page.locator('.line-title, .feed-session-title').allInnerTexts())
    .flatMap((text) => text.split(/(?<=[.!?;])\s+/).map(plain))
    .filter((text) => text.split(' ').length > 2);
  expect(sentences.filter((text, at) => sentences.indexOf(text) !== at)).toEqual([]);
}

export const card = (page: Page, text: string | RegExp) => page.locator('article.line', { hasText: text });

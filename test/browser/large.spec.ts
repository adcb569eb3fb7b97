// A hundred thousand observations: the feed is there at once, scrolls without a hitch, and the page stays small.
import type { Page } from '@playwright/test';
import { expect, openViewer, test } from './viewer.ts';
import { createWorld, type World } from './world.ts';

const OBSERVATIONS = 100_000;
/** Cards passed by, leg by leg. */
const PASSED = 2000;
const LEGS = 3;
const LONGEST_TASK_MS = 200;

let world: World;
test.beforeAll(() => {
  test.setTimeout(240_000);
  // Vectors of all of it would take minutes, and the feed has no use for them.
  world = createWorld({ settings: { embedder: 'off' } });
  world.fill(OBSERVATIONS, 3);
  expect(world.cli('start').code).toBe(0);
});
test.afterAll(() => world.dispose());

type Watched = { longTasks: number[]; mostCards: number; passed: number };

test('the first cards are there at once, and two thousand go by without a hitch', async ({ page }) => {
  await page.addInitScript(() => {
    const longTasks: number[] = [];
    Object.assign(globalThis, { longTasks });
    new PerformanceObserver((list) => longTasks.push(...list.getEntries().map(({ duration }) => duration))).observe({
      type: 'longtask',
      buffered: true,
    });
  });
  await openViewer(page, world);
  await expect(page.locator('article.line').first()).toBeVisible();
  const firstCard = await page.evaluate(() => performance.now());
  const { firstPaint, duration } = await page.evaluate(() => {
    const [entry] = performance.getEntriesByName('first-contentful-paint');
    const feed = performance.getEntriesByType('resource').find(({ name }) => name.includes('/api/feed'));
    return { firstPaint: entry?.startTime ?? 0, duration: feed?.duration ?? 0 };
  });
  await expectLongTasksAreSeen(page);
  const client = await page.context().newCDPSession(page);
  const heap = async () => {
    await client.send('HeapProfiler.collectGarbage');
    const { usedSize } = (await client.send('Runtime.getHeapUsage')) as { usedSize: number };
    return usedSize / 1e6;
  };
  const before = await heap();
  const legs: Watched[] = [];
  for (let leg = 0; leg < LEGS; leg++) legs.push(await scrollBy(page, Math.ceil(PASSED / LEGS)));
  const after = await heap();
  const passed = legs.reduce((sum, leg) => sum + leg.passed, 0);
  const mostCards = Math.max(...legs.map((leg) => leg.mostCards));
  const longest = legs.map(({ longTasks }) => Math.round(Math.max(0, ...longTasks)));
  console.log(
    `first paint ${Math.round(firstPaint)} ms, first card at most ${Math.round(firstCard)} ms (its request ${Math.round(duration)} ms); ` +
      `${passed} cards passed, at most ${mostCards} on the page, longest tasks ${longest.join(', ')} ms; ` +
      `heap ${before.toFixed(1)} → ${after.toFixed(1)} MB`,
  );
  expect(firstPaint).toBeLessThan(2000);
  expect(passed).toBeGreaterThanOrEqual(PASSED);
  expect(mostCards).toBeLessThan(150);
  // A busy machine lets a page wait, too; what is the page's own fault is there on every leg.
  expect(Math.min(...longest)).toBeLessThan(LONGEST_TASK_MS);
  // What was loaded stays, so that one can scroll back; all else must go.
  expect(after - before).toBeLessThan(40);
});

/** A measure that measures nothing would be content with everything. */
async function expectLongTasksAreSeen(page: Page): Promise<void> {
  await page.evaluate(() => {
    const end = performance.now() + 120;
    setTimeout(() => {
      while (performance.now() < end);
    });
  });
  const seen = () => page.evaluate(() => (globalThis as unknown as { longTasks: number[] }).longTasks.length);
  await expect.poll(seen).toBeGreaterThan(0);
}

/** As a wheel does: a step in every frame, until so many cards have been on the page. */
const scrollBy = (page: Page, cards: number): Promise<Watched> =>
  page.evaluate(async (wanted) => {
    const seen = new Set<string>();
    const { longTasks } = globalThis as unknown as { longTasks: number[] };
    // The one above is not counted.
    longTasks.length = 0;
    let mostCards = 0;
    const end = performance.now() + 40_000;
    while (seen.size < wanted && performance.now() < end) {
      const all = document.querySelectorAll<HTMLElement>('article.line');
      mostCards = Math.max(mostCards, all.length);
      for (const one of all) seen.add(one.dataset.memory ?? '');
      window.scrollBy(0, 1200);
      await new Promise((resolve) => requestAnimationFrame(() => resolve(null)));
    }
    return { longTasks: [...longTasks], mostCards, passed: seen.size };
  }, cards);

test('search, overview and health answer over all of it', async ({ page }) => {
  await openViewer(page, world, '/view/search?q=invoice%20times%20out');
  await expect(page.locator('mark').first()).toBeVisible();
  await page.getByRole('link', { name: 'Overview', exact: true }).click();
  await expect(page.locator('.did')).toBeVisible();
  await page.getByRole('link', { name: 'Health', exact: true }).click();
  await expect(page.locator('.facts')).toContainText('100,000 observations');
});

// A pause is said on every page, wherever it was begun, and ended from there.
import { expect, openViewer, test, visit } from './viewer.ts';
import { workOnShop } from './work.ts';
import { createWorld, type World } from './world.ts';

let world: World;
test.beforeAll(async () => {
  world = createWorld();
  await workOnShop(world);
});
test.afterAll(() => world.dispose());

const SAID = /^Paused until .*: nothing is kept or added to a context\./;
/** Well before a page would ask by itself. */
const SOON_MS = 15_000;

test('a pause from the terminal is said on every page, and ended there', async ({ page }) => {
  await openViewer(page, world);
  expect(world.person('pause', '1h').code).toBe(0);
  await expect(page.locator('.silenced')).toHaveText(SAID, { timeout: SOON_MS });
  await expect(page.locator('[data-connection="live"]')).toHaveText('Paused');
  await visit(page, '/view/health');
  await expect(page.locator('.silenced')).toHaveText(SAID);
  await page.locator('.silenced').getByRole('button', { name: 'Resume' }).click();
  await expect(page.locator('.silenced')).toHaveCount(0);
  await expect(page.locator('[data-connection="live"]')).toHaveText('Live');
  expect((await world.api('GET', '/api/silence')).body).toEqual({ silences: [] });
});

test('a pause that the terminal ends is over on an open page at once', async ({ page }) => {
  expect(world.person('pause').code).toBe(0);
  await openViewer(page, world);
  await expect(page.locator('.silenced')).toBeVisible();
  expect(world.person('resume').code).toBe(0);
  await expect(page.locator('.silenced')).toHaveCount(0, { timeout: SOON_MS });
  await expect(page.locator('[data-connection="live"]')).toHaveText('Live');
});

test('a pause of one project names it', async ({ page }) => {
  await world.api('POST', '/api/silence', { project: 'shop' });
  await openViewer(page, world, '/view/search');
  await expect(page.locator('.silenced')).toContainText('Project shop is paused');
  await expect(page.locator('[data-connection="live"]')).toHaveText('Live');
  await page.locator('.silenced').getByRole('button', { name: 'Resume' }).click();
  await expect(page.locator('.silenced')).toHaveCount(0);
  expect((await world.api('GET', '/api/silence')).body).toEqual({ silences: [] });
});

test('an answer of before a pause, that comes after it, does not hide the pause', async ({ page }) => {
  await openViewer(page, world, '/view/settings');
  let answerLate: (() => void) | undefined;
  const late = new Promise<void>((resolve) => {
    answerLate = resolve;
  });
  let held = 0;
  await page.route('**/api/pauses', async (route) => {
    if (route.request().method() !== 'GET' || held++ > 0) return route.continue();
    const response = await route.fetch();
    await late;
    await route.fulfill({ response });
  });
  const asked = page.waitForRequest('**/api/pauses');
  await page.evaluate(() => dispatchEvent(new Event('focus')));
  const first = await asked;
  await page.getByRole('button', { name: '15 minutes' }).click();
  await expect(page.locator('.silenced')).toHaveText(SAID);
  answerLate?.();
  await (await first.response())?.finished();
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  await expect(page.locator('.silenced')).toHaveText(SAID);
});

// Several tabs: one that was opened from another gets in, one that nobody helps stays locked until a link comes.
import { expect, openViewer, freshTest as test } from './viewer.ts';
import { workOnShop } from './work.ts';
import { createWorld, type World } from './world.ts';

let world: World;
test.beforeAll(async () => {
  world = createWorld();
  await workOnShop(world);
});
test.afterAll(() => world.dispose());

const LOCKED = 'Open the viewer from your terminal';

test('a link opened in a new tab is let in by the tab that it came from', async ({ page, context }) => {
  await openViewer(page, world);
  const opened = context.waitForEvent('page');
  await page.getByRole('link', { name: 'Sessions' }).click({ modifiers: ['ControlOrMeta'] });
  const other = await opened;
  await expect(other.getByRole('heading', { name: 'Sessions', exact: true })).toBeVisible();
  await expect(other.locator('[data-connection="live"]')).toBeAttached();
  expect(other.url()).toBe(`${world.origin()}/view/sessions`);
});

test('a locked tab helps nobody, and a link in its address opens it', async ({ page, context }) => {
  await page.goto(world.origin());
  await expect(page.getByRole('heading', { name: LOCKED })).toBeVisible();
  const other = await context.newPage();
  await other.goto(world.origin());
  await expect(other.getByRole('heading', { name: LOCKED })).toBeVisible();
  await page.goto(await world.link());
  await expect(page.locator('article.line').first()).toBeVisible();
});

test('an address that names no page says so, and a session is in the title of its tab', async ({ page }) => {
  await openViewer(page, world, '/view/nothing');
  await expect(page.getByRole('heading', { name: 'There is no such page' })).toBeVisible();
  await page.getByRole('link', { name: 'To the overview' }).click();
  await expect(page.locator('article.line').first()).toBeVisible();
  await page.goto(`${world.origin()}/view/session/shop-session-1`);
  const name = await page.locator('.session-head h1').textContent();
  expect(name).not.toBe('');
  await expect(page).toHaveTitle(`${name} · claude-mem`);
  await expect(page.locator('nav [aria-current]')).toHaveText('Sessions');
});

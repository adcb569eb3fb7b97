// The history of a file, from a card and by its path.
import { card, expect, openViewer, test } from './viewer.ts';
import { workOnShop } from './work.ts';
import { createWorld, type World } from './world.ts';

let world: World;
test.beforeAll(async () => {
  world = createWorld();
  world.fill(400, 30);
  await workOnShop(world);
});
test.afterAll(() => world.dispose());

test('a file on a card leads to every memory of it', async ({ page }) => {
  await openViewer(page, world);
  await card(page, 'removeItem reset it').getByRole('link', { name: 'src/cart.ts' }).first().click();
  await expect(page).toHaveURL(/\/view\/files\?path=src%2Fcart.ts$/);
  const rows = page.locator('.file-rows li');
  await expect(rows.filter({ hasText: 'removeItem reset it' })).toContainText('changed');
  await expect(page.getByText('integers of cents')).toHaveCount(0);
  await rows.filter({ hasText: 'removeItem reset it' }).locator('.line-title').first().click();
  await expect(page.locator('.side [data-opened]')).toContainText('removeItem reset it');
});

test('the end of a path is enough, and a project narrows it', async ({ page }) => {
  await openViewer(page, world, '/view/files');
  await expect(page.getByText('Of which file?')).toBeVisible();
  const path = page.getByLabel('Path of a file');
  await path.fill('part-7.ts');
  await path.press('Enter');
  await expect(page.getByText('10 memories')).toBeVisible();
  await expect(page.locator('.file-rows li')).toHaveCount(10);
  await page.getByLabel('Project').selectOption('shop');
  await expect(page.getByText(/^No memory read or changed it/)).toBeVisible();
});

test('of all projects each row says whose it is', async ({ page }) => {
  await openViewer(page, world, '/view/files?path=src/cart.ts');
  const row = page.locator('.file-rows li', { hasText: 'removeItem reset it' }).first();
  await expect(row.getByText('shop', { exact: true })).toBeVisible();
  await page.getByLabel('Project').selectOption('shop');
  await expect(page).toHaveURL(/project=shop/);
  await expect(row.getByText('shop', { exact: true })).toHaveCount(0);
});

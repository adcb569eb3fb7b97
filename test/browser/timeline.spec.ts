// The timeline: from a row to what happened around it.
import { card, expect, openViewer, settle, test } from './viewer.ts';
import { workOnShop } from './work.ts';
import { createWorld, type World } from './world.ts';

let world: World;
test.beforeAll(async () => {
  world = createWorld();
  world.fill(120, 60);
  await workOnShop(world);
});
test.afterAll(() => world.dispose());

test('a row leads to its timeline, where it stands among its neighbours', async ({ page }) => {
  await openViewer(page, world);
  const one = page.locator('article.line[data-type="bugfix"]', { hasText: 'removeItem reset it' }).first();
  const id = await one.getAttribute('data-memory');
  await one.focus();
  await page.keyboard.press('t');
  await expect(page).toHaveURL(new RegExp(`/view/timeline\\?anchor=${id}$`));
  const anchor = page.locator('[data-anchor="true"]');
  await expect(anchor.locator('article.line')).toBeInViewport();
  await expect(anchor).toContainText('removeItem reset it');
  const titles = await page.locator('.moment').allInnerTexts();
  expect(new Set(await page.locator('.moment .line-title').allInnerTexts()).size).toBe(titles.length);
  const at = (words: string) => titles.findIndex((title) => title.includes(words));
  // Oldest first: what was asked, what came of it, what was decided later.
  expect(at('forgets the voucher')).toBeLessThan(at('removeItem reset it'));
  expect(at('removeItem reset it')).toBeLessThan(at('integers of cents'));
  await page.goBack();
  await expect(page.getByRole('heading', { name: 'Feed', exact: true })).toBeVisible();
});

test('it goes further to either side without losing the place', async ({ page }) => {
  await openViewer(page, world, '/view/timeline?anchor=60');
  const anchor = page.locator('[data-anchor="true"]');
  await expect(anchor.locator('article.line')).toBeInViewport();
  const count = () => page.locator('.moment').count();
  const before = await count();
  await page.getByRole('button', { name: 'Earlier' }).click();
  await expect.poll(count).toBeGreaterThan(before);
  const more = await count();
  await page.getByRole('button', { name: 'Later' }).click();
  await expect.poll(count).toBeGreaterThan(more);
  const times = await page.locator('.moment > time').evaluateAll((all) => all.map((one) => one.getAttribute('datetime')));
  expect(times).toEqual([...times].sort());
});

test('words, a moment or an id can be asked for', async ({ page }) => {
  await openViewer(page, world, '/view/timeline');
  await expect(page.getByText('What happened around something')).toBeVisible();
  const around = page.getByLabel('Around what');
  await around.fill('integers of cents');
  await around.press('Enter');
  await expect(page.locator('[data-anchor="true"]')).toContainText('integers of cents');
  await around.fill('#3');
  await around.press('Enter');
  await expect(page.locator('[data-anchor="true"]')).toHaveAttribute('data-memory-row', '3');
  const day = new Date(Date.now() - 2 * 86_400_000).toISOString().slice(0, 10);
  await around.fill(`${day} 12:00`);
  await around.press('Enter');
  await settle(page);
  await expect(page.locator('.moment').first()).toBeVisible();
  await expect.poll(() => page.locator(`.moment > time[datetime^="${day}"]`).count()).toBeGreaterThan(3);
});

test('an id that nobody has is said to be none', async ({ page, trouble }) => {
  await openViewer(page, world, '/view/timeline?anchor=99999');
  await expect(page.getByRole('alert').or(page.locator('.note'))).toContainText('99999');
  for (const noted of trouble.splice(0)) expect(noted).toContain('404');
});

test('types narrow the line', async ({ page }) => {
  await openViewer(page, world, '/view/timeline?anchor=60');
  await expect(card(page, '(59)')).toBeVisible();
  await page.getByRole('button', { name: 'prompt', exact: true }).click();
  await expect(page).toHaveURL(/type=prompt/);
  await expect(card(page, '(59)')).toHaveCount(0);
});

// Light, dark, or as the system has it: chosen once, there from the first picture on.
import type { Page } from '@playwright/test';
import { expect, openViewer, test } from './viewer.ts';
import { workOnShop } from './work.ts';
import { createWorld, type World } from './world.ts';

let world: World;
test.beforeAll(async () => {
  world = createWorld();
  await workOnShop(world);
});
test.afterAll(() => world.dispose());

const background = (page: Page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);

/** 0 is black, 1 is white. */
async function lightness(page: Page): Promise<number> {
  return page.evaluate(() => {
    const canvas = document.createElement('canvas').getContext('2d');
    if (!canvas) throw new Error('there is no canvas');
    canvas.fillStyle = getComputedStyle(document.body).backgroundColor;
    canvas.fillRect(0, 0, 1, 1);
    const [red = 0, green = 0, blue = 0] = canvas.getImageData(0, 0, 1, 1).data;
    return (red + green + blue) / 765;
  });
}

test('it follows the system until somebody chooses', async ({ page }) => {
  await page.emulateMedia({ colorScheme: 'light' });
  await openViewer(page, world);
  expect(await lightness(page)).toBeGreaterThan(0.9);
  await page.emulateMedia({ colorScheme: 'dark' });
  expect(await lightness(page)).toBeLessThan(0.2);
  await page.getByRole('button', { name: 'Light' }).click();
  expect(await lightness(page)).toBeGreaterThan(0.9);
  await page.emulateMedia({ colorScheme: 'light' });
  await page.getByRole('button', { name: 'Dark' }).click();
  expect(await lightness(page)).toBeLessThan(0.2);
  await page.getByRole('button', { name: 'System' }).click();
  expect(await lightness(page)).toBeGreaterThan(0.9);
});

test('the choice outlives the page, and no other colour flashes before it', async ({ page, context }) => {
  await page.emulateMedia({ colorScheme: 'light' });
  await openViewer(page, world);
  await page.getByRole('button', { name: 'Dark' }).click();
  const dark = await background(page);
  await page.addInitScript(() => {
    const seen = new Set<string>();
    Object.assign(globalThis, { seen });
    const look = () => {
      if (document.body) seen.add(getComputedStyle(document.body).backgroundColor);
      requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
  await page.reload();
  await expect(page.locator('article.card').first()).toBeVisible();
  expect(await page.evaluate(() => [...(globalThis as unknown as { seen: Set<string> }).seen])).toEqual([dark]);

  const other = await context.newPage();
  await other.emulateMedia({ colorScheme: 'light' });
  await openViewer(other, world);
  expect(await background(other)).toBe(dark);
  await expect(other.getByRole('button', { name: 'Dark' })).toHaveAttribute('aria-pressed', 'true');
});

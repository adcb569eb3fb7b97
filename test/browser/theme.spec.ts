// Light, dark, or as the system has it: chosen once, there from the first picture on.
import type { Locator, Page } from '@playwright/test';
import { expect, openViewer, freshTest as test } from './viewer.ts';
import { workOnShop } from './work.ts';
import { createWorld, type World } from './world.ts';

let world: World;
test.beforeAll(async () => {
  world = createWorld();
  world.fill(30, 10);
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

test('which of several is chosen is seen, in light and in dark', async ({ page }) => {
  await openViewer(page, world);
  for (const theme of ['Light', 'Dark']) {
    const chosen = page.getByRole('button', { name: theme });
    await chosen.click();
    await expect(chosen).toHaveAttribute('aria-pressed', 'true');
    // WCAG asks 3 of what marks a state, 4.5 of a text.
    await expect.poll(() => contrast(chosen, 'border-top-color', 'page')).toBeGreaterThan(3);
    await expect.poll(() => contrast(chosen, 'color', 'itself')).toBeGreaterThan(4.5);
  }
});

/** Of a colour of the element on its own background or on that of the page. */
function contrast(element: Locator, name: string, on: 'page' | 'itself'): Promise<number> {
  return element.evaluate(
    (one, [name, on]) => {
      const luminance = (colour: string) => {
        const parts = (colour.match(/[\d.]+/g) ?? []).slice(0, 3).map((part) => Number(part) / 255);
        const [red = 0, green = 0, blue = 0] = parts.map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
      };
      const style = getComputedStyle(one);
      const under = on === 'page' ? getComputedStyle(document.body) : style;
      const [dark = 0, light = 0] = [style.getPropertyValue(name ?? ''), under.backgroundColor].map(luminance).sort((a, b) => a - b);
      return (light + 0.05) / (dark + 0.05);
    },
    [name, on],
  );
}

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
  await expect(page.locator('article.line').first()).toBeVisible();
  expect(await page.evaluate(() => [...(globalThis as unknown as { seen: Set<string> }).seen])).toEqual([dark]);

  const other = await context.newPage();
  await other.emulateMedia({ colorScheme: 'light' });
  await openViewer(other, world);
  expect(await background(other)).toBe(dark);
  await expect(other.getByRole('button', { name: 'Dark' })).toHaveAttribute('aria-pressed', 'true');
});

const TYPES = ['decision', 'bugfix', 'feature', 'refactor', 'discovery', 'change'];

test('each type has a shape of its own, and a colour that is seen on both papers', async ({ page }) => {
  await openViewer(page, world, '/view/feed?project=large');
  for (const theme of ['Light', 'Dark']) {
    await page.getByRole('button', { name: theme }).click();
    const shapes = new Set<string | null>();
    for (const type of TYPES) {
      const icon = page.locator(`.type-icon[data-type="${type}"]`).first();
      await expect.poll(() => contrast(icon, 'color', 'page'), type).toBeGreaterThan(3);
      shapes.add(await icon.locator('path').getAttribute('d'));
    }
    expect(shapes.size).toBe(TYPES.length);
  }
});

test('nothing moves for whom the system asks for that', async ({ page }) => {
  await openViewer(page, world);
  const moving = () =>
    page.evaluate(() => {
      const isTimed = (times: string) => times.split(', ').some((time) => time !== '0s');
      return [...document.querySelectorAll('*')].filter((one) => {
        const { transitionDuration, animationName, animationDuration } = getComputedStyle(one);
        return isTimed(transitionDuration) || (animationName !== 'none' && isTimed(animationDuration));
      }).length;
    });
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  expect(await moving()).toBeGreaterThan(0);
  await page.emulateMedia({ reducedMotion: 'reduce' });
  expect(await moving()).toBe(0);
});

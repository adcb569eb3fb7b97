// No page and no dialog breaks a rule of WCAG 2.2 AA that a machine can check, light and dark, on a phone and on a desk.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from '@playwright/test';
import type { AxeResults } from 'axe-core';
import { ALL_PAGES } from './all-pages.ts';
import { expect, openViewer, test, visit } from './viewer.ts';
import { workOnShop } from './work.ts';
import { createWorld, type World } from './world.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

let world: World;
test.beforeAll(async () => {
  world = createWorld();
  await workOnShop(world);
  // Marks have colours of their own.
  await world.api('PATCH', '/api/observations/1', { by: 'user', pinned: true });
  await world.api('PATCH', '/api/observations/2', { by: 'user', wrong: true });
  await world.api('DELETE', '/api/observations/3');
});
test.afterAll(() => world.dispose());

type Axe = { run: (root: Document, options: object) => Promise<AxeResults> };

/** The policy of the page lets no script tag in; the driver of the browser is not bound by it. */
async function findFaults(page: Page): Promise<string[]> {
  await page.evaluate(`if (!globalThis.axe) { ${AXE} }`);
  const { violations } = await page.evaluate(() => {
    const { axe } = globalThis as unknown as { axe: Axe };
    const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
    return axe.run(document, { runOnly: tags, resultTypes: ['violations'] });
  });
  return violations.flatMap(({ id, impact, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${impact} ${id}: ${html.slice(0, 160)} ${failureSummary?.slice(0, 300)}`),
  );
}

const LOOKS = [
  { width: 1280, colorScheme: 'light' },
  { width: 1280, colorScheme: 'dark' },
  { width: 360, colorScheme: 'dark' },
  { width: 360, colorScheme: 'light' },
] as const;

async function findFaultsInEveryLook(page: Page): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {};
  for (const { width, colorScheme } of LOOKS) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    const faults = await findFaults(page);
    if (faults.length > 0) found[`${width} ${colorScheme}`] = faults;
  }
  return found;
}

for (const { name, path } of ALL_PAGES) {
  test(`the page "${name}" is fit for everybody`, async ({ page }) => {
    await openViewer(page, world);
    await visit(page, world, path);
    for (const summary of await page.locator('details:not([open]) > summary').all()) {
      if (await summary.isVisible()) await summary.click();
    }
    expect(await findFaultsInEveryLook(page)).toEqual({});
  });
}

test('the page of whoever has no token is, too', async ({ page }) => {
  await page.goto(world.origin());
  await expect(page.getByText('claude-mem viewer')).toBeVisible();
  expect(await findFaultsInEveryLook(page)).toEqual({});
});

test('and so are the dialogs', async ({ page }) => {
  await openViewer(page, world);
  for (const key of ['e', 'f', '?']) {
    await page.locator('article.card[data-kind="observation"]').first().focus();
    await page.keyboard.press(key);
    await expect(page.getByRole('dialog')).toBeVisible();
    expect(await findFaultsInEveryLook(page), key).toEqual({});
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog')).toHaveCount(0);
  }
});

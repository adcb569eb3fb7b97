// Everything by keyboard alone: the keys of cards, the way of the focus, and where it is after a dialog.
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

const focused = (page: Page) => page.locator('*:focus');

test('j and k go from card to card, Enter opens one, Escape leaves it', async ({ page }) => {
  await openViewer(page, world);
  await expect(page.locator('article.line').first()).toBeVisible();
  const ids = await page.locator('article.line').evaluateAll((all) => all.map((one) => one.getAttribute('data-memory')));
  await page.keyboard.press('j');
  await expect(focused(page)).toHaveAttribute('data-memory', ids[0] ?? '');
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await expect(focused(page)).toHaveAttribute('data-memory', ids[2] ?? '');
  await page.keyboard.press('k');
  await expect(focused(page)).toHaveAttribute('data-memory', ids[1] ?? '');
  await page.keyboard.press('Enter');
  const side = page.getByRole('complementary', { name: 'Opened memory' });
  await expect(side.locator('[data-opened]')).toHaveAttribute('data-opened', ids[1] ?? '');
  // The panel follows the focus.
  await page.keyboard.press('j');
  await expect(side.locator('[data-opened]')).toHaveAttribute('data-opened', ids[2] ?? '');
  await page.keyboard.press('Escape');
  await expect(side).toHaveCount(0);
  await page.keyboard.press('Escape');
  await expect(page.locator('article.line:focus')).toHaveCount(0);
});

test('p, e, w, f and t do what they say to the card with the focus, which gets it back', async ({ page }) => {
  await openViewer(page, world);
  const card = page.locator('main [data-memory="1"]');
  await card.focus();
  await page.keyboard.press('p');
  await expect(card.locator('.pinned')).toBeVisible();
  await page.keyboard.press('p');
  await expect(card.locator('.pinned')).toHaveCount(0);
  await page.keyboard.press('w');
  await expect(card).toHaveAttribute('data-wrong', 'true');
  await page.keyboard.press('w');
  await expect(card).not.toHaveAttribute('data-wrong', 'true');
  await expect(card).toBeFocused();

  await page.keyboard.press('e');
  const edit = page.getByRole('dialog', { name: 'Edit #1' });
  await expect(edit).toBeVisible();
  await edit.getByLabel('Title', { exact: true }).press('j');
  await expect(edit.getByLabel('Title', { exact: true })).toHaveValue(/j$/);
  await page.keyboard.press('Escape');
  await expect(edit).toHaveCount(0);
  await expect(card).toBeFocused();

  await page.keyboard.press('f');
  const forget = page.getByRole('dialog', { name: 'Forget #1?' });
  await expect(forget).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(forget).toHaveCount(0);
  await expect(card).toBeFocused();

  await page.keyboard.press('t');
  await expect(page).toHaveURL(/\/view\/timeline\?anchor=1$/);
});

test('what only an observation can have done to it says so on a prompt', async ({ page }) => {
  await openViewer(page, world);
  await page.locator('article.line[data-kind="prompt"]').first().focus();
  for (const [key, words] of [
    ['p', 'Only observations can be pinned.'],
    ['w', 'Only observations can be marked as incorrect.'],
    ['e', 'Only observations can be edited.'],
  ] as const) {
    await page.keyboard.press(key);
    await expect(page.locator('.toast', { hasText: words })).toBeVisible();
  }
});

test('? tells the keys, / searches, and a key in a field belongs to the field', async ({ page }) => {
  await openViewer(page, world);
  await page.keyboard.press('?');
  const keys = page.getByRole('dialog', { name: 'Keys' });
  for (const about of ['Next row', 'Hide or delete', 'Search', 'Go to Decisions', 'Ctrl K', 'All keys'])
    await expect(keys).toContainText(about);
  await page.keyboard.press('j');
  await expect(page.locator('article.line:focus')).toHaveCount(0);
  await page.keyboard.press('Escape');
  await expect(keys).toHaveCount(0);
  await page.keyboard.press('/');
  const field = page.getByLabel('What to look for');
  await expect(field).toBeFocused();
  await page.keyboard.type('voucher j k ? p');
  await expect(field).toHaveValue('voucher j k ? p');
  await field.fill('voucher');
  await expect(page.locator('mark').first()).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(page.locator('article.line:focus')).toHaveCount(1);
  await page.keyboard.press('/');
  await expect(field).toBeFocused();
});

test('a dialog keeps the focus inside until it closes', async ({ page }) => {
  await openViewer(page, world);
  await page.locator('[data-memory="1"]').focus();
  await page.keyboard.press('f');
  await expect(page.getByRole('dialog')).toBeVisible();
  for (let step = 0; step < 12; step++) {
    await page.keyboard.press('Tab');
    // Between the last and the first the browser itself has it.
    expect(await page.evaluate(() => document.activeElement?.closest('dialog, body')?.tagName)).toMatch(/DIALOG|BODY/);
    expect(await page.evaluate(() => document.activeElement?.closest('.rail, .line') ?? null)).toBeNull();
  }
});

test('g and a letter go to a page; the palette finds pages, actions and memories', async ({ page }) => {
  await openViewer(page, world);
  for (const [key, name] of [
    ['d', 'Decisions'],
    ['p', 'Projects'],
    ['o', 'Overview'],
    ['f', 'Feed'],
  ] as const) {
    await page.keyboard.press('g');
    await page.keyboard.press(key);
    await expect(page.getByRole('heading', { name, exact: true, level: 1 })).toBeVisible();
  }
  await page.keyboard.press('Control+k');
  const palette = page.getByRole('dialog', { name: 'Find or do' });
  await palette.getByRole('combobox').fill('sett');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Settings', exact: true, level: 1 })).toBeVisible();
  await page.keyboard.press('Control+k');
  await palette.getByRole('combobox').fill('removeItem reset');
  await palette
    .getByRole('option', { name: /removeItem reset it/ })
    .first()
    .click();
  await expect(page).toHaveURL(/\/view\/memory\/\d+$/);
  await expect(page.getByRole('heading', { name: /removeItem reset it/ })).toBeVisible();
});

test('something is remembered by hand, and taken back', async ({ page }) => {
  await openViewer(page, world);
  await page.keyboard.press('n');
  const dialog = page.getByRole('dialog', { name: 'Remember' });
  await dialog.getByLabel('What should sessions know?').fill('Deploys happen from main before four.');
  await dialog.getByRole('button', { name: 'Remember' }).click();
  await expect(page.locator('article.line', { hasText: 'Deploys happen from main' })).toBeVisible();
  await page.locator('.toast', { hasText: 'Remembered as' }).getByRole('button', { name: 'Undo' }).click();
  await expect(page.locator('article.line', { hasText: 'Deploys happen from main' })).toHaveCount(0);
});

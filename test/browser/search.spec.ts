// Search: what is found as one types, what is marked in it and why, and what is said when nothing is.
import { card, expect, openViewer, test } from './viewer.ts';
import { workOnShop } from './work.ts';
import { createWorld, type World } from './world.ts';

let world: World;
test.beforeAll(async () => {
  world = createWorld({ settings: { embedder: 'minilm' } });
  world.fill(200, 150);
  await workOnShop(world);
});
test.afterAll(() => world.dispose());

const field = 'What to look for';

test('answers come while one types, with the words marked and the reason said', async ({ page }) => {
  // Half a word is found by its meaning, once that is indexed.
  const half = async () => (await world.api('GET', '/api/search?query=vouch&all=true')).body as { total: number };
  await expect.poll(async () => (await half()).total, { timeout: 60_000 }).toBeGreaterThan(0);
  await openViewer(page, world);
  await page.keyboard.press('/');
  await expect(page.getByLabel(field)).toBeFocused();
  await expect(page.getByText('Search what was observed, decided, asked and done')).toBeVisible();
  await page.keyboard.type('vouch', { delay: 30 });
  await expect(card(page, 'voucher').first()).toBeVisible();
  await page.keyboard.type('er');
  await expect(page).toHaveURL(/\/view\/search\?q=voucher$/);
  await expect(page.locator('mark', { hasText: /^voucher$/i }).first()).toBeVisible();
  await expect(page.getByText(/^\d+ results?$/)).toBeVisible();
  const why = page.locator('details.why').first();
  await expect(why.locator('summary')).toContainText('Matched voucher');
  await why.locator('summary').click();
  await expect(why.locator('dl')).toContainText(/its words match\s*\d+%/);
});

test('what is typed while the address takes up the question stays in the field', async ({ page }) => {
  await openViewer(page, world, '/view/search');
  const input = page.getByLabel(field);
  await input.evaluate((element: HTMLInputElement) => {
    const replace = history.replaceState.bind(history);
    history.replaceState = (...change) => {
      replace(...change);
      if (element.value !== 'vouc') return;
      element.value = 'vouch';
      element.dispatchEvent(new InputEvent('input', { bubbles: true }));
    };
  });
  await input.fill('vouc');
  await expect(page).toHaveURL(/q=vouch$/);
  await expect(input).toHaveValue('vouch');
});

test('only what is asked for is marked, in one piece each', async ({ page }) => {
  await openViewer(page, world, '/view/search?q=integers%20of%20cents');
  await expect(page.locator('mark').first()).toBeVisible();
  const marked = await page.locator('mark').allInnerTexts();
  for (const text of marked) expect(text.toLowerCase()).toMatch(/^(integer|cent)/);
});

test('filters and order narrow the answer and stand in the address', async ({ page }) => {
  await openViewer(page, world, '/view/search?q=voucher');
  await expect(card(page, 'voucher').first()).toBeVisible();
  await page.getByLabel('Project').selectOption('large');
  await expect(page).toHaveURL(/project=large/);
  await expect(card(page, 'removeItem reset it')).toHaveCount(0);
  await page.getByLabel('Project').selectOption('shop');
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  await page.getByRole('button', { name: 'bugfix' }).click();
  await expect(page).toHaveURL(/type=bugfix/);
  await expect(card(page, 'removeItem reset it')).toHaveCount(1);
  await expect(page.locator('article.line')).toHaveCount(1);
  await page.getByRole('button', { name: 'Newest' }).click();
  await expect(page).toHaveURL(/order=date/);
  await expect(page.getByRole('button', { name: 'Newest' })).toHaveAttribute('aria-pressed', 'true');
  await page.reload();
  await expect(page.locator('article.line')).toHaveCount(1);
});

test('filters alone are a question, too, and more of it comes on demand', async ({ page }) => {
  await openViewer(page, world, '/view/search?project=large');
  await expect(page.locator('article.line')).toHaveCount(20);
  await page.getByRole('button', { name: 'More', exact: true }).click();
  await expect(page.locator('article.line')).toHaveCount(40);
});

test('nothing relevant is said in so many words', async ({ page }) => {
  await openViewer(page, world, '/view/search');
  await page.getByLabel(field).fill('zxqv kubernetes zebra');
  await expect(page.getByRole('heading', { name: 'No results for “zxqv kubernetes zebra”' })).toBeVisible();
  await expect(page.locator('article.line')).toHaveCount(0);
  await page.getByLabel(field).fill('');
  await expect(page.getByText('Search what was observed, decided, asked and done')).toBeVisible();
});

test('Escape leaves the field, and keeps the question', async ({ page }) => {
  await openViewer(page, world, '/view/search?q=voucher');
  await expect(card(page, 'voucher').first()).toBeVisible();
  await page.getByLabel(field).press('Escape');
  await expect(page.getByLabel(field)).not.toBeFocused();
  await expect(page.getByLabel(field)).toHaveValue('voucher');
  await expect(card(page, 'voucher').first()).toBeVisible();
});

test('the last letter decides, however the answers come in', async ({ page }) => {
  await openViewer(page, world, '/view/search');
  // The answer for the first letters is held back until that for the last is there.
  let release: (() => void) | undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(/\/api\/search\?.*query=invoice(&|$)/, async (route) => {
    await held;
    await route.continue().catch(() => undefined);
  });
  await page.getByLabel(field).fill('invoice');
  await page.waitForRequest(/query=invoice(&|$)/);
  await page.getByLabel(field).fill('voucher');
  await expect(card(page, 'voucher').first()).toBeVisible();
  release?.();
  await expect(page.locator('mark', { hasText: /invoice/i })).toHaveCount(0);
});

test('operators narrow what is asked, and are offered while one types', async ({ page }) => {
  await openViewer(page, world, '/view/search');
  const input = page.getByLabel(field);
  await input.pressSequentially('voucher typ');
  await page.getByRole('option', { name: 'type:' }).click();
  await input.pressSequentially('bug');
  await page.keyboard.press('Tab');
  await expect(input).toHaveValue('voucher type:bugfix ');
  await expect(page.locator('article.line').first()).toBeVisible();
  const types = () => page.locator('article.line').evaluateAll((all) => [...new Set(all.map((one) => one.getAttribute('data-type')))]);
  await expect.poll(types).toEqual(['bugfix']);
  await input.fill('project:shop file:src/total.ts');
  await expect(card(page, 'integers of cents').first()).toBeVisible();
  await expect(card(page, 'removeItem reset it')).toHaveCount(0);
});

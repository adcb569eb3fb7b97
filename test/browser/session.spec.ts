// A session: its turns, what was done in each and what came of it, and what it was told at its start.
import { sessionStart, userPrompt } from '../support/payloads.ts';
import { card, expect, openViewer, test } from './viewer.ts';
import { workOnShop } from './work.ts';
import { createWorld, type World } from './world.ts';

let world: World;
let told: string;
test.beforeAll(async () => {
  world = createWorld();
  const cwd = await workOnShop(world);
  const output = JSON.parse(await world.hook('context', sessionStart('second-session', cwd)));
  told = output.hookSpecificOutput.additionalContext;
  await world.hook('new', userPrompt('second-session', cwd, 'Go on with the invoices, please.'));
});
test.afterAll(() => world.dispose());

test('the list leads to a session, and a card does, too', async ({ page }) => {
  await openViewer(page, world, '/view/sessions');
  await expect(page.locator('.session-row')).toHaveCount(2);
  await page.getByRole('link', { name: /removeItem reset it/ }).click();
  await expect(page).toHaveURL(/\/view\/session\/shop-session-1$/);
  await page.goBack();
  await page.getByRole('link', { name: 'Feed', exact: true }).click();
  await card(page, 'removeItem reset it').first().getByRole('link', { name: 'session' }).click();
  await expect(page).toHaveURL(/\/view\/session\/shop-session-1$/);
  await expect(page.getByRole('heading', { level: 1 })).toContainText('removeItem reset it');
});

test('each turn tells what was asked, done and remembered', async ({ page }) => {
  await openViewer(page, world, '/view/session/shop-session-1');
  const first = page.locator('[data-turn="1"]');
  await expect(first.locator('summary').first()).toContainText('The cart forgets the voucher when an item is removed.');
  const tools = first.getByRole('list', { name: 'What the agent did in turn 1' }).getByRole('listitem');
  await expect(tools).toHaveCount(3);
  await expect(tools.nth(0)).toContainText('Bash');
  await expect(tools.nth(0)).toContainText('npm test -- cart');
  await expect(tools.nth(0)).toContainText('failed');
  await expect(tools.nth(1)).toContainText('src/cart.ts');
  await tools.nth(1).getByRole('button').first().click();
  const came = card(page, 'removeItem reset it').first();
  await expect(came).toBeFocused();
  await expect(first.locator('article.card[data-kind="summary"]')).toContainText('The cart forgets the voucher');
  const second = page.locator('[data-turn="2"]');
  await expect(second).toContainText('integers of cents');
  await expect(second.locator('article.card[data-kind="summary"]')).toContainText('migrate the invoices');
  await page.getByRole('button', { name: 'Fold all' }).click();
  await expect(page.locator('article.card')).toHaveCount(0);
  await expect(first).toContainText('3 steps');
});

test('the turns are shown from either end', async ({ page }) => {
  await openViewer(page, world, '/view/session/shop-session-1');
  const numbers = () => page.locator('.turn').evaluateAll((all) => all.map((one) => one.getAttribute('data-turn')));
  await expect.poll(numbers).toEqual(['1', '2']);
  await page.getByRole('button', { name: 'Newest first' }).click();
  await expect.poll(numbers).toEqual(['2', '1']);
  await expect(page).toHaveURL(/order=newest$/);
});

test('it shows word for word what it was told, and why', async ({ page }) => {
  await openViewer(page, world, '/view/session/second-session');
  const telling = page.locator('.telling').first();
  await telling.locator('summary').first().click();
  const records = telling.locator('.telling-records li');
  await expect(records.filter({ hasText: 'removeItem reset it' }).first()).toContainText('Last session');
  await telling.getByText('Word for word').click();
  expect(await telling.locator('pre').textContent()).toBe(told);
});

test('a session that goes on is followed', async ({ page }) => {
  await openViewer(page, world, '/view/session/second-session');
  await expect(page.locator('[data-turn="1"]')).toContainText('Go on with the invoices');
  const cwd = world.project('shop');
  await world.hook('new', userPrompt('second-session', cwd, 'Round them half up.'));
  await expect(page.locator('[data-turn="2"]')).toContainText('Round them half up.');
});

test('a session that nobody knows is said to be none', async ({ page, trouble }) => {
  await openViewer(page, world, '/view/session/nobody');
  await expect(page.getByRole('alert').first()).toBeVisible();
  for (const noted of trouble.splice(0)) expect(noted).toContain('404');
});

test('of a session that was imported it is not known what it was told', async ({ page }) => {
  const path = '/view/session/shop-session-1';
  await page.route('**/api/context/replay*', (route) =>
    route.fulfill({ json: { session: 'shop-session-1', project: 'shop', tellings: [] } }),
  );
  await openViewer(page, world, path);
  await expect(page.getByText('It was told nothing.')).toBeVisible();
  await page.route('**/api/sessions/shop-session-1*', async (route) => {
    const response = await route.fetch();
    const answer = await response.json();
    await route.fulfill({ response, json: { ...answer, session: { ...answer.session, endReason: 'import' } } });
  });
  await page.reload();
  await expect(page.getByText('Not known: the session was imported.')).toBeVisible();
});

// A session: its turns, what was said and done in each and what came of it, and the context it got.
import { spawnSync } from 'node:child_process';
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
  await expect(card(page, 'removeItem reset it').first()).toBeVisible();
  await page
    .getByRole('link', { name: /^session shop-ses/ })
    .first()
    .click();
  await expect(page).toHaveURL(/\/view\/session\/shop-session-1$/);
  await expect(page.getByRole('heading', { level: 1 })).toContainText('removeItem reset it');
});

test('each turn tells what was asked, done and remembered', async ({ page }) => {
  await openViewer(page, world, '/view/session/shop-session-1');
  const first = page.locator('[data-turn="1"]');
  await expect(first.locator('summary').first()).toContainText('The cart forgets the voucher when an item is removed.');
  const steps = first.locator('.step');
  await expect(steps).toHaveCount(4);
  await expect(steps.nth(0)).toContainText('npm test -- cart');
  await expect(steps.nth(0)).toContainText('failed');
  await expect(steps.nth(0)).toContainText('expected 10, got 0');
  await expect(steps.nth(1).locator('.diff-line[data-sign="+"]')).toContainText('this.items.length > 0');
  await expect(steps.nth(3)).toContainText('all 14 cart tests pass');
  await expect(first.locator('article.line')).toContainText('removeItem reset it');
  const second = page.locator('[data-turn="2"]');
  await expect(second).toContainText('integers of cents');
  await expect(second).toContainText('migrate the invoices');
  await page.getByRole('button', { name: 'Fold all' }).click();
  await expect(page.locator('.turn article.line')).toHaveCount(0);
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
  await expect(page.getByText('There is no session nobody')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Try again' })).toHaveCount(0);
  for (const noted of trouble.splice(0)) expect(noted).toContain('404');
});

test('of a session that was imported it is not known what it was told', async ({ page }) => {
  const path = '/view/session/shop-session-1';
  await page.route('**/api/context/replay*', (route) =>
    route.fulfill({ json: { session: 'shop-session-1', project: 'shop', tellings: [] } }),
  );
  await openViewer(page, world, path);
  await expect(page.getByText('It got no context.')).toBeVisible();
  for (const endReason of ['import', 'transcript']) {
    await page.unroute('**/api/sessions/shop-session-1*');
    await page.route('**/api/sessions/shop-session-1*', async (route) => {
      const response = await route.fetch();
      const answer = await response.json();
      await route.fulfill({ response, json: { ...answer, session: { ...answer.session, endReason } } });
    });
    await page.reload();
    await expect(page.getByText('Not known: the session was imported.')).toBeVisible();
  }
});

const AUTHOR = ['-c', 'user.name=T', '-c', 'user.email=t@example.com'];

test('sessions are narrowed down to an agent and to a branch', async ({ page }) => {
  for (const branch of ['main', 'payments']) {
    const cwd = world.project(`on ${branch}`);
    for (const words of ['init -q -b', 'commit -q --allow-empty -m'])
      expect(spawnSync('git', ['-C', cwd, ...AUTHOR, ...words.split(' '), branch]).status).toBe(0);
    await world.hook('context', sessionStart(`on-${branch}`, cwd));
    await world.hook('new', userPrompt(`on-${branch}`, cwd, `Which cards do we take on ${branch}?`));
  }
  const program = { sessionId: 'by-http', cwd: world.project('shop'), host: 'cursor' };
  expect((await world.api('POST', '/api/sessions/init', program)).status).toBe(200);
  await openViewer(page, world, '/view/sessions');
  const rows = page.locator('.session-row');
  await expect(rows).not.toHaveCount(1);
  await page.getByLabel('All branches').selectOption('payments');
  await expect(rows).toHaveCount(1);
  await expect(rows).toContainText('Which cards do we take on payments?');
  await page.getByLabel('All branches').selectOption('');
  await expect(rows).not.toHaveCount(1);
  const agents = page.getByLabel('All agents');
  const other = (await agents.locator('option').allTextContents()).find((name) => !/^(All agents|claude-code)$/.test(name)) ?? '';
  await agents.selectOption(other);
  await expect(page).toHaveURL(new RegExp(`agent=${other}`));
  await expect(rows).toHaveCount(1);
  await expect(rows).toContainText('cursor');
});

test('sessions are searched, and one is resumed by a command that is copied', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await openViewer(page, world, '/view/sessions');
  await page.getByLabel('Find a session').fill('go on with');
  await expect(page.locator('.session-row')).toHaveCount(1);
  await expect(page).toHaveURL(/q=go\+on\+with/);
  await page.getByLabel('Find a session').fill('nothing like it');
  await expect(page.getByText('No session fits')).toBeVisible();
  await openViewer(page, world, '/view/session/shop-session-1');
  await page.getByRole('button', { name: 'Copy claude --resume shop-session-1' }).click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/^cd \S+ && claude --resume shop-session-1$/);
});

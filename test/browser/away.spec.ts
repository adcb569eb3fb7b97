// The worker comes and goes under an open page: it says so, takes up again by itself and catches up.
import { test } from '@playwright/test';
import { sessionStart, userPrompt } from '../support/payloads.ts';
import { card, expect, openViewer } from './viewer.ts';
import { workOnShop } from './work.ts';
import { createWorld, type World } from './world.ts';

let world: World;
test.beforeAll(async () => {
  world = createWorld();
  await workOnShop(world);
});
test.afterAll(() => world.dispose());

test('killed, it is said to be away; back, the page catches up with what happened meanwhile', async ({ page }) => {
  await openViewer(page, world);
  await expect(card(page, 'integers of cents').first()).toBeVisible();
  await page.evaluate(() => Object.assign(globalThis, { isSamePage: true }));
  process.kill(world.pid(), 'SIGKILL');
  await expect(page.getByText('claude-mem isn’t running.')).toBeVisible({ timeout: 20_000 });
  await expect(page.locator('[data-connection="away"]')).toBeAttached();
  // What was there stays to be read.
  await expect(card(page, 'integers of cents').first()).toBeVisible();
  await page.getByRole('link', { name: 'Overview', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Overview', level: 1 })).toBeVisible();
  await expect(page.getByText('All is well')).toHaveCount(0);
  await page.goBack();

  const cwd = world.project('shop');
  await world.hook('context', sessionStart('while-away', cwd));
  await world.hook('new', userPrompt('while-away', cwd, 'Did anybody see this?'));
  await expect(page.locator('[data-connection="live"]')).toBeAttached({ timeout: 30_000 });
  await expect(page.getByText('claude-mem isn’t running.')).toHaveCount(0);
  await expect(card(page, 'Did anybody see this?').first()).toBeVisible();
  await world.hook('new', userPrompt('while-away', cwd, 'And is it live again?'));
  await expect(card(page, 'And is it live again?').first()).toBeVisible();
  expect(await page.evaluate(() => 'isSamePage' in globalThis)).toBe(true);
});

test('what somebody does while it is away is not lost silently', async ({ page }) => {
  await openViewer(page, world);
  const made = page.locator('article.line[data-kind="observation"]').first();
  await expect(made).toBeVisible();
  process.kill(world.pid(), 'SIGKILL');
  await expect(page.getByText('claude-mem isn’t running.')).toBeVisible();
  await made.focus();
  await page.keyboard.press('p');
  await expect(page.locator('.toast.bad')).toContainText('claude-mem isn’t running.');
  await expect(made.locator('.pinned')).toHaveCount(0);
  expect(world.cli('start').code).toBe(0);
  await expect(page.locator('[data-connection="live"]')).toBeAttached({ timeout: 30_000 });
  await page.keyboard.press('p');
  await expect(made.locator('.pinned')).toBeVisible();
});

test('one that hangs is said to be away, too, and taken up again', async ({ page }) => {
  await openViewer(page, world);
  const pid = world.pid();
  process.kill(pid, 'SIGSTOP');
  try {
    await expect(page.getByText('claude-mem isn’t running.')).toBeVisible({ timeout: 20_000 });
  } finally {
    process.kill(pid, 'SIGCONT');
  }
  await expect(page.locator('[data-connection="live"]')).toBeAttached({ timeout: 30_000 });
  await expect(page.getByText('claude-mem isn’t running.')).toHaveCount(0);
});

test('a restart is got over without a hand', async ({ page }) => {
  await openViewer(page, world, '/view/health');
  const before = world.pid();
  expect(world.cli('restart').code).toBe(0);
  expect(world.pid()).not.toBe(before);
  await expect(page.locator('[data-connection="live"]')).toBeAttached({ timeout: 30_000 });
  await expect(page.locator('.facts')).toContainText(String(world.pid()));
});

test('when the token is another one, the page says how to get in again', async ({ page }) => {
  await openViewer(page, world);
  await expect(page.locator('article.line').first()).toBeVisible();
  expect(world.person('token', 'rotate').code).toBe(0);
  await expect(page.getByText('The token of this tab is not valid any more')).toBeVisible();
  await expect(page.getByText('claude-mem viewer')).toBeVisible();
  await expect(page.locator('article.line')).toHaveCount(0);
  // The same tab, by a new link.
  await page.goto(await world.link());
  await expect(page.locator('article.line').first()).toBeVisible();
});

test('a backup is restored after a question: the page reconnects to the memory of then', async ({ page }) => {
  await openViewer(page, world, '/view/data');
  await page.getByRole('button', { name: 'Back up now' }).click();
  await expect(page.locator('.jobs li').first()).toContainText(/Backup\s*done/, { timeout: 30_000 });
  const learned = await world.api('POST', '/api/memory/save', { text: 'Ships sail on Sundays.', project: 'shop', by: 'user' });
  expect(learned.status).toBe(201);
  const found = async () => ((await world.api('GET', '/api/search?query=ships%20sail&all=true')).body as { total: number }).total;
  expect(await found()).toBe(1);

  const restore = page.getByRole('button', { name: 'Restore' }).first();
  await restore.click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  await restore.click();
  await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).click();
  await expect(page.getByText(/^Restored memory-.* is kept as/)).toBeVisible({ timeout: 60_000 });
  expect(await found()).toBe(0);
  expect((await world.api('GET', '/api/search?query=integers%20of%20cents&all=true')).body).toMatchObject({ total: expect.any(Number) });
  const refused = await world.api('POST', '/api/backups/restore', { copy: '/etc/passwd', by: 'user' });
  expect(refused.status).toBe(404);
});

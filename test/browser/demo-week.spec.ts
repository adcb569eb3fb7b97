// The demo's week in a repository with commits, among ten thousand older memories: what a person with a past opens.
import type { Page } from '@playwright/test';
import { expect, expectDenseRows, openViewer, test, visit } from './viewer.ts';
import { addPast } from './work.ts';
import { createWorld, type World } from './world.ts';

let world: World;
test.beforeAll(() => {
  test.setTimeout(240_000);
  world = createWorld();
  addPast(world);
  expect(world.cli('start').code).toBe(0);
});
test.afterAll(() => world.dispose());

test('of one project and of all, the feed has twelve rows and more and says nothing twice, commits included', async ({ page }) => {
  await openViewer(page, world);
  await expectDenseRows(page);
  await visit(page, '/view/feed?project=parcels');
  await expectDenseRows(page);
  // What the git log says of a turn stands on its row, and opens from there.
  const row = page.locator('article.line[data-kind="observation"]', { hasText: 'Say in the text message where the parcel was left' });
  await row.locator('.folded', { hasText: 'commit' }).click();
  await expect(page.locator('.side .detail')).toContainText(/commit [0-9a-f]{7}/);
});

test('a palette, three keys and a question lead through it', async ({ page }) => {
  await openViewer(page, world, '/');
  await expect(page.locator('.did')).toContainText(/\d+ *sessions got context/);
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').getByRole('combobox').fill('wait for the carrier');
  await expect(page.getByRole('option', { name: /15 seconds for the carrier/ }).first()).toBeVisible();
  await page.keyboard.press('Escape');
  for (const [keys, name] of [
    [['g', 'd'], 'Decisions'],
    [['g', 'e'], 'Sessions'],
    [['/'], 'Search'],
  ] as const) {
    for (const key of keys) await page.keyboard.press(key);
    await expect(page.getByRole('heading', { name, level: 1 })).toBeVisible();
  }
  // At once: of a project whose name is half typed a slow machine is asked, too, and it knows none.
  await page.keyboard.insertText('how long do we wait for the carrier project:parcels');
  await expect(page.locator('article.line').first()).toContainText('Wait 15 seconds for the carrier instead of 8');
});

test('what sessions were given stands on the overview, on a decision, and in the panel of a memory', async ({ page }) => {
  await openViewer(page, world, '/');
  await expect(page.locator('.did')).toContainText(/[1-9]\d* *memories given/);
  await visit(page, '/view/decisions?project=parcels');
  const given = page.locator('.decision', { hasText: /last given (now|.* ago)/ }).first();
  await given.getByRole('button', { name: 'Details' }).click();
  const part = page.locator('.detail-part', { has: page.getByRole('heading', { name: /^Given to [1-9]\d* sessions?$/ }) });
  await expect(part.locator('.uses a').first()).toHaveAttribute('href', /^\/view\/session\//);
});

test('in two tabs a pin shows at once, and both come back when the worker was killed and started', async ({ page, context, trouble }) => {
  const other = await context.newPage();
  const row = (tab: Page) => tab.locator('article.line[data-kind="observation"]').first();
  for (const tab of [page, other]) await openViewer(tab, world, '/view/feed?project=parcels');
  await row(page).focus();
  await page.keyboard.press('p');
  await expect(row(other).locator('.pinned')).toBeVisible();
  process.kill(world.pid(), 'SIGKILL');
  for (const tab of [page, other]) await expect(tab.locator('[data-connection="away"]')).toBeAttached();
  expect(world.cli('start').code).toBe(0);
  for (const tab of [page, other]) await expect(tab.locator('[data-connection="live"]')).toBeAttached();
  await row(other).focus();
  await other.keyboard.press('p');
  await expect(row(page).locator('.pinned')).toHaveCount(0);
  for (const noted of trouble.splice(0)) expect(noted).toContain('Failed to load resource');
});

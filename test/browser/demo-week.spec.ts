// The demo's week in a repository with commits, among ten thousand older memories: what a person with a past opens.
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

// What a person does to a memory: pinned, edited, marked as incorrect, hidden, deleted; each with its way back where there is one.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { bash, edit, sessionEnd, sessionStart, stop, userPrompt } from '../support/payloads.ts';
import { expect, openViewer, test } from './viewer.ts';
import { workOnShop } from './work.ts';
import { createWorld, type World } from './world.ts';

let world: World;
test.beforeAll(async () => {
  world = createWorld();
  await workOnShop(world);
});
test.afterAll(() => world.dispose());

type Stored = { isPinned?: boolean; isWrong?: boolean; title: string; subtitle: string | null; narrative: string | null; facts: string[] };

async function stored(id: string): Promise<Stored | undefined> {
  const { body } = await world.api('POST', '/api/observations/batch', { ids: [id] });
  return (body as { memories: Stored[] }).memories[0];
}

/** Every observation has a row of its own here; in the feed one that says what its prompt says has none. */
const ROWS = '/view/search?project=shop&type=decision,bugfix,change';

const byId = (page: Page, id: string) => page.locator(`main [data-memory="${id}"]`);

/** Opens it in the side panel and presses a button there. */
async function act(page: Page, id: string, name: string): Promise<void> {
  await byId(page, id).locator('.line-title').click();
  await page.locator(`.side [data-opened="${id}"]`).getByRole('button', { name, exact: true }).click();
}

const toast = (page: Page, text: string | RegExp) => page.locator('.toast', { hasText: text });

test('a pin shows at once, is stored, and can be taken back', async ({ page }) => {
  await openViewer(page, world, ROWS);
  await act(page, '1', 'Pin');
  await expect(byId(page, '1').locator('.pinned')).toBeVisible();
  await expect(toast(page, 'Pinned #1')).toBeVisible();
  expect((await stored('1'))?.isPinned).toBe(true);
  await toast(page, 'Pinned #1').getByRole('button', { name: 'Undo' }).click();
  await expect(byId(page, '1').locator('.pinned')).toHaveCount(0);
  await expect.poll(async () => (await stored('1'))?.isPinned ?? false).toBe(false);
});

test('what is incorrect is marked, given to no session, and can be correct again', async ({ page }) => {
  await openViewer(page, world, ROWS);
  const told = async () => ((await world.api('GET', '/api/context/preview?project=shop')).body as { text: string }).text;
  expect(await told()).toContain('#2 ');
  await act(page, '2', 'Mark as incorrect');
  await expect(byId(page, '2')).toHaveAttribute('data-wrong', 'true');
  await expect(byId(page, '2').getByText('incorrect', { exact: true })).toBeVisible();
  await expect.poll(told).not.toContain('#2 ');
  await toast(page, 'Marked #2').getByRole('button', { name: 'Undo' }).click();
  await expect(byId(page, '2')).not.toHaveAttribute('data-wrong', 'true');
  await expect.poll(told).toContain('#2 ');
});

test('what is replaced says by what, and a person may say that it is not', async ({ page }) => {
  await openViewer(page, world, ROWS);
  await world.api('POST', '/api/memory/replace', { older: '1', newer: '2', by: 'user' });
  const mark = byId(page, '1').getByText('replaced by #2');
  await expect(mark).toBeVisible();
  await act(page, '1', 'Not replaced');
  await expect(mark).toHaveCount(0);
  await toast(page, '#1 is not replaced').getByRole('button', { name: 'Undo' }).click();
  await expect(mark).toBeVisible();
  await world.api('POST', '/api/memory/replace', { older: '1', undo: true, by: 'user' });
  await expect(mark).toHaveCount(0);
});

test('an edit changes what is stored, and another tab sees it', async ({ page, context }) => {
  await openViewer(page, world, ROWS);
  const other = await context.newPage();
  await openViewer(other, world, ROWS);
  await page.bringToFront();
  const before = await stored('1');
  await act(page, '1', 'Edit');
  const dialog = page.getByRole('dialog', { name: 'Edit #1' });
  await dialog.getByLabel('Title', { exact: true }).fill('The voucher stays while the cart has items');
  await dialog.getByLabel('Subtitle').fill('Since removeItem leaves it alone');
  await dialog.getByLabel('Details').fill('removeItem no longer resets it.');
  await dialog.getByLabel('Facts').fill('One fact\n\nAnother fact');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog).toHaveCount(0);
  await expect(byId(page, '1').locator('.line-title')).toHaveText('The voucher stays while the cart has items');
  await expect(byId(other, '1').locator('.line-title')).toHaveText('The voucher stays while the cart has items');
  expect(await stored('1')).toMatchObject({
    title: 'The voucher stays while the cart has items',
    subtitle: 'Since removeItem leaves it alone',
    narrative: 'removeItem no longer resets it.',
    facts: ['One fact', 'Another fact'],
  });
  await toast(page, 'Changed #1').getByRole('button', { name: 'Undo' }).click();
  await expect(byId(page, '1').locator('.line-title')).toHaveText(before?.title ?? '');
  await expect
    .poll(() => stored('1'))
    .toMatchObject({ ...{ title: before?.title, subtitle: before?.subtitle, narrative: before?.narrative, facts: before?.facts } });
});

test('a refused change is taken back and told', async ({ page, trouble }) => {
  await openViewer(page, world, ROWS);
  await page.route('**/api/observations/1', (route) =>
    route.fulfill({ status: 409, json: { error: 'Somebody else holds it.', hint: 'Try later.' } }),
  );
  await act(page, '1', 'Pin');
  await expect(toast(page, 'Somebody else holds it. Try later.')).toBeVisible();
  await expect(byId(page, '1').locator('.pinned')).toHaveCount(0);
  for (const noted of trouble.splice(0)) expect(noted).toContain('409');
});

test('of a memory only what was done to it last is said', async ({ page }) => {
  await openViewer(page, world, ROWS);
  for (const [key, words] of [
    ['p', 'Pinned #2'],
    ['p', 'Unpinned #2'],
    ['w', 'Marked #2'],
    ['w', '#2 is correct again'],
  ] as const) {
    await byId(page, '2').focus();
    await page.keyboard.press(key);
    await expect(page.locator('.toast')).toHaveCount(1);
    await expect(toast(page, words)).toBeVisible();
  }
});

test('on a phone toasts are in the middle, two at most, one line each', async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 640 });
  await openViewer(page, world, ROWS);
  for (const id of ['1', '2', '3']) {
    await byId(page, id).focus();
    await page.keyboard.press('w');
    await expect(toast(page, `Marked #${id}`)).toBeVisible();
  }
  await expect(page.locator('.toast')).toHaveCount(2);
  const box = await toast(page, 'Marked #3').boundingBox();
  expect(box?.x).toBe(360 - (box?.x ?? 0) - (box?.width ?? 0));
  expect(box?.height).toBeLessThan(50);
  for (const id of ['1', '2', '3']) await world.api('PATCH', `/api/observations/${id}`, { wrong: false, by: 'user' });
});

test('what is hidden is gone from the page, and comes back', async ({ page }) => {
  await openViewer(page, world, ROWS);
  await act(page, '2', 'Forget');
  const dialog = page.getByRole('dialog', { name: 'Forget #2?' });
  await expect(dialog).toContainText('Prices should be integers');
  await dialog.getByRole('button', { name: 'Hide' }).click();
  await expect(byId(page, '2')).toHaveCount(0);
  expect(await stored('2')).toBeUndefined();
  expect((await world.api('GET', '/api/memory/hidden')).body).toMatchObject({ total: 1 });
  await toast(page, 'Hidden: #2').getByRole('button', { name: 'Undo' }).click();
  await expect(byId(page, '2')).toBeVisible();
  expect(await stored('2')).toBeDefined();
  expect((await world.api('GET', '/api/memory/hidden')).body).toMatchObject({ total: 0 });
});

test('what goes with it is said right, for one and for several', async ({ page }) => {
  await openViewer(page, world, ROWS);
  const { body } = await world.api('POST', '/api/observations/batch', { ids: ['2', '3'] });
  const { memories } = body as { memories: object[] };
  for (const [beside, words] of [
    [memories.slice(0, 1), 'Forget this one, too'],
    [memories, 'Forget these 2, too'],
  ] as const) {
    await page.unrouteAll();
    await page.route('**/api/observations/1/related*', (route) => route.fulfill({ json: { memories: beside } }));
    await byId(page, '1').focus();
    await page.keyboard.press('f');
    await expect(page.getByRole('dialog').getByLabel(words, { exact: true })).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog')).toHaveCount(0);
  }
});

const CANARY = 'quokka7731marmalade';

/** Told by a tool and by the agent, so an observation and a summary are made of it. */
async function workWithCanary(): Promise<void> {
  const cwd = world.project('shop');
  const session = 'canary-session';
  await world.hook('context', sessionStart(session, cwd));
  await world.hook('new', userPrompt(session, cwd, 'Find out what the staging host is called and write it down.'));
  await world.hook('save', bash(session, cwd, 'cat hosts', `staging ${CANARY}.internal`));
  await world.hook('save', edit(session, cwd, 'docs/hosts.md', ['-todo', `+The staging host is ${CANARY}.internal`]));
  await world.hook('summary', stop(session, cwd, `The staging host is called ${CANARY}.internal; it is in docs/hosts.md.`));
  await world.hook('cleanup', sessionEnd(session, cwd));
}

/** The files of the data dir that hold a text. */
function filesWith(text: string): string[] {
  const entries = readdirSync(world.dataDir, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return files.filter((file) => readFileSync(file).includes(text));
}

test('deleting lists what goes, gives a report, and leaves no byte of it in any file', async ({ page }) => {
  await openViewer(page, world);
  await workWithCanary();
  const made = page.locator('article.line[data-kind="observation"]', { hasText: CANARY }).first();
  await expect(made).toBeVisible();
  expect(filesWith(CANARY).length).toBeGreaterThan(0);
  await made.focus();
  await page.keyboard.press('f');
  const dialog = page.getByRole('dialog');
  await expect(dialog).toContainText('Made of the same events');
  const related = await dialog.locator('.forget-related .plain-line').count();
  expect(related).toBeGreaterThan(0);
  await dialog.getByRole('checkbox').check();
  await dialog.getByRole('button', { name: 'Delete permanently' }).click();
  const receipt = page.getByRole('dialog', { name: 'Deleted permanently' });
  await expect(receipt).toContainText('will not come back');
  const gone = (await receipt.locator('p').first().textContent())?.match(/#\d+|[SP]\d+/g);
  expect(gone).toHaveLength(related + 1);
  await expect(receipt.locator('.counts')).toContainText(/Observations\s*\d/);
  await expect(receipt.locator('.counts')).toContainText(/Events\s*\d/);
  await expect(receipt).toContainText('nothing of it is left in the files');
  await expect(receipt.locator('.counts')).toContainText(/Pieces still in a file\s*0/);
  await receipt.getByRole('button', { name: 'Done' }).click();
  await expect(page.locator('article.line', { hasText: CANARY })).toHaveCount(0);
  await expect.poll(() => filesWith(CANARY)).toEqual([]);
});

test('a hidden memory is shown again from the list of hidden ones, and hidden once more by Undo', async ({ page }) => {
  await world.api('DELETE', '/api/observations/3');
  await openViewer(page, world);
  await page.getByText('1 hidden memory waiting for you').click();
  await page.locator('.hidden-part').getByRole('button', { name: 'Show again' }).click();
  await expect(page.locator('.hidden-part')).toHaveCount(0);
  expect(await stored('3')).toBeDefined();
  await toast(page, 'Shown again: #3').getByRole('button', { name: 'Undo' }).click();
  await expect(page.locator('.hidden-part')).toBeVisible();
  expect(await stored('3')).toBeUndefined();
});

test('a hidden memory is deleted from the list of hidden ones, after a second thought', async ({ page }) => {
  await world.api('DELETE', '/api/observations/3');
  await openViewer(page, world);
  await page.getByText('1 hidden memory waiting for you').click();
  const row = page.locator('.hidden-part li');
  await expect(row).toContainText('#3');
  await row.getByRole('button', { name: 'Delete' }).click();
  expect((await world.api('GET', '/api/memory/hidden')).body).toMatchObject({ memories: [{ id: '3' }] });
  await row.getByRole('button', { name: 'Delete permanently' }).click();
  await expect(page.getByRole('dialog', { name: 'Deleted permanently' })).toContainText('#3 will not come back');
  expect((await world.api('GET', '/api/memory/hidden')).body).toMatchObject({ memories: [] });
});

// The preview tells exactly what the next session is told, and what other settings would cost.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { sessionStart, userPrompt } from '../support/payloads.ts';
import { expect, openViewer, test } from './viewer.ts';
import { workOnShop } from './work.ts';
import { createWorld, type World } from './world.ts';

let world: World;
test.beforeAll(async () => {
  world = createWorld();
  await workOnShop(world);
});
test.afterAll(() => world.dispose());

/** Its parts are blocks: the line breaks between them are the page's. */
const readTold = async (page: Page) => (await page.locator('.told pre').allTextContents()).join('\n');

/** Every telling has another id in its first line. */
const withoutId = (text: string) => text.replace(/^<claude-mem-context id="\w+">/, '<claude-mem-context>').trim();

async function startSession(session: string): Promise<string> {
  const output = await world.hook('context', sessionStart(session, world.project('shop')));
  return JSON.parse(output).hookSpecificOutput.additionalContext;
}

test('the text is the one that a new session gets, word for word', async ({ page }) => {
  await openViewer(page, world, '/view/preview');
  await expect(page.locator('.told')).toContainText('## Last session');
  const shown = await readTold(page);
  const printed = world.cli('context', '--preview', '--project', 'shop').stdout;
  const told = await startSession('next-session');
  expect(withoutId(shown)).toBe(withoutId(told));
  expect(withoutId(printed)).toContain(withoutId(told));
});

test('each record says what it costs and why it is told', async ({ page }) => {
  await openViewer(page, world, '/view/preview');
  const record = page.locator('.told-record', { hasText: 'removeItem reset it' }).last();
  await record.hover();
  const why = page.getByRole('region', { name: 'Why it is included' });
  await expect(why.locator('li').first()).not.toBeEmpty();
  await expect(record.getByRole('button')).toHaveText(/^\d+ tokens, .*% of the budget\. Why\?$/);
  await record.getByRole('button').click();
  await page.locator('.told-record').first().hover();
  await expect(why).toContainText('Last session');
});

test('the cost follows the budget and the sections at once, and nothing is kept before it is saved', async ({ page }) => {
  await openViewer(page, world, '/view/preview');
  const cost = page.locator('.budget figcaption');
  await expect(cost).toContainText('of 2,000 tokens');
  const tokens = async () => Number((await cost.locator('strong').textContent())?.replace(/\D/g, ''));
  const whole = await tokens();
  await page.getByLabel('Budget', { exact: true }).fill('200');
  await expect(cost).toContainText('of 200 tokens');
  await expect(page).toHaveURL(/tokens=200/);
  expect(await tokens()).toBeLessThanOrEqual(200);
  expect(await tokens()).toBeLessThan(whole);
  await page.getByRole('button', { name: 'Reset' }).click();
  await expect(cost).toContainText('of 2,000 tokens');

  await expect(page.locator('.told')).toContainText('## Last session');
  await page.getByLabel('Last session', { exact: true }).first().uncheck();
  await expect(page.locator('.told')).not.toContainText('## Last session');
  const config = () => JSON.parse(readFileSync(join(world.dataDir, 'config.json'), 'utf8'));
  expect(config().contextSections).toBeUndefined();

  await page.getByRole('button', { name: 'Save for all projects' }).click();
  await expect(page.getByText('Saved for all projects.')).toBeVisible();
  expect(config().contextSections).not.toContain('summary');
  await expect(page).toHaveURL(/\/view\/preview(\?project=[^&]*)?$/);
  const told = await startSession('after-saving');
  expect(told).not.toContain('## Last session');
  expect(withoutId(await readTold(page))).toBe(withoutId(told));

  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(page.locator('.told')).toContainText('## Last session');
  expect(config().contextSections).toBeUndefined();
});

test('a prompt and a file can be tried', async ({ page }) => {
  await openViewer(page, world, '/view/preview?for=prompt');
  await page.getByLabel('As if the first prompt were').fill('Why does the cart lose the voucher when an item is removed?');
  // Which memory of the cart a note chooses is measured by bench:context.
  await expect(page.locator('.told')).toContainText(/removeItem reset it|integers of cents/);
  await expect(page.locator('.budget-legend')).toContainText('For this prompt');
  await page.getByRole('button', { name: 'Before it edits a file' }).click();
  await page.getByLabel('As if this file were about to be edited').fill('src/cart.ts');
  await expect(page.locator('.budget-legend')).toContainText('About this file');
  await expect(page.locator('.told')).toContainText('removeItem reset it');
});

test('what is pinned meanwhile is told first, as it happens', async ({ page, context }) => {
  await openViewer(page, world, '/view/preview');
  await expect(page.locator('.told')).toContainText('## Last session');
  const other = await context.newPage();
  await openViewer(other, world);
  const change = other.locator('article.line[data-type="change"]').first();
  const id = await change.getAttribute('data-memory');
  await change.focus();
  await other.keyboard.press('p');
  await expect(change).toContainText('pinned');
  await page.bringToFront();
  const useful = async () => (await readTold(page)).split('## Most useful')[1]?.trim() ?? '';
  await expect.poll(useful).toMatch(new RegExp(`^#${id} `));
  await page.reload();
  await expect.poll(useful).toMatch(new RegExp(`^#${id} `));
});

test('a record says what it replaced and when it was last given', async ({ page }) => {
  const save = async (text: string) => {
    await world.api('POST', '/api/memory/save', { text, project: 'ledger', type: 'decision', by: 'user' });
    const { body } = await world.api('GET', '/api/observations?project=ledger&limit=1');
    return (body as { items: { id: string }[] }).items[0]?.id;
  };
  const cwd = world.project('ledger');
  await world.hook('context', sessionStart('ledger-1', cwd));
  await world.hook('new', userPrompt('ledger-1', cwd, 'Open the ledger.'));
  const older = await save('Entries are rounded to whole cents.');
  const newer = await save('Entries keep four digits behind the point.');
  await world.api('POST', '/api/memory/replace', { older, newer, by: 'user' });
  await openViewer(page, world, '/view/preview?project=ledger');
  const record = page.locator('.told-record', { hasText: 'four digits' });
  const why = page.getByRole('region', { name: 'Why it is included' });
  await record.hover();
  await expect(why).toContainText(`It replaced #${older}.`);
  await expect(why).not.toContainText('Last given');
  await world.hook('context', sessionStart('ledger-2', cwd));
  await page.reload();
  await record.hover();
  await expect(why).toContainText(/Last given .*\d/);
});

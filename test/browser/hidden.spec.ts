// Many tabs: those that nobody sees let go of the stream, so that a browser has connections left, and catch up when they are seen.
import type { BrowserContext, Page } from '@playwright/test';
import { sessionStart, userPrompt } from '../support/payloads.ts';
import { card, expect, openViewer, settle, freshTest as test } from './viewer.ts';
import { workOnShop } from './work.ts';
import { createWorld, type World } from './world.ts';

let world: World;
test.beforeAll(async () => {
  world = createWorld();
  await workOnShop(world);
});
test.afterAll(() => world.dispose());

/** Every page of a headless browser is visible: these say what they are told to. */
const pretend = (context: BrowserContext) =>
  context.addInitScript(() => {
    const state = { now: 'visible' };
    Object.assign(globalThis, { pretended: state });
    Object.defineProperty(document, 'visibilityState', { get: () => state.now });
    Object.defineProperty(document, 'hidden', { get: () => state.now === 'hidden' });
  });

const turn = (page: Page, now: 'visible' | 'hidden') =>
  page.evaluate((wanted) => {
    (globalThis as unknown as { pretended: { now: string } }).pretended.now = wanted;
    document.dispatchEvent(new Event('visibilitychange'));
  }, now);

const isStream = (request: { url: () => string }) => new URL(request.url()).pathname === '/stream';

test('a tab that is hidden lets go of its stream, and catches up when it is seen again', async ({ page, context }) => {
  await pretend(context);
  await openViewer(page, world);
  const ended = page.waitForEvent('requestfailed', isStream);
  await turn(page, 'hidden');
  await ended;
  await expect(page.locator('[data-connection="connecting"]')).toBeAttached();
  await expect(page.getByText('claude-mem isn’t running.')).toHaveCount(0);

  const cwd = world.project('shop');
  await world.hook('context', sessionStart('while-hidden', cwd));
  await world.hook('new', userPrompt('while-hidden', cwd, 'Is anybody looking?'));
  await expect(card(page, 'Is anybody looking?')).toHaveCount(0);
  const taken = page.waitForRequest(isStream);
  await turn(page, 'visible');
  expect((await taken).headers()['last-event-id']).toMatch(/^[a-z0-9]+-\d+$/);
  await expect(page.locator('[data-connection="live"]')).toBeAttached();
  await expect(card(page, 'Is anybody looking?').first()).toBeVisible();
  await world.hook('new', userPrompt('while-hidden', cwd, 'And is it live again?'));
  await expect(card(page, 'And is it live again?').first()).toBeVisible();
});

test('a worker that was restarted behind a hidden tab is asked anew', async ({ page, context }) => {
  await pretend(context);
  await openViewer(page, world);
  const ended = page.waitForEvent('requestfailed', isStream);
  await turn(page, 'hidden');
  await ended;
  expect(world.cli('restart').code).toBe(0);
  await world.hook('new', userPrompt('while-hidden', world.project('shop'), 'Who restarted it?'));
  await turn(page, 'visible');
  await expect(card(page, 'Who restarted it?').first()).toBeVisible();
  await expect(page.getByText('claude-mem isn’t running.')).toHaveCount(0);
});

test('eight tabs are open, and the last one still loads and searches', async ({ page, context }) => {
  await pretend(context);
  await openViewer(page, world);
  let last = page;
  for (let count = 1; count < 8; count++) {
    await turn(last, 'hidden');
    last = await context.newPage();
    await last.goto(world.origin());
    await settle(last);
  }
  await last.getByRole('link', { name: 'Search', exact: true }).click();
  await last.getByLabel('What to look for').fill('voucher');
  await expect(card(last, 'voucher').first()).toBeVisible();
  // The first one is gone back to.
  await turn(last, 'hidden');
  await turn(page, 'visible');
  await expect(page.locator('[data-connection="live"]')).toBeAttached();
});

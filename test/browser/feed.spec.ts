// The feed: how one gets in, what comes live, what the filters leave, and that nothing moves under a reader.
import { bash, edit, sessionStart, stop, userPrompt } from '../support/payloads.ts';
import { card, expect, openViewer, test } from './viewer.ts';
import { workOnShop } from './work.ts';
import { createWorld, type World } from './world.ts';

let world: World;
test.beforeAll(async () => {
  world = createWorld();
  world.fill(300, 150);
  await workOnShop(world);
});
test.afterAll(() => world.dispose());

test('the link opens the viewer once, and its code leaves the address', async ({ page, browser }) => {
  const link = world.link();
  expect(link).toContain('#t=');
  await page.goto(link);
  await expect(page.getByRole('heading', { name: 'Feed', exact: true })).toBeVisible();
  expect(page.url()).toBe(`${world.origin()}/`);
  await page.reload();
  await expect(page.locator('article.card').first()).toBeVisible();
  await page.goBack();
  expect(page.url()).not.toContain('t=');

  const other = await browser.newContext();
  const stranger = await other.newPage();
  await stranger.goto(link);
  await expect(stranger.getByText('This link was used before')).toBeVisible();
  await expect(stranger.getByText('claude-mem viewer')).toBeVisible();
  await expect(stranger.locator('article.card')).toHaveCount(0);
  await stranger.goto(world.origin());
  await expect(stranger.getByText('opens only from your own terminal')).toBeVisible();
  await other.close();
});

test('a prompt, what is done about it and what came of it appear as they happen', async ({ page }) => {
  await openViewer(page, world);
  await page.evaluate(() => Object.assign(globalThis, { isSamePage: true }));
  const cwd = world.project('shop');
  const session = 'live-session';
  await world.hook('context', sessionStart(session, cwd));
  await world.hook('new', userPrompt(session, cwd, 'Why does the invoice have no line for the voucher?'));
  await expect(card(page, 'no line for the voucher').first()).toBeVisible();

  await world.hook('save', edit(session, cwd, 'src/invoice.ts', ['-  // TODO', '+  lines.push(voucherLine(cart));']));
  const now = page.locator('.feed-now');
  await expect(now).toContainText(/^Listening.*: \d events? of an open turn/);
  await expect(now).toContainText('Edit src/invoice.ts');
  await world.hook('save', bash(session, cwd, 'npm test -- invoice', 'PASS test/invoice.test.ts\n 3 passed'));
  await expect(now).toContainText('Bash npm test -- invoice');

  const said = 'The invoice dropped the voucher because `lines` was built before it; `voucherLine` is pushed now.';
  await world.hook('summary', stop(session, cwd, said));
  await expect(page.locator('article.card[data-kind="observation"]', { hasText: 'src/invoice.ts' })).not.toHaveCount(0);
  await expect(page.locator('article.card[data-kind="summary"]', { hasText: 'no line for the voucher' })).toBeVisible();
  await expect(now).toHaveText('');
  expect(await page.evaluate(() => 'isSamePage' in globalThis)).toBe(true);
});

test('further down nothing moves: what is new waits behind a button', async ({ page }) => {
  await openViewer(page, world);
  await expect(page.locator('article.card').first()).toBeVisible();
  await page.mouse.wheel(0, 1500);
  await expect.poll(() => page.evaluate(() => scrollY)).toBeGreaterThan(1000);
  const id = await page.locator('article.card').nth(4).getAttribute('data-memory');
  const place = () => page.locator(`[data-memory="${id}"]`).evaluate((one) => Math.round(one.getBoundingClientRect().top));
  await expect.poll(place).toBe(await place());
  const before = await place();
  const cwd = world.project('shop');
  await world.hook('new', userPrompt('live-session', cwd, 'Are gift cards vouchers, too?'));
  const button = page.getByRole('button', { name: '1 new' });
  await expect(button).toBeVisible();
  expect(await place()).toBe(before);
  await expect(card(page, 'Are gift cards vouchers')).toHaveCount(0);
  await world.hook('new', userPrompt('live-session', cwd, 'And what about store credit?'));
  await page.getByRole('button', { name: '2 new' }).click();
  await expect(card(page, 'Are gift cards vouchers').first()).toBeInViewport();
  await expect(card(page, 'store credit').first()).toBeInViewport();
  await expect(page.locator('.feed-new')).toHaveCount(0);
});

test('filters stand in the address and hold for what comes live', async ({ page }) => {
  await openViewer(page, world, '/?project=shop&type=bugfix');
  await expect(card(page, 'removeItem reset it').first()).toBeVisible();
  const types = async () => [...new Set(await page.locator('.card-type').allInnerTexts())];
  expect((await types()).every((text) => text.startsWith('bugfix'))).toBe(true);
  const filter = page.getByRole('button', { name: 'Filter', exact: true });
  await filter.click();
  await page.getByRole('button', { name: 'decision' }).click();
  await expect(page).toHaveURL(/type=bugfix%2Cdecision/);
  await expect(card(page, 'integers of cents').first()).toBeVisible();
  await filter.click();
  await page.getByRole('button', { name: 'Take off the filter bugfix' }).click();
  await expect(card(page, 'Fix: the voucher was dropped')).toHaveCount(0);
  // A prompt is no decision: it must not appear here.
  await world.hook('new', userPrompt('live-session', world.project('shop'), 'Is a prompt a decision?'));
  await page.getByRole('button', { name: 'Clear' }).click();
  await expect(page).toHaveURL(`${world.origin()}/`);
  await expect(card(page, 'Is a prompt a decision?').first()).toBeVisible();
});

test('a live memory that the filters leave out stays out', async ({ page }) => {
  await openViewer(page, world, '/?project=other');
  await expect(page.locator('article.card').first()).toBeVisible();
  const cwd = world.project('shop');
  await world.hook('new', userPrompt('live-session', cwd, 'Which shop is this?'));
  await world.api('POST', '/api/memory/save', { text: 'The other one closes at six.', project: 'other', by: 'user' });
  await expect(card(page, 'closes at six').first()).toBeVisible();
  await expect(card(page, 'Which shop is this?')).toHaveCount(0);
});

test('a file and a day can be asked for', async ({ page }) => {
  await openViewer(page, world);
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  await page.getByLabel('File', { exact: true }).fill('src/cart.ts');
  await page.getByLabel('File', { exact: true }).press('Enter');
  await expect(page).toHaveURL(/file=src%2Fcart.ts/);
  await expect(card(page, 'integers of cents')).toHaveCount(0);
  await expect(card(page, 'removeItem reset it').first()).toBeVisible();
  await page.getByRole('button', { name: 'Clear' }).click();

  const day = new Date(Date.now() - 10 * 86_400_000).toISOString().slice(0, 10);
  await page.getByLabel('From', { exact: true }).fill(day);
  await page.getByLabel('to', { exact: true }).fill(day);
  await expect(page).toHaveURL(new RegExp(`since=${day}&until=${day}`));
  await expect(page.getByText('This is where memory begins.')).toBeVisible();
  const days = page
    .locator('article.card time')
    .evaluateAll((all) => all.map((one) => new Date(one.getAttribute('datetime') ?? '').toLocaleDateString('sv')));
  expect([...new Set(await days)]).toEqual([day]);
});

test('older ones come as one scrolls, down to the first', async ({ page }) => {
  await openViewer(page, world);
  const last = page.getByText('This is where memory begins.');
  for (let round = 0; round < 60 && (await last.count()) === 0; round++) {
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  }
  await expect(last).toBeAttached();
  await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
  await expect(card(page, '(0)')).toBeVisible();
  expect(await page.locator('article.card').count()).toBeLessThan(60);
});

test('a day that is none is told, not swallowed', async ({ page, trouble }) => {
  await openViewer(page, world, '/?since=someday');
  await expect(page.getByRole('alert')).toContainText('since');
  // The browser itself notes the refusal.
  for (const noted of trouble.splice(0)) expect(noted).toContain('400');
});

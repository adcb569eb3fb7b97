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
  const link: string = JSON.parse(world.person('viewer', '--json').stdout).url;
  expect(link).toContain('#t=');
  await page.goto(link);
  await expect(page.getByRole('heading', { name: 'Overview', exact: true })).toBeVisible();
  expect(page.url()).toBe(`${world.origin()}/`);
  await page.reload();
  await expect(page.locator('article.line').first()).toBeVisible();
  await page.goBack();
  expect(page.url()).not.toContain('t=');

  const other = await browser.newContext();
  const stranger = await other.newPage();
  await stranger.goto(link);
  await expect(stranger.getByText('This link was used before')).toBeVisible();
  await expect(stranger.getByText('claude-mem viewer')).toBeVisible();
  await expect(stranger.locator('article.line')).toHaveCount(0);
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
  await expect(now).toContainText(/^A session is at work in shop: \d steps? so far/);
  await expect(now).toContainText('Edit src/invoice.ts');
  await world.hook('save', bash(session, cwd, 'npm test -- invoice', 'PASS test/invoice.test.ts\n 3 passed'));
  await expect(now).toContainText('Bash npm test -- invoice');

  const said = 'The invoice dropped the voucher because `lines` was built before it; `voucherLine` is pushed now.';
  await world.hook('summary', stop(session, cwd, said));
  await expect(page.locator('article.line[data-kind="observation"]', { hasText: 'src/invoice.ts' })).not.toHaveCount(0);
  // The summary says what the prompt and the observation say.
  await expect(page.locator('article.line[data-kind="summary"]', { hasText: 'voucher' })).toHaveCount(0);
  await expect(now).toHaveCount(0);
  expect(await page.evaluate(() => 'isSamePage' in globalThis)).toBe(true);
});

test('further down nothing moves: what is new waits behind a button', async ({ page }) => {
  await openViewer(page, world);
  await expect(page.locator('article.line').first()).toBeVisible();
  await page.mouse.wheel(0, 1500);
  await expect.poll(() => page.evaluate(() => scrollY)).toBeGreaterThan(1000);
  const id = await page.locator('article.line').nth(4).getAttribute('data-memory');
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
  await openViewer(page, world, '/view/feed?project=shop&type=bugfix');
  await expect(card(page, 'removeItem reset it').first()).toBeVisible();
  const types = () =>
    page.locator('article.line:not(.line-head)').evaluateAll((all) => [...new Set(all.map((one) => one.getAttribute('data-type')))]);
  expect(await types()).toEqual(['bugfix']);
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
  await expect(page).toHaveURL(`${world.origin()}/view/feed`);
  await expect(card(page, 'Is a prompt a decision?').first()).toBeVisible();
});

test('a live memory that the filters leave out stays out', async ({ page }) => {
  await openViewer(page, world, '/view/feed?project=other');
  await expect(page.locator('article.line').first()).toBeVisible();
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
    .locator('article.line time')
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
  expect(await page.locator('article.line').count()).toBeLessThan(60);
});

test('a day that is none is told, not swallowed', async ({ page, trouble }) => {
  await openViewer(page, world, '/view/feed?since=someday');
  await expect(page.getByRole('alert')).toContainText('since');
  // The browser itself notes the refusal.
  for (const noted of trouble.splice(0)) expect(noted).toContain('400');
});

test('a row opens in the side panel with the record of its turn, and Back closes it', async ({ page }) => {
  await openViewer(page, world, '/view/feed?project=shop&type=bugfix');
  await card(page, 'removeItem reset it')
    .first()
    .getByRole('link', { name: /removeItem reset it/ })
    .click();
  const side = page.getByRole('complementary', { name: 'Opened memory' });
  await expect(side.getByRole('heading', { name: /removeItem reset it/ })).toBeVisible();
  await expect(side.locator('.step[data-kind="ran"]').first()).toContainText('npm test -- cart');
  await expect(side.locator('.runs li')).toHaveCount(2);
  await expect(side.locator('.diff-line[data-sign="+"]')).toContainText('this.items.length > 0');
  await expect(page).toHaveURL(/[?&]m=\d+/);
  await page.goBack();
  await expect(side).toHaveCount(0);
});

test('a long record is shown in short, and whole after a press: each step, each block of code', async ({ page }) => {
  const cwd = world.project('shop');
  const of = { prompt_id: 'long-1' };
  const code = 'if (a < b) {\n\n  return new Map<string, number>();\n}';
  const paragraphs = Array.from({ length: 60 }, (_, at) => `Paragraph ${at} tells how the walrus table came about.`);
  await world.hook('new', userPrompt('long', cwd, 'Tell the whole story of the walrus table.', of));
  for (let at = 0; at < 50; at++)
    await world.hook('save', bash('long', cwd, `grep walrus part-${at}.txt`, 'walrus\n'.repeat(3), { ...of, tool_use_id: `walrus-${at}` }));
  await world.hook('summary', stop('long', cwd, `${paragraphs.join('\n\n')}\n\n\`\`\`ts\n${code}\n\`\`\``, of));
  await openViewer(page, world, '/view/feed?project=shop');
  await card(page, 'story of the walrus table')
    .first()
    .getByRole('link', { name: /walrus table/ })
    .click();
  const record = page.getByRole('complementary', { name: 'Opened memory' }).locator('.detail-turn');
  await expect(record).toContainText('Paragraph 0 tells');
  const shown = (await record.locator('.steps-list').textContent()) ?? '';
  expect(shown.length).toBeLessThan(2500);
  await expect(record).not.toContainText('Paragraph 59');
  await record.getByRole('button', { name: /^Show the whole record \([\d,]+ more characters\)$/ }).click();
  await expect(record.locator('.step[data-kind="ran"]')).toHaveCount(50);
  await expect(record).toContainText('Paragraph 59');
  expect(await record.locator('.rich-code').textContent()).toBe(code);
  await expect(record.getByRole('button', { name: /^Show the whole record/ })).toHaveCount(0);
});

test('a row says its type, its files, what came of it and when', async ({ page }) => {
  await world.hook('new', userPrompt('files-session', world.project('shop'), 'Rename price to priceCents in both modules.'));
  for (const file of ['src/tax.ts', 'src/refund.ts', 'src/receipt.ts'])
    await world.hook('save', edit('files-session', world.project('shop'), file, ['-  price,', '+  priceCents,']));
  await world.hook('save', bash('files-session', world.project('shop'), 'npm test', 'PASS 52 passed'));
  await world.hook('summary', stop('files-session', world.project('shop'), 'Renamed `price` to `priceCents` in tax, refund and receipt.'));
  await openViewer(page, world, '/view/feed?project=shop');
  const fix = card(page, 'removeItem reset it').and(page.locator('[data-type="bugfix"]')).first();
  await expect(fix.locator('.type-icon')).toHaveAttribute('title', 'bugfix');
  await expect(fix.locator('.line-file')).toHaveText('src/cart.ts');
  await expect(fix.locator('.line-marks')).toContainText('passed');
  await expect(fix.locator('time')).toHaveText(/^\d\d:\d\d$/);
  const renamed = page.locator('article.line', { has: page.locator('.line-file', { hasText: '+2' }) }).first();
  await expect(renamed.locator('.line-file')).toHaveAttribute('title', /tax\.ts\s.*refund\.ts\s.*receipt\.ts/);
});

test('rows are roomier on demand, with a second line, and stay so', async ({ page }) => {
  await openViewer(page, world, '/view/feed?project=shop');
  await expect(page.locator('.line-more')).toHaveCount(0);
  await page.getByRole('button', { name: 'Roomy' }).click();
  await expect(page.locator('.line-more').first()).toBeVisible();
  await page.reload();
  await expect(page.locator('.line-more').first()).toBeVisible();
});

test('many are selected with x and Shift, pinned at once and unpinned again by one Undo', async ({ page }) => {
  await openViewer(page, world, '/view/feed?project=large');
  await expect(page.locator('article.line').first()).toBeVisible();
  await page.keyboard.press('j');
  await page.keyboard.press('x');
  const bar = page.getByRole('region', { name: 'Selected memories' });
  await expect(bar).toContainText('1 memory selected');
  for (const key of ['j', 'j', 'Shift+X']) await page.keyboard.press(key);
  await expect(bar).toContainText('3 memories selected');
  await bar.getByRole('button', { name: 'Pin', exact: true }).click();
  await expect(page.locator('article.line .pinned')).toHaveCount(3);
  await expect(bar).toHaveCount(0);
  await page.locator('.toast').getByRole('button', { name: 'Undo' }).click();
  await expect(page.locator('article.line .pinned')).toHaveCount(0);
});

test('many are marked as incorrect, pinned and unpinned, and hidden at once', async ({ page }) => {
  await openViewer(page, world, '/view/feed?project=large');
  const bar = page.getByRole('region', { name: 'Selected memories' });
  const rows = page.locator('article.line[data-kind="observation"]');
  const ids = await rows.evaluateAll((all) => all.slice(0, 2).map((one) => (one as HTMLElement).dataset.memory ?? ''));
  // Until the worker has answered, the toast of what was done before stands there.
  const undo = (said: RegExp) => page.locator('.toast', { hasText: said }).getByRole('button', { name: 'Undo' }).click();
  const select = async () => {
    for (const id of ids) await page.getByRole('checkbox', { name: `Select #${id}` }).click({ force: true });
    await expect(bar).toContainText('2 memories selected');
  };
  await select();
  await bar.getByRole('button', { name: 'Mark as incorrect' }).click();
  await expect(page.locator('article.line[data-wrong="true"]')).toHaveCount(2);
  await undo(/incorrect/i);
  await expect(page.locator('article.line[data-wrong="true"]')).toHaveCount(0);
  for (const [name, pinned] of [
    ['Pin', 2],
    ['Unpin', 0],
  ] as const) {
    await select();
    await bar.getByRole('button', { name, exact: true }).click();
    await expect(page.locator('article.line .pinned')).toHaveCount(pinned);
  }
  await select();
  await bar.getByRole('button', { name: 'Forget' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Hide' }).click();
  for (const id of ids) await expect(page.locator(`[data-memory="${id}"]`)).toHaveCount(0);
  await undo(/^Hidden:/);
  for (const id of ids) await expect(page.locator(`[data-memory="${id}"]`)).toBeVisible();
  await select();
  await bar.getByRole('button', { name: 'Clear the selection' }).click();
  await expect(bar).toHaveCount(0);
});

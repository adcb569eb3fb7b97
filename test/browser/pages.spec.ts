// Health, settings, logs, and the first steps on an empty memory.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bash, edit, sessionStart, stop, userPrompt } from '../support/payloads.ts';
import { expect, openViewer, test } from './viewer.ts';
import { workOnShop } from './work.ts';
import { createWorld, type World } from './world.ts';

let world: World;
test.beforeAll(async () => {
  world = createWorld();
  await workOnShop(world);
});
test.afterAll(() => world.dispose());

const config = () => JSON.parse(readFileSync(join(world.dataDir, 'config.json'), 'utf8'));

test('health shows the numbers that the worker has', async ({ page }) => {
  await openViewer(page, world, '/view/health');
  await expect(page.getByText('All is well, everything is processed.')).toBeVisible();
  await expect(page.locator('.facts')).toContainText(`pid ${world.pid()}`);
  await expect(page.locator('.facts')).toContainText('3 observations, 2 summaries, 1 session');
  await expect(page.locator('.latencies')).toContainText('Hook answered');
});

test('damage is the first thing that is said, with the command that mends it', async ({ page }) => {
  const mark = join(world.dataDir, 'memory.damage');
  const what = ['2 of 90 pages are not as they were written'];
  writeFileSync(mark, JSON.stringify({ since: new Date().toISOString(), what, isTried: true, lost: null }));
  try {
    await openViewer(page, world, '/view/health');
    const health = page.getByRole('region', { name: 'Health' });
    await expect(health.getByText('The memory is damaged.')).toBeVisible();
    await expect(health).toContainText('claude-mem repair');
    await expect(health).not.toContainText('everything is processed');
  } finally {
    rmSync(mark);
  }
});

test('a hub that does not answer is named, with what waits for it and since when', async ({ page }) => {
  const account = join(world.dataDir, 'sync.json');
  const names = { token: 'a-b-c', device: 'device12', member: 'member12', name: 'anna', personal: 'own-member12' };
  // Nobody listens there.
  writeFileSync(account, JSON.stringify({ hub: 'http://127.0.0.1:1', ...names, seed: btoa('x'.repeat(16)) }), { mode: 0o600 });
  try {
    await world.api('POST', '/api/sync');
    await openViewer(page, world, '/view/health');
    await expect(page.locator('.facts')).toContainText(
      /failed, http:\/\/127\.0\.0\.1:1; \d+ changes waiting for .*: The hub does not answer/,
    );
  } finally {
    rmSync(account);
    await world.api('POST', '/api/sync');
  }
  await openViewer(page, world, '/view/health');
  await expect(page.locator('.facts')).not.toContainText('127.0.0.1:1;');
});

test('a setting is kept at once in config.json, and can be taken back', async ({ page }) => {
  await openViewer(page, world, '/view/settings');
  const field = page.getByLabel('Tokens at the start').first();
  await field.fill('900');
  await field.press('Enter');
  const row = page.locator('li.setting', { has: field });
  await expect(row.getByText('Saved.')).toBeVisible();
  expect(config().contextTokens).toBe(900);
  await row.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(() => config().contextTokens).toBeUndefined();
  await expect(field).toHaveValue('2000');
});

test('what is out of bounds is refused with the bounds, and nothing is written', async ({ page, trouble }) => {
  await openViewer(page, world, '/view/settings');
  const field = page.getByLabel('Tokens at the start').first();
  await field.fill('50');
  await field.press('Enter');
  const row = page.locator('li.setting', { has: field });
  await expect(row.locator('.bad-text')).toContainText('200');
  expect(config().contextTokens).toBeUndefined();
  for (const noted of trouble.splice(0)) expect(noted).toContain('400');
});

test('a limit that deletes asks first; left, nothing has changed', async ({ page }) => {
  await openViewer(page, world, '/view/settings');
  await page.getByLabel('Find a setting').fill('keepDays');
  const field = page.getByRole('spinbutton', { name: 'Days of memories' });
  const dialog = page.getByRole('dialog', { name: 'Days of memories: 30?' });
  await field.fill('30');
  await field.press('Enter');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect(field).toHaveValue('0');
  expect(config().keepDays).toBeUndefined();
  await field.fill('30');
  await field.press('Enter');
  await expect(dialog).toContainText('deleted for good');
  await dialog.getByRole('button', { name: 'Set, and delete' }).click();
  await expect.poll(() => config().keepDays).toBe(30);
  await expect(dialog).toHaveCount(0);
  // Opened again, so that the Undo is of what comes now. More is kept: nobody has to be asked.
  await openViewer(page, world, '/view/settings');
  await page.getByLabel('Find a setting').fill('keepDays');
  await field.fill('60');
  await field.press('Enter');
  await expect.poll(() => config().keepDays).toBe(60);
  await page.locator('li.setting', { has: field }).getByRole('button', { name: 'Undo' }).click();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  expect(config().keepDays).toBe(60);
  await page.locator('li.setting', { has: field }).getByRole('button', { name: 'Reset' }).click();
  await expect.poll(() => config().keepDays).toBeUndefined();
});

type Unsafe = { name: string; isSafe: boolean; value: unknown; allowed: { values: string[] | null } };

test('settings that name programs, addresses or keys have no control here', async ({ page }) => {
  await openViewer(page, world, '/view/settings');
  await expect(page.locator('li.setting').first()).toBeVisible();
  const { settings } = (await world.api('GET', '/api/settings')).body as { settings: Unsafe[] };
  const unsafe = settings.filter(({ isSafe }) => !isSafe);
  expect(unsafe.map(({ name }) => name)).toEqual(expect.arrayContaining(['apiKey', 'baseUrl', 'claudePath', 'workerPort']));
  for (const { name } of unsafe) {
    const command = page.getByRole('button', { name: new RegExp(`^Copy claude-mem config set ${name}( |$)`), includeHidden: true });
    const row = page.locator('.settings-group li.setting', { has: command });
    await expect(row, name).toHaveCount(1);
    await expect(row.locator('input, textarea')).toHaveCount(0);
  }
  // The command sets something else than what is set; it alone does so.
  for (const { name, value, allowed } of unsafe.filter(({ allowed }) => (allowed.values?.length ?? 0) > 2)) {
    const row = page.locator('.settings-group li.setting', { hasText: `claude-mem config set ${name} ` }).first();
    const last = allowed.values?.findLast((one) => one !== value) ?? '';
    await expect(row.locator('.copyable')).not.toContainText(`set ${name} ${value}`);
    await row.locator('select').selectOption({ label: last }, { force: true });
    await expect(row.locator('.copyable')).toContainText(`claude-mem config set ${name} ${last}`);
  }
  expect(((await world.api('GET', '/api/settings')).body as { settings: Unsafe[] }).settings.filter(({ isSafe }) => !isSafe)).toEqual(
    unsafe,
  );
  await expect(page.locator('li.setting h3').filter({ hasText: /^[a-z]+[A-Z]/ }), 'each has a name for people').toHaveCount(0);
  for (const { name } of settings) await expect(page.locator('code', { hasText: name }).first()).toBeAttached();
  // Those that matter come first; the others wait behind a search.
  await expect(page.locator('.settings > section').filter({ hasText: 'What matters most' }).locator('li.setting')).toHaveCount(8);
  await page.getByLabel('Find a setting').fill('log level');
  await expect(page.locator('li.setting:visible')).toHaveCount(1);
  await page.getByLabel('Find a setting').fill('nothing at all like it');
  await expect(page.getByText('No setting has')).toBeVisible();
});

test('a pause is begun and ended here, and holds', async ({ page }) => {
  await openViewer(page, world, '/view/settings');
  // By its whole name: "Until I resume" is there before any pause is.
  const resume = page.locator('.pause').getByRole('button', { name: 'Resume', exact: true });
  let letGo: (() => void) | undefined;
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  await page.route('**/api/pauses', async (route) => {
    if (route.request().method() === 'POST') await held;
    await route.continue();
  });
  await page.getByRole('button', { name: '15 minutes' }).click();
  // Nothing is paused before the worker has said so, however long that takes.
  await expect(resume).toHaveCount(0);
  letGo?.();
  await expect(resume).toBeVisible();
  await world.hook('new', userPrompt('paused-session', world.project('shop'), 'Nobody keeps this.'));
  const { body } = await world.api('GET', '/api/prompts');
  expect(JSON.stringify(body)).not.toContain('Nobody keeps this.');
  await resume.click();
  await expect(page.getByRole('button', { name: '15 minutes' })).toBeVisible();
});

test('the log is shown, filtered and followed', async ({ page }) => {
  await openViewer(page, world, '/view/logs');
  const lines = page.locator('.log-line');
  await expect(lines.first()).toBeVisible();
  const { entries } = (await world.api('GET', '/api/logs')).body as { entries: { message: string }[] };
  await expect(page.locator('.log-message', { hasText: entries.at(-1)?.message ?? '' }).first()).toBeAttached();
  await page.getByLabel('Words in the log').fill('no such words in any log');
  await expect(page).toHaveURL(/q=no\+such/);
  await expect(page.getByText('No entry is like that')).toBeVisible();
  await page.getByRole('button', { name: 'Show all' }).click();
  await expect(lines.first()).toBeVisible();
  await page.getByLabel('Level').selectOption('error');
  await expect(page).toHaveURL(/level=error/);
  await expect(page.locator('.log-level[data-level="info"]')).toHaveCount(0);
});

test('on an empty memory the first steps tick themselves as the first session is heard', async ({ page }) => {
  const empty = createWorld();
  try {
    expect(empty.cli('start').code).toBe(0);
    await openViewer(page, empty, '/');
    await expect(page.getByText('Nothing is remembered yet')).toBeVisible();
    await openViewer(page, empty);
    await expect(page.getByText('Nothing is remembered yet')).toBeVisible();
    await page.getByRole('link', { name: 'How it works' }).first().click();
    const steps = page.locator('.steps li');
    await expect(steps.nth(0)).toHaveAttribute('data-state', 'next');
    // What no session told, like a commit or a note, is none of the steps.
    await empty.api('POST', '/api/memory/save', { text: 'A note.', cwd: empty.project('first'), by: 'user' });
    await page.reload();
    await expect(steps.nth(0)).toHaveAttribute('data-state', 'next');
    await expect(steps.nth(2)).toHaveAttribute('data-state', 'later');
    const cwd = empty.project('first');
    await empty.hook('context', sessionStart('first', cwd));
    await empty.hook('new', userPrompt('first', cwd, 'Make the tests pass.'));
    await expect(steps.nth(0)).toHaveAttribute('data-state', 'done');
    await expect(steps.nth(1)).toHaveAttribute('data-state', 'done');
    await expect(steps.nth(2)).toHaveAttribute('data-state', 'next');
    await empty.hook('save', edit('first', cwd, 'a.ts', ['-1', '+2']));
    await empty.hook('save', bash('first', cwd, 'npm test', 'PASS 3 passed'));
    await empty.hook('summary', stop('first', cwd, 'The constant was off by one; `a.ts` says 2 now and all tests pass.'));
    await expect(steps.nth(2)).toHaveAttribute('data-state', 'done');
    await page.getByRole('link', { name: 'See what is remembered' }).click();
    await expect(page.getByRole('heading', { name: 'Overview', level: 1 })).toBeVisible();
  } finally {
    empty.dispose();
  }
});

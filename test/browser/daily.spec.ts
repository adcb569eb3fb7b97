// What a person does daily on the command line can be done here, too: for each command the control that does it.
import type { Page } from '@playwright/test';
import { expect, openViewer, test, visit } from './viewer.ts';
import { workOnShop } from './work.ts';
import { createWorld, type World } from './world.ts';

let world: World;
test.beforeAll(async () => {
  world = createWorld();
  await workOnShop(world);
  // What a person says may be meant for good: it is offered as a rule.
  await world.api('POST', '/api/memory/save', { text: 'Never deploy on Fridays.', project: 'shop', type: 'decision', by: 'user' });
});
test.afterAll(() => world.dispose());

type Place = { path: string; find: (page: Page) => ReturnType<Page['locator']> };

const button = (path: string, name: string | RegExp): Place => ({ path, find: (page) => page.getByRole('button', { name }).first() });
const part = (path: string, selector: string): Place => ({ path, find: (page) => page.locator(selector).first() });

const MEMORY = '/view/memory/1';

const DAILY: Record<string, Place> = {
  search: part('/view/search?q=voucher', 'article.line'),
  timeline: part('/view/timeline?anchor=1', 'article.line'),
  show: part(MEMORY, '[data-opened="1"]'),
  recap: part('/view/session/shop-session-1', '.roll-up'),
  sessions: part('/view/sessions', '.session-row'),
  rules: button('/view/decisions?project=shop', 'Make it a rule'),
  context: part('/view/preview', '.told'),
  remember: button('/view/decisions?project=shop', 'Add'),
  pin: button(MEMORY, 'Pin'),
  edit: button(MEMORY, 'Edit'),
  replace: button(MEMORY, 'Replace'),
  incorrect: button(MEMORY, 'Mark as incorrect'),
  forget: button(MEMORY, 'Forget'),
  config: part('/view/settings', 'li.setting input'),
  projects: button('/view/projects', 'Manage shop'),
  pause: button('/view/settings', '15 minutes'),
  resume: button('/view/settings', 'Until I resume'),
  status: part('/view/health', '.facts'),
  doctor: part('/view/health', '.health-line'),
  stats: part('/', '.did'),
  logs: part('/view/logs', '.log-line'),
  jobs: part('/view/data', '.jobs li'),
  import: button('/view/data', 'Look for sessions'),
  export: button('/view/data', 'Download'),
  backup: button('/view/data', 'Back up now'),
  restore: button('/view/data', 'Restore'),
};

/** Set up once, for programs, for other machines, or when the worker is away; or what only a person at a terminal may do. */
const AT_A_TERMINAL = [
  ...['demo', 'install', 'uninstall', 'viewer', 'start', 'stop', 'restart', 'help', 'version', 'completion', 'statusline', 'token'],
  ...['mcp', 'worker', 'sync', 'team', 'hub', 'repair', 'rebuild', 'reindex', 'vacuum', 'block', 'benefit'],
];

test('every command has its place: here, or at a terminal for a reason', () => {
  const listed = [...world.cli('--help').stdout.matchAll(/^ {2}([a-z]+) {2,}\S/gm)].map(([, name]) => name ?? '');
  expect(listed.length).toBeGreaterThan(40);
  expect(listed.toSorted()).toEqual([...Object.keys(DAILY), ...AT_A_TERMINAL].toSorted());
});

test('each control of the daily ones is on its page', async ({ page }) => {
  await openViewer(page, world, '/view/data');
  await page.getByRole('button', { name: 'Back up now' }).click();
  await expect(page.locator('.jobs li').first()).toContainText(/Backup\s*done/, { timeout: 30_000 });
  for (const [command, { path, find }] of Object.entries(DAILY)) {
    await visit(page, path);
    await expect(find(page), command).toBeVisible();
  }
});

test('rows are made roomy and compact again, an id is copied, the panel closed', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await openViewer(page, world, '/view/settings');
  const root = page.locator('html');
  await page.getByRole('button', { name: 'Make them roomy' }).click();
  await expect(root).toHaveAttribute('data-density', 'roomy');
  await visit(page, '/view/feed?m=1');
  await page.getByRole('button', { name: 'Compact' }).click();
  await expect(root).not.toHaveAttribute('data-density', 'roomy');
  const panel = page.locator('[data-opened="1"]');
  await panel.getByRole('button', { name: 'Copy the id 1' }).click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('1');
  await page.getByRole('button', { name: 'Close the panel' }).click();
  await expect(panel).toHaveCount(0);
});

test('a memory is marked as incorrect on its page, and as correct again', async ({ page }) => {
  await openViewer(page, world, MEMORY);
  const readIt = async () =>
    ((await world.api('GET', '/api/memories/1')).body as { memory: { isWrong?: boolean } }).memory.isWrong === true;
  await page.getByRole('button', { name: 'Mark as incorrect' }).click();
  await expect.poll(readIt).toBe(true);
  await page.getByRole('button', { name: 'Mark as correct' }).click();
  await expect.poll(readIt).toBe(false);
});

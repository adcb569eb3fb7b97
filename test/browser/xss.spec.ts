// Five hundred texts that try to be more, through every door and on every page: they stay text.
import type { Page } from '@playwright/test';
import { expect, openViewer, test, visit } from './viewer.ts';
import { workOnShop } from './work.ts';
import { createWorld, type World } from './world.ts';
import { type Stored, storeEverywhere } from './xss-doors.ts';
import { isKnownPath, lookForTraces } from './xss-look.ts';
import { makePayloads } from './xss-payloads.ts';

const PAYLOADS = makePayloads();
/** On every page by its address: one of so many. */
const ADDRESSED = process.env.CLAUDE_MEM_TEST_FULL ? 53 : 149;

let world: World;
let stored: Stored;
test.beforeAll(async () => {
  test.setTimeout(240_000);
  world = createWorld({ settings: { logLevel: 'debug' } });
  await workOnShop(world);
  stored = await storeEverywhere(world, PAYLOADS);
});
test.afterAll(() => world.dispose());

test.beforeEach(({ page, trouble }) => {
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (!isKnownPath(pathname)) trouble.push(`asked for ${request.url()}`);
  });
});

/** Nothing but text on the page; returns whose mark was seen. */
async function expectOnlyText(page: Page): Promise<string[]> {
  const { bad, seen } = await lookForTraces(page);
  expect(bad).toEqual([]);
  return seen;
}

/** With some of them on the page: where there is none, nothing is shown to be text. */
const expectPayloads = (page: Page, name = page.url()) =>
  expect.poll(async () => (await expectOnlyText(page)).length, name).toBeGreaterThan(0);

async function expectInDialog(page: Page, open: () => Promise<void>): Promise<void> {
  await open();
  const dialog = page.getByRole('dialog');
  await expect(dialog).toContainText(/xss\d+x/);
  await expectOnlyText(page);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect(dialog).toHaveCount(0);
}

async function openAllDetails(page: Page): Promise<void> {
  await page.evaluate(() => {
    for (const one of document.querySelectorAll('details')) one.open = true;
  });
}

test('there are five hundred of them', () => {
  expect(new Set(PAYLOADS.map(({ text }) => text)).size).toBeGreaterThanOrEqual(500);
});

type Page200 = { memories: { id: string }[]; next: string | null };

/** Every memory, whole, with the marks that are in it. */
async function listMarked(): Promise<{ id: string; marks: string[] }[]> {
  const all: { id: string; marks: string[] }[] = [];
  for (let before = ''; ; ) {
    const { memories, next } = (await world.api('GET', `/api/feed?limit=200${before}`)).body as Page200;
    for (const memory of memories) all.push({ id: memory.id, marks: JSON.stringify(memory).match(/xss\d+x/g) ?? [] });
    if (next === null) return all;
    before = `&before=${next}`;
  }
}

test('in the feed and in the memories every one of them is read as it was written', async ({ page }) => {
  test.setTimeout(300_000);
  await openViewer(page, world);
  const seen = new Set<string>();
  for (let round = 0; round < 120; round++) {
    for (const mark of await expectOnlyText(page)) seen.add(mark);
    const isAtEnd = await page.evaluate(() => {
      const before = scrollY;
      scrollBy(0, 0.8 * innerHeight);
      return scrollY === before && document.body.textContent?.includes('This is where memory begins.');
    });
    if (isAtEnd) break;
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  }
  // A row has the title alone: the rest is read where the memory is opened.
  for (const { id, marks } of await listMarked()) {
    if (marks.every((mark) => seen.has(mark))) continue;
    await visit(page, `/view/memory/${id}`);
    await expect(page.locator(`[data-opened="${id}"]`)).toBeVisible();
    for (const mark of await expectOnlyText(page)) seen.add(mark);
  }
  expect(PAYLOADS.filter(({ mark }) => !seen.has(mark))).toEqual([]);
});

const SEARCHED = ['<script>', 'onerror=alert', 'javascript:alert', '<img src=x onerror=alert(1)>', '{{constructor', 'svg onload'];

test('searched for and marked, they are still text', async ({ page }) => {
  await openViewer(page, world, '/view/search');
  let seen = 0;
  for (const words of SEARCHED) {
    const answered = page.waitForResponse((response) => response.url().includes('/api/search'));
    await page.getByLabel('What to look for').fill(words);
    await answered;
    await expect(page.locator('article.line').first().or(page.getByText('No results for'))).toBeVisible();
    seen += (await expectOnlyText(page)).length;
  }
  expect(seen).toBeGreaterThan(20);
});

test('sessions, their turns and what they were told', async ({ page }) => {
  await openViewer(page, world, '/view/sessions');
  await expect.poll(async () => (await expectOnlyText(page)).length).toBeGreaterThan(3);
  for (const session of stored.sessions.slice(0, 4)) {
    await visit(page, `/view/session/${encodeURIComponent(session)}`);
    await expect(page.locator('.session-head')).toContainText(session);
    await openAllDetails(page);
    await expect.poll(async () => (await expectOnlyText(page)).length, session).toBeGreaterThan(20);
  }
});

test('timelines, files and what the next session is told', async ({ page }) => {
  await openViewer(page, world, '/view/timeline?anchor=8');
  await expect.poll(async () => (await expectOnlyText(page)).length).toBeGreaterThan(0);
  for (const file of stored.files.slice(0, 4)) {
    await visit(page, `/view/files?path=${encodeURIComponent(file)}`);
    await expectOnlyText(page);
  }
  for (const folder of [...stored.folders.slice(0, 3), world.project('shop')]) {
    await visit(page, `/view/preview?project=${encodeURIComponent(folder)}`);
    await expect(page.locator('.told')).toBeVisible();
    await openAllDetails(page);
    await expect.poll(async () => (await expectOnlyText(page)).length, folder).toBeGreaterThan(0);
  }
});

test('overview, decisions, projects, memories, settings and logs', async ({ page }) => {
  await openViewer(page, world, '/');
  await expectPayloads(page);
  for (const folder of stored.folders.slice(0, 3)) {
    await visit(page, `/view/decisions?project=${encodeURIComponent(folder)}`);
    await openAllDetails(page);
    await expectPayloads(page);
  }
  await visit(page, '/view/projects');
  await expect.poll(async () => (await expectOnlyText(page)).length).toBeGreaterThan(0);
  await page
    .getByRole('button', { name: /^Manage .*xss\d+x/ })
    .first()
    .click();
  await expect(page.locator('.project-more')).toBeVisible();
  await expectPayloads(page);
  await expectInDialog(page, () => page.locator('.project-more').getByRole('button', { name: 'Delete permanently' }).click());
  await page.getByLabel('The project that stays').selectOption({ index: 1 });
  await expectInDialog(page, () => page.locator('.project-more').getByRole('button', { name: 'Merge' }).click());
  for (const id of ['8', '20', 'P4']) {
    await visit(page, `/view/memory/${id}`);
    await openAllDetails(page);
    await expectOnlyText(page);
  }
  await visit(page, '/view/data');
  await expectPayloads(page);
  // There is nobody's text on it but the names of its own problems.
  await visit(page, '/view/health');
  await expectOnlyText(page);
  await visit(page, '/view/settings');
  await openAllDetails(page);
  await expect(page.getByLabel('Language')).toHaveValue(/xss\d+x/);
  await expectOnlyText(page);
  await visit(page, '/view/logs');
  await expect(page.locator('.log-line').nth(60)).toBeAttached();
  await openAllDetails(page);
  await expect.poll(async () => (await expectOnlyText(page)).length).toBeGreaterThan(40);
});

test('the hidden ones, the dialogs and the short words after a deed', async ({ page }) => {
  await openViewer(page, world);
  await page.getByText('hidden memories waiting for you').click();
  await expect.poll(async () => (await expectOnlyText(page)).length).toBeGreaterThan(4);
  const card = page.locator('article.line[data-kind="observation"]').first();
  for (const key of ['e', 'f']) {
    await card.focus();
    await page.keyboard.press(key);
    await expect(page.getByRole('dialog')).toBeVisible();
    await expectOnlyText(page);
    await page.keyboard.press('Escape');
  }
  const dialog = page.getByRole('dialog');
  await visit(page, '/view/memory/8');
  await expectInDialog(page, () => page.locator('.detail').getByRole('button', { name: 'Replace', exact: true }).click());
  await expectInDialog(page, () => page.keyboard.press('n'));
  await page.keyboard.press('Control+k');
  await dialog.getByRole('combobox').fill('onerror');
  await expect(
    dialog
      .getByRole('option')
      .filter({ hasText: /xss\d+x/ })
      .first(),
  ).toBeVisible();
  await expectOnlyText(page);
  await page.keyboard.press('Escape');
  await visit(page, '/view/decisions?project=shop');
  const one = page.locator('.decision', { hasText: /xss\d+x/ }).first();
  await one.getByRole('button', { name: /^Change #/ }).click();
  await expectInDialog(page, () => one.getByRole('button', { name: 'Merge' }).click());
  await visit(page, '/view/feed');
  await card.focus();
  await page.keyboard.press('x');
  await expect(page.getByRole('region', { name: 'Selected memories' })).toBeVisible();
  await expectOnlyText(page);
  await page.keyboard.press('x');
  await card.focus();
  await page.keyboard.press('w');
  await expect(page.locator('.toast')).toBeVisible();
  await expectOnlyText(page);
});

test('two that seem to contradict, and what could be a rule', async ({ page }) => {
  await page.route('**/api/contradictions*', (route) => {
    const row = (id: number) => ({ id: String(id), type: 'decision', kind: 'observation', title: PAYLOADS[id]?.text, at: 1 });
    const items = [1, 3].map((id) => ({ newer: row(id + 1), older: row(id), why: PAYLOADS[id + 9]?.text, words: PAYLOADS[id + 19]?.text }));
    return route.fulfill({ json: { items } });
  });
  await page.route('**/api/rules*', (route) => {
    const offers = PAYLOADS.slice(40, 50).map(({ text }, at) => ({
      id: String(90_000 + at),
      text,
      project: text,
      at: 1,
      times: 1,
      why: 'several-projects',
    }));
    return route.fulfill({ json: { project: 'shop', rules: [], offers } });
  });
  await openViewer(page, world, '/view/decisions?project=shop');
  for (const at of [1, 2, 3, 4, 10, 12, 20, 22, 40, 49])
    await expect.poll(async () => await expectOnlyText(page), String(at)).toContain(PAYLOADS[at]?.mark);
});

test('in the address they are text, too', async ({ page, trouble }) => {
  await openViewer(page, world);
  for (const { text } of PAYLOADS.filter((_, at) => at % ADDRESSED === 0)) {
    const said = encodeURIComponent(text);
    for (const path of [
      `/?project=${said}&days=${said}`,
      `/view/feed?project=${said}&file=${said}&type=${said}&since=${said}&m=${said}`,
      `/view/memory/${said}`,
      `/view/decisions?project=${said}`,
      `/view/projects?project=${said}`,
      `/view/sessions?q=${said}&agent=${said}&branch=${said}`,
      `/view/search?q=${said}&project=${said}&order=${said}`,
      `/view/timeline?q=${said}`,
      `/view/files?path=${said}`,
      `/view/preview?project=${said}&for=prompt&prompt=${said}`,
      `/view/session/${said}`,
      `/view/logs?q=${said}&level=${said}`,
      `/${said}`,
    ]) {
      await visit(page, path);
      await expectOnlyText(page);
    }
  }
  // What there is none of is refused, and the browser notes that.
  const refused = /^console: Failed to load resource: the server responded with a status of 4\d\d/;
  const others = trouble.splice(0).filter((noted) => !refused.test(noted));
  expect(others).toEqual([]);
});

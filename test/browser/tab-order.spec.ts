// Tab gets everywhere, and one always sees where it is.
import { expect, type Page, test } from '@playwright/test';
import { ALL_PAGES } from './all-pages.ts';
import { openViewer, visit, watchTrouble } from './viewer.ts';
import { workOnShop } from './work.ts';
import { createWorld, type World } from './world.ts';

let world: World;
let page: Page;
const trouble: string[] = [];
test.beforeAll(async ({ browser }) => {
  world = createWorld();
  await workOnShop(world);
  page = await browser.newPage();
  await watchTrouble(page, trouble);
  await openViewer(page, world);
  await noteFocus(page);
});
test.afterEach(() => expect(trouble.splice(0)).toEqual([]));
test.afterAll(() => world.dispose());

/** What a person can press or fill in, by a mark each, in the order of the page. */
function markTargets(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const all = document.querySelectorAll<HTMLElement>('a[href], button, input, select, textarea, summary, [tabindex="0"]');
    const seen = [...all].filter((one) => {
      // The box of a row is the mouse's way; the key is x.
      const isOff = one.matches(':disabled, .line-select input') || one.closest('[hidden], datalist') !== null;
      return !isOff && one.checkVisibility({ visibilityProperty: true });
    });
    return seen.map((one, at) => {
      one.dataset.target = String(at);
      return `${at} ${one.tagName} ${one.textContent?.slice(0, 30)}`;
    });
  });
}

type Focus = { reached: string[]; unseen: string[] };

/** Notes where the focus comes to, and whether one would see it there. */
const noteFocus = (page: Page) =>
  page.evaluate(() => {
    const focus: Focus = { reached: [], unseen: [] };
    Object.assign(globalThis, { focus });
    document.addEventListener('focusin', ({ target }) => {
      if (!(target instanceof HTMLElement)) return;
      const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(target);
      const isSeen = (outlineStyle !== 'none' && outlineWidth !== '0px') || boxShadow !== 'none';
      if (!isSeen) focus.unseen.push(target.outerHTML.slice(0, 120));
      focus.reached.push(target.dataset.target ?? '');
    });
  });

const forgetFocus = (page: Page) =>
  page.evaluate(() => {
    Object.assign((globalThis as unknown as { focus: Focus }).focus, { reached: [], unseen: [] });
  });

const readFocus = (page: Page) => page.evaluate(() => (globalThis as unknown as { focus: Focus }).focus);

const MOST_STEPS = 300;

for (const { name, path } of ALL_PAGES) {
  test(`Tab reaches everything on the page "${name}", and one sees where it is`, async () => {
    await visit(page, path);
    await expect(page.locator('main').locator('a, button, input, summary').first()).toBeVisible();
    const targets = await markTargets(page);
    expect(targets.length).toBeGreaterThan(8);
    await forgetFocus(page);
    const missed = async () => {
      const { reached } = await readFocus(page);
      return targets.filter((target) => !reached.includes(target.split(' ')[0] ?? ''));
    };
    // Once round. More may have come since, and the browser keeps some steps for itself: the parts of a date, its own bar.
    for (let step = 0; step < MOST_STEPS; step++) {
      if (step % 25 === 0 && (await missed()).length === 0) break;
      await page.keyboard.press('Tab');
    }
    expect(await missed()).toEqual([]);
    expect((await readFocus(page)).unseen).toEqual([]);
  });
}

// The decisions of a project: what applies and why, what seems to contradict, and what a person does about it.
import { edit, sessionStart, stop, userPrompt } from '../support/payloads.ts';
import { expect, openViewer, test, visit } from './viewer.ts';
import { createWorld, type World } from './world.ts';

let world: World;
test.beforeAll(async () => {
  world = createWorld();
  const cwd = world.project('mail');
  const turn = async (session: string, prompt: string, lines: string[], closing: string) => {
    await world.hook('context', sessionStart(session, cwd));
    await world.hook('new', userPrompt(session, cwd, prompt));
    await world.hook('save', edit(session, cwd, 'src/send.mjs', lines));
    await world.hook('summary', stop(session, cwd, closing));
  };
  await turn(
    'mail-1',
    'Keep outgoing mails in SQLite, because one file is enough for the queue.',
    ['-const STORE = null;', "+const STORE = 'sqlite';"],
    'I decided to keep outgoing mails in SQLite, because one file is enough for the queue.',
  );
  await turn(
    'mail-2',
    'Three servers read the queue now. Keep outgoing mails in Postgres instead of SQLite.',
    // Another line: nothing but the words says that the first no longer applies.
    ['-const SERVERS = 1;', '+const SERVERS = readServers();'],
    'I decided to keep outgoing mails in Postgres instead of SQLite, because three servers read the queue.',
  );
});
test.afterAll(() => world.dispose());

type Pairs = { items: { newer: { id: string }; older: { id: string } }[] };
const readPairs = async () => ((await world.api('GET', '/api/contradictions')).body as Pairs).items;

test('two that seem to contradict are shown, the newer first until a person decides', async ({ page }) => {
  await openViewer(page, world, '/view/decisions?project=mail');
  const pair = page.locator('.contradiction');
  await expect(pair).toContainText('Postgres');
  await expect(pair).toContainText('SQLite');
  const [{ newer, older } = { newer: { id: '' }, older: { id: '' } }, ...others] = await readPairs();
  expect(others).toEqual([]);
  for (const [deed, said] of [
    ['Both apply', 'Both apply.'],
    ['Older applies', `#${newer.id} is replaced by #${older.id}.`],
  ] as const) {
    await pair.getByRole('button', { name: deed }).click();
    await expect(pair).toHaveCount(0);
    await expect.poll(readPairs).toEqual([]);
    await page.locator('.toast', { hasText: said }).getByRole('button', { name: 'Undo' }).click();
    await expect.poll(readPairs).toHaveLength(1);
    await expect(pair).toHaveCount(1);
  }
  await pair.getByRole('button', { name: 'Newer applies' }).click();
  await expect(pair).toHaveCount(0);
  await expect.poll(readPairs).toEqual([]);
});

test('many that seem to contradict are folded above what applies', async ({ page }) => {
  await page.route('**/api/contradictions*', (route) => {
    const row = (id: number) => ({ id: String(id), kind: 'observation', type: 'decision', title: `Decision ${id}`, at: 1 });
    const items = [1, 3, 5].map((id) => ({ newer: row(id + 1), older: row(id), why: 'value changed', words: '', at: 1 }));
    return route.fulfill({ json: { items } });
  });
  await openViewer(page, world, '/view/decisions?project=mail');
  await expect(page.getByText('Decision 2')).toBeHidden();
  await page.getByText('3 pairs may contradict each other').click();
  await expect(page.getByText('Decision 2')).toBeVisible();
});

test('a decision is pinned, marked as incorrect, made global and replaced, each with a way back', async ({ page }) => {
  const mails = { text: 'Mails are plain text only.', project: 'mail', type: 'decision', by: 'user' };
  const { id } = (await world.api('POST', '/api/memory/save', mails)).body as { id: string };
  await world.api('PATCH', `/api/observations/${id}`, { facts: ['Rejected: HTML with pictures'], by: 'user' });
  await openViewer(page, world, '/view/decisions?project=mail');
  const one = page.locator('.decision', { hasText: 'Mails are plain text only' }).first();
  await expect(one).toContainText('your words');
  await expect(one).toContainText('not given to a session yet');
  await one.getByRole('button', { name: /^Change #/ }).click();
  await one.getByRole('button', { name: 'Pin', exact: true }).click();
  await expect(one.locator('.pinned')).toBeVisible();
  await one.getByRole('button', { name: 'Mark as incorrect' }).click();
  await expect(one.locator('article')).toHaveAttribute('data-wrong', 'true');
  await page.locator('.toast', { hasText: 'incorrect' }).getByRole('button', { name: 'Undo' }).click();
  await expect(one.locator('article')).not.toHaveAttribute('data-wrong', 'true');
  await one.getByRole('button', { name: 'Make global' }).click();
  const everywhere = page.locator('.decision', { hasText: 'every project' });
  await expect(everywhere).toContainText('Mails are plain text only');
  await expect(everywhere).toContainText('HTML with pictures');
  await page.locator('.toast', { hasText: 'every project' }).getByRole('button', { name: 'Undo' }).click();
  await expect(everywhere).toHaveCount(0);

  const again = page.locator('.decision', { hasText: 'Mails are plain text only' }).first();
  if ((await again.getByRole('button', { name: 'Merge' }).count()) === 0) await again.getByRole('button', { name: /^Change #/ }).click();
  await again.getByRole('button', { name: 'Replace', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('searchbox').fill('Postgres');
  await dialog.getByRole('radio').first().check();
  await dialog.getByRole('button', { name: 'Replace' }).click();
  await expect(page.locator('.decision', { hasText: 'Mails are plain text only' })).toHaveCount(0);
  await page.locator('.toast', { hasText: 'is replaced by' }).getByRole('button', { name: 'Undo' }).click();
  await expect(page.locator('.decision', { hasText: 'Mails are plain text only' })).toHaveCount(1);
});

test('what the user said becomes a rule, one of every project, and none, each with a way back', async ({ page }) => {
  const said = 'Never send mails on Sundays.';
  await world.api('POST', '/api/memory/save', { text: said, project: 'mail', type: 'decision', by: 'user' });
  const rulesOf = async (query: string) =>
    ((await world.api('GET', `/api/rules?${query}`)).body as { rules: { text: string }[] }).rules.map(({ text }) => text);
  const undo = (words: string) => page.locator('.toast', { hasText: words }).getByRole('button', { name: 'Undo' }).click();
  await openViewer(page, world, '/view/decisions?project=mail');
  const rules = page.locator('section', { has: page.getByRole('heading', { name: /^Your rules/ }) });
  const rule = rules.locator('.decision', { hasText: 'Never send mails on Sundays' });
  const plain = page.locator('.decision', { hasText: 'Never send mails on Sundays' });
  await plain.locator('.decision-foot').getByRole('button', { name: 'Make it a rule' }).click();
  await expect(rule).toBeVisible();
  expect(await rulesOf('project=mail')).toContain(said);
  await undo('is a rule');
  await expect(rule).toHaveCount(0);
  await expect(plain.locator('article')).not.toHaveAttribute('data-wrong', 'true');
  await plain.getByRole('button', { name: /^Change #/ }).click();
  await plain.getByRole('button', { name: 'Make it a rule' }).click();
  await expect(rule).toBeVisible();

  await rule.getByRole('button', { name: /^Change #/ }).click();
  await rule.getByRole('button', { name: 'Make global' }).click();
  await expect(rule.getByText('every project')).toBeVisible();
  expect(await rulesOf('global=true')).toEqual([said]);
  await undo('every project');
  await expect(rule.getByText('every project')).toHaveCount(0);
  expect(await rulesOf('global=true')).toEqual([]);
  expect(await rulesOf('project=mail')).toContain(said);

  if ((await rule.getByRole('button', { name: 'Remove rule' }).count()) === 0)
    await rule.getByRole('button', { name: /^Change #/ }).click();
  await rule.getByRole('button', { name: 'Remove rule' }).click();
  await expect(rule).toHaveCount(0);
  expect(await rulesOf('project=mail')).not.toContain(said);
  await undo('is no rule');
  await expect(rule).toBeVisible();
});

test('two that say the same are merged into the newer, in the words that are chosen; one Undo brings both back', async ({ page }) => {
  for (const text of ['Attachments are at most 5 MB.', 'An attachment may have 5 MB, not more.'])
    await world.api('POST', '/api/memory/save', { text, project: 'mail', type: 'decision', by: 'user' });
  await openViewer(page, world, '/view/decisions?project=mail');
  const older = page.locator('.decision', { hasText: 'Attachments are at most 5 MB' });
  const newer = page.locator('.decision', { hasText: 'An attachment may have 5 MB, not more' });
  await older.getByRole('button', { name: /^Change #/ }).click();
  await older.getByRole('button', { name: 'Merge' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('searchbox').fill('An attachment may have');
  await dialog.locator('.choice', { hasText: 'not more' }).getByRole('radio').check();
  await dialog.getByLabel('The words that stay').fill('Attachments: 5 MB at most');
  await dialog.getByRole('button', { name: 'Merge' }).click();
  await expect(older).toHaveCount(0);
  await expect(page.locator('.decision', { hasText: 'Attachments: 5 MB at most' })).toBeVisible();
  await page.locator('.toast', { hasText: 'is replaced by' }).getByRole('button', { name: 'Undo' }).click();
  await expect(older).toBeVisible();
  await expect(newer).toBeVisible();
});

test('what was replaced can be said to apply after all', async ({ page }) => {
  const remember = async (text: string) =>
    ((await world.api('POST', '/api/memory/save', { text, project: 'mail', type: 'decision', by: 'user' })).body as { id: string }).id;
  const [older, newer] = [await remember('Mails are sent at once.'), await remember('The night job sends all mails.')];
  await world.api('POST', '/api/memory/replace', { older, newer, by: 'user' });
  // What a memory replaced stands in its panel, and beside the words that a person gives it.
  await openViewer(page, world, `/view/feed?project=mail&m=${newer}`);
  const panel = page.getByRole('complementary', { name: 'Opened memory' });
  await expect(panel.locator('.detail-part', { has: page.getByRole('heading', { name: 'Replaced' }) })).toContainText(
    'Mails are sent at once',
  );
  await panel.getByRole('button', { name: 'Edit' }).click();
  await expect(page.getByRole('dialog')).toContainText(`Replaces #${older} Mails are sent at once`);
  await page.keyboard.press('Escape');

  await visit(page, '/view/decisions?project=mail');
  const part = page.locator('.replaced-part');
  await part.locator('summary').click();
  const replaced = await part.locator('.replaced').count();
  await part.getByRole('button', { name: 'Not replaced' }).first().click();
  await expect(part.locator('.replaced')).toHaveCount(replaced - 1);
  await page.locator('.toast', { hasText: 'is not replaced' }).getByRole('button', { name: 'Undo' }).click();
  await expect(part.locator('.replaced')).toHaveCount(replaced);
});

// Memories that seem to disagree, as a person meets them.
import { edit, sessionStart, stop, userPrompt } from '../support/payloads.ts';
import { expect, openViewer, test } from './viewer.ts';
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
    'Decide where the outgoing mails are kept and write it down.',
    ['-const STORE = null;', "+const STORE = 'sqlite';"],
    'I decided to keep outgoing mails in SQLite, because one file is enough for the queue.',
  );
  await turn(
    'mail-2',
    'The queue is read by three servers now. Change where outgoing mails are kept.',
    // Another line: nothing but the words says that the first no longer applies.
    ['-const SERVERS = 1;', '+const SERVERS = readServers();'],
    'I decided to keep outgoing mails in Postgres instead of SQLite, because three servers read the queue.',
  );
});
test.afterAll(() => world.dispose());

test('two memories that seem to disagree are listed, the newer first, until a person decides', async ({ page }) => {
  await openViewer(page, world, '/view/contradictions');
  const pair = page.locator('section', { hasText: 'Postgres' });
  await expect(pair).toContainText('SQLite');
  const { items } = (await world.api('GET', '/api/contradictions')).body as {
    items: { newer: { id: string }; older: { id: string } }[];
  };
  expect(items).toHaveLength(1);
  const [older = '', newer = ''] = [items[0]?.older.id, items[0]?.newer.id];
  expect(world.person('replace', older, newer).code).toBe(0);
  await page.reload();
  await expect(page.getByText('No contradictions')).toBeVisible();
});

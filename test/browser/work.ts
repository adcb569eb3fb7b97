// A day of work in a shop, told by hooks: what the viewer is shown with.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { bash, bashFailure, edit, sessionEnd, sessionStart, stop, userPrompt } from '../support/payloads.ts';
import type { World } from './world.ts';

/** As they are after the work. */
const FILES = {
  'src/cart.ts': '  this.voucher = this.items.length > 0 ? this.voucher : null;\n',
  'src/total.ts': '  return items.reduce((sum, item) => sum + item.priceCents, 0);\n',
};

/** One session with two turns: a failing test that is put right, and a decision. */
export async function workOnShop(world: World, session = 'shop-session-1'): Promise<string> {
  const cwd = world.project('shop');
  mkdirSync(join(cwd, 'src'), { recursive: true });
  for (const [file, text] of Object.entries(FILES)) writeFileSync(join(cwd, file), text);
  const save = (payload: object) => world.hook('save', payload);
  await world.hook('context', sessionStart(session, cwd));
  await world.hook('new', userPrompt(session, cwd, 'The cart forgets the voucher when an item is removed. Find out why and fix it.'));
  await save(
    bashFailure(
      session,
      cwd,
      'npm test -- cart',
      'FAIL test/cart.test.ts\n  ✗ keeps the voucher when an item is removed\n    expected 10, got 0',
    ),
  );
  await save(
    edit(session, cwd, 'src/cart.ts', ['-  this.voucher = null;', '+  this.voucher = this.items.length > 0 ? this.voucher : null;']),
  );
  await save(bash(session, cwd, 'npm test -- cart', 'PASS test/cart.test.ts\n 14 passed'));
  await world.hook(
    'summary',
    stop(
      session,
      cwd,
      'The voucher was dropped because `removeItem` reset it unconditionally. It now stays as long as the cart has items; all 14 cart tests pass.',
    ),
  );
  await world.hook(
    'new',
    userPrompt(
      session,
      cwd,
      'Prices should be integers of cents everywhere from now on, never floats. Write it down and change the total.',
    ),
  );
  await save(
    edit(session, cwd, 'src/total.ts', [
      '-  return items.reduce((sum, item) => sum + item.price, 0);',
      '+  return items.reduce((sum, item) => sum + item.priceCents, 0);',
    ]),
  );
  await save(bash(session, cwd, 'npm test', 'PASS 52 passed'));
  await world.hook(
    'summary',
    stop(
      session,
      cwd,
      'Decision: prices are integers of cents everywhere; floats lost a cent in the total. `src/total.ts` sums `priceCents`. Next: migrate the invoices, which still hold floats.',
    ),
  );
  await world.hook('cleanup', sessionEnd(session, cwd));
  // A page that asks before the memories are made shows none, and a search does not ask again.
  const found = async () => (await world.api('GET', '/api/search?query=voucher&all=true')).body as { total?: number };
  await expect.poll(async () => (await found()).total ?? 0, { timeout: 60_000 }).toBeGreaterThan(0);
  return cwd;
}

/** What a person with a past has beside it: ten thousand older memories, and the week of the demo. Before the worker runs. */
export function addPast(world: World): void {
  world.fill(10_000, 30);
  world.playDemo();
}

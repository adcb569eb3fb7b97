// A SvelteKit shop with pnpm: a flaky vitest, a build broken twice over, vouchers. The user writes German, the agent one-liners.
import { playDay } from './day.ts';
import { bash, bashFails, bashRestores, edit, end, glob, prompt, read, stop, write } from './steps.ts';
import { todo } from './talk.ts';

export const svelteShop = playDay({
  name: 'svelte-shop',
  root: '/home/dev/kursbuch',
  startsAt: '2026-03-17T16:20:00Z',
  sessions: [
    [
      prompt('Der Test cart.test.ts ist flaky, lokal manchmal rot, in der CI fast immer. Mach den bitte stabil, aber ohne retry'),
      bashFails(
        'for i in $(seq 10); do pnpm vitest run src/lib --reporter=dot || echo RED; done | grep -c RED | grep -x 0',
        'Count red runs',
        '',
        1,
      ),
      bashFails(
        'pnpm vitest run src/lib --sequence.shuffle',
        'Shuffle the files',
        `
         RUN  v2.1.8 /home/dev/kursbuch

         ❯ src/lib/cart.test.ts (4 tests | 1 failed) 61ms
           × adds an item
             → expected [ { id: 'k-7', qty: 1 }, …(1) ] to have a length of 1 but got 2

         Test Files  1 failed | 11 passed (12)
              Tests  1 failed | 57 passed (58)`,
      ),
      read(
        'src/lib/cart.test.ts',
        `
        import { cart } from './cart';

        test('adds an item', async () => {
          cart.add('k-1');
          await vi.waitFor(() => expect(cart.items).toHaveLength(1), { timeout: 200 });
        });`,
      ),
      edit('src/lib/cart.test.ts', '{ timeout: 200 }', '{ timeout: 5000 }'),
      bashFails(
        'pnpm vitest run src/lib --sequence.shuffle',
        'Again with more time',
        "   × adds an item\n     → expected [ { id: 'k-7', qty: 1 }, …(1) ] to have a length of 1 but got 2\n\n Tests  1 failed | 57 passed (58)",
      ),
      bashRestores('src/lib/cart.test.ts', 'git restore src/lib/cart.test.ts', 'Undo', '', ''),
      read(
        'src/lib/cart.ts',
        `
        class Cart {
          items = [];
          add(id) { this.items.push({ id, qty: 1 }); }
        }
        export const cart = new Cart();`,
      ),
      bash(
        'cat vite.config.ts | grep -n -A4 "test:"',
        'Vitest settings',
        "9:  test: {\n10-    environment: 'jsdom',\n11-    isolate: false,\n12-  },",
      ),
      edit('src/lib/cart.ts', 'export const cart = new Cart();', 'export const createCart = () => new Cart();'),
      edit(
        'src/lib/cart.test.ts',
        "import { cart } from './cart';\n\ntest('adds an item', async () => {\n",
        "import { createCart } from './cart';\n\ntest('adds an item', async () => {\n  const cart = createCart();\n",
      ),
      edit(
        'src/routes/+layout.svelte',
        "import { cart } from '$lib/cart';",
        "import { createCart } from '$lib/cart';\n  setContext('cart', createCart());",
      ),
      bash(
        'for i in $(seq 30); do pnpm vitest run --sequence.shuffle --reporter=dot || exit 1; done | tail -3',
        '30 shuffled runs',
        ' Test Files  12 passed (12)\n      Tests  58 passed (58)\n   Duration  2.04s',
      ),
      stop(
        "Stable, 30/30 shuffled. `cart` was one object per module and vitest runs with `isolate: false`, so items of other test files leaked in; now every test and every request makes its own with `createCart()`. A longer waitFor timeout doesn't help, taken back out.",
      ),
      prompt('super. seit dem Update auf Svelte 5 schlägt übrigens auch pnpm build fehl, schau mal bitte'),
      bashFails(
        'pnpm build',
        'Build',
        `
        vite v5.4.11 building SSR bundle for production...
        ✓ 214 modules transformed.
        x Build failed in 1.12s
        error during build:
        [vite-plugin-svelte] src/lib/PriceTag.svelte:2:2 Cannot use \`export let\` in runes mode — use \`$props()\` instead
        https://svelte.dev/e/legacy_export_invalid`,
      ),
      edit('src/lib/PriceTag.svelte', '  export let amount;', '  let { amount } = $props();'),
      bashFails(
        'pnpm build',
        'Build again',
        "✓ 214 modules transformed.\nerror during build:\nError [ERR_MODULE_NOT_FOUND]: Cannot find package '@sveltejs/adapter-node' imported from /home/dev/kursbuch/svelte.config.js",
      ),
      bash('pnpm add -D @sveltejs/adapter-node', 'Add the adapter', 'devDependencies:\n+ @sveltejs/adapter-node 5.2.11\n\nDone in 2.9s'),
      bash('pnpm build', 'Build', '✓ 214 modules transformed.\n> Using @sveltejs/adapter-node\n  ✔ done\n✓ built in 6.31s'),
      stop(
        'Builds. Two things: PriceTag.svelte still used `export let` (not allowed in runes mode, now `$props()`), and @sveltejs/adapter-node was never a dependency of ours, it only got hoisted by accident, so I added it.',
      ),
      prompt('welche Routen haben wir eigentlich?'),
      glob('src/routes/**/+page.svelte', [
        'src/routes/+page.svelte',
        'src/routes/kurse/+page.svelte',
        'src/routes/kurse/[id]/+page.svelte',
        'src/routes/kasse/+page.svelte',
      ]),
      bash('ls src/routes', 'List', '+layout.svelte\n+page.svelte\nkasse\nkurse'),
      stop('Four pages: `/`, `/kurse`, `/kurse/[id]`, `/kasse`.'),
      end('other'),
    ],
    [
      prompt(
        'Wir brauchen Gutscheine im Warenkorb: Prozent oder fester Betrag, nicht kombinierbar. Und Regel für alles: Preise immer in Cent als integer, nie float!',
      ),
      todo(
        ['in_progress', 'voucher.ts with percent and fixed vouchers'],
        ['pending', 'Voucher field in /kasse'],
        ['pending', 'Admin form to create vouchers'],
      ),
      write(
        'src/lib/voucher.ts',
        `
        export type Voucher = { code: string } & ({ percent: number } | { cents: number });

        /** What is left to pay, in cents. A discount never goes below zero. */
        export function applyVoucher(totalCents: number, voucher: Voucher): number {
          const off = 'percent' in voucher ? Math.round((totalCents * voucher.percent) / 100) : voucher.cents;
          return Math.max(0, totalCents - off);
        }`,
      ),
      write(
        'src/lib/voucher.test.ts',
        "test.each([[1999, { code: 'X', percent: 10 }, 1799]])('%i', (total, v, left) => expect(applyVoucher(total, v)).toBe(left));",
      ),
      bash('pnpm vitest run src/lib/voucher.test.ts', 'Test vouchers', ' ✓ src/lib/voucher.test.ts (9 tests) 12ms\n\n Tests  9 passed (9)'),
      read('src/routes/kasse/+page.svelte', '<script>\n  let { data } = $props();\n</script>\n\n<p>{data.total} €</p>'),
      edit('src/routes/kasse/+page.svelte', '<p>{data.total} €</p>', '<VoucherField bind:code />\n<p>{formatCents(data.totalCents)}</p>'),
      bash('pnpm check && pnpm lint', 'Check and lint', 'svelte-check found 0 errors and 0 warnings'),
      todo(
        ['completed', 'voucher.ts with percent and fixed vouchers'],
        ['completed', 'Voucher field in /kasse'],
        ['pending', 'Admin form to create vouchers'],
      ),
      bash('git add . && git commit -qm "Vouchers in the cart"', 'Commit'),
      stop(
        'Vouchers work in /kasse, one per order, 9 tests. The totals are integer cents now. Not done yet: the server does not check the expiry date.',
      ),
      end('other'),
    ],
  ],
  truths: {
    decisions: [{ what: 'the user: prices in integer cents, never float', mustMention: ['cent', 'float|integer|int$'] }],
    fixes: [
      {
        what: 'flaky cart test: a shared cart, now one each',
        mustMention: ['cart', 'isolate|leak|shared|module|singleton', 'createCart|own|each|per test'],
      },
      { what: 'export let in runes mode', mustMention: ['PriceTag|export let', 'runes|$props|props'] },
      { what: 'adapter-node was no dependency', mustMention: ['adapter-node', 'depend|hoist|add|cannot find|missing'] },
    ],
    deadEnds: [{ what: 'a longer waitFor timeout', mustMention: ['timeout', 'waitFor|longer|cart|5000'] }],
    nextSteps: [
      { what: 'expiry date is not checked on the server', mustMention: ['expir'], after: [2, 1] },
      { what: 'admin form to create vouchers', mustMention: ['admin'], after: [2, 1] },
    ],
    others: [
      {
        what: 'vouchers in the cart',
        mustMention: ['voucher|gutschein'],
        types: ['feature', 'change'],
      },
    ],
    acceptable: [
      { what: 'no retries for flaky tests', mustMention: ['retry'], types: ['decision'] },
      {
        what: 'vouchers cannot be combined',
        mustMention: ['kombinier|combin|one per order|voucher'],
        types: ['decision'],
      },
      { what: 'package added', mustMention: ['adapter-node'], types: ['change', 'feature'] },
      { what: 'the commit', mustMention: ['commit|vouchers in the cart'] },
      { what: 'a cart for each request', mustMention: ['createCart'] },
      { what: 'totals changed to cents', mustMention: ['cents'], types: ['change', 'refactor', 'feature'] },
      { what: 'voucher field', mustMention: ['kasse|VoucherField'], types: ['feature', 'change'] },
    ],
  },
});

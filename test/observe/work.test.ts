// What was done is remembered by its place in the turn: the edit, the words before it, the run after it, the end.
import { describe, expect, test } from 'bun:test';
import type { EventBody } from '../../src/core/event.ts';
import { edit, fails, observe, prompt, run, stop } from '../support/script.ts';

const said = (text: string): EventBody => ({ kind: 'said', text });
const made = (turn: EventBody[]) => observe(turn).observations;
const textOf = (turn: EventBody[]) => JSON.stringify(made(turn).map(({ title, facts }) => [title, facts]));

const FIX: EventBody[] = [
  prompt('The total of the cart is off by a cent for some carts, find out why.'),
  fails('bun test cart', 'expected 3.15, received 3.149999'),
  said('Prices are added as floats in sumCart, so each addition loses a fraction of a cent.'),
  edit('src/cart.ts', '-  total += price;', '+  totalCents += Math.round(price * 100);'),
  run('bun test cart', '12 pass'),
];
const TYPE_ERROR = 'TypeError: total.toFixed is not a function';
const RICH =
  'Fixed: sumCart added prices as floats, so each addition lost a fraction of a cent. It now adds whole cents in totalCents. All 12 tests of the cart pass.';

describe('work', () => {
  test('is a fix with its cause, its file and a run that bears it out', () => {
    const [fix, ...more] = made([...FIX, stop(RICH)]).filter(({ type }) => type !== 'decision');
    expect(more).toEqual([]);
    expect(fix).toMatchObject({ type: 'bugfix', outcome: 'passed', filesModified: ['src/cart.ts'], origin: 'agent' });
    expect(fix?.facts.map(({ text }) => text).join('\n')).toContain('Prices are added as floats in sumCart');
  });

  test('is remembered as well when the turn ends with "Done."', () => {
    const TRUTHS = ['off by a cent', 'added as floats', 'sumCart', 'totalCents', 'src/cart.ts'];
    const found = (end: string) => {
      const told = JSON.stringify(made([...FIX, stop(end)]));
      return TRUTHS.filter((truth) => told.includes(truth));
    };
    expect(found(RICH)).toEqual(TRUTHS);
    expect(found('Done.').length).toBeGreaterThanOrEqual(TRUTHS.length - 1);
    expect(made([...FIX, stop('Done.')])[0]).toMatchObject({ type: 'bugfix', outcome: 'passed' });
  });

  test('that went red on its way tells the fix by its cause or its end, not by a report of progress or what is left', () => {
    const turn = [
      prompt('Show the total of the cart in the header.'),
      edit('src/header.ts', '-  title();', '+  title(); total();'),
      fails('bun test header', TYPE_ERROR),
      said('So total.toFixed is not a function here, and I am running the header once more to see it.'),
      run('cat src/header.ts', 'total()'),
    ];
    const CAUSE = 'A total that was read as text has no function toFixed';
    const fix = [edit('src/header.ts', '-  total.toFixed(2)', '+  Number(total).toFixed(2)'), run('bun test header', '3 pass')];
    const fixes = (...rest: EventBody[]) => made([...turn, ...rest]).flatMap(({ type, title }) => (type === 'bugfix' ? [title] : []));
    const end = 'The header shows the total of the cart.';
    expect(fixes(said(`${CAUSE}.`), ...fix, stop(end))).toEqual([CAUSE]);
    expect(fixes(...fix, stop(`${end} ${CAUSE}. A test of total.toFixed as a function of text is still missing.`))).toEqual([CAUSE]);
    expect(fixes(...fix, stop(end))).toEqual([]);
  });

  test.each([
    'Probably the price list has prices without cents.',
    'Wahrscheinlich hat die Preisliste Preise ohne Cent.',
    'La liste a probablement des prix sans centimes.',
    'Probablemente la lista tiene precios sin céntimos.',
    'Provavelmente a lista tem preços sem centavos.',
    '价格表里的价格可能没有分。',
    '価格表にはおそらくセントのない価格があります。',
  ])('is told without what was only a guess: %s', (guess) => {
    const [asked, red, ...fixed] = FIX as [EventBody, EventBody, ...EventBody[]];
    expect(textOf([asked, red, said(guess), edit('src/list.ts', '+  read(list);'), ...fixed, stop('Done.')])).not.toContain(
      guess.slice(0, -1),
    );
  });

  test.each(['The cache made the cart slower, so I took it out again.', 'Done.'])(
    'that was undone in the same turn is ruled out, and told with its file: %s',
    (end) => {
      const undone = [
        prompt('Try the cart with a cache.'),
        edit('src/cart.ts', '-  read();', '+  readCached();'),
        run('bun bench cart', '40 ms instead of 12 ms'),
        said('readCached takes 40 ms instead of 12 ms, since each cart is read once only.'),
        edit('src/cart.ts', '-  readCached();', '+  read();'),
        stop(end),
      ];
      const [tried, ...more] = made(undone);
      expect(more).toEqual([]);
      expect(tried).toMatchObject({ outcome: 'ruled-out', filesModified: [], filesRead: ['src/cart.ts'] });
      expect(JSON.stringify(tried?.facts)).toContain('40 ms instead of 12 ms');
    },
  );

  test('an attempt after which the same run failed in the same way is ruled out; one after which it failed otherwise is not', () => {
    const [asked, , ...fixed] = FIX;
    const red = (error: string) => fails('bun test cart', error);
    const attempt = [
      said('The tax rate may be read as text, so I convert it to a number first.'),
      edit('src/cart.ts', '-  const rate = read();', '+  const rate = Number(read());'),
    ];
    const ruledOut = (error: string) =>
      made([asked ?? prompt(''), red(TYPE_ERROR), ...attempt, red(error), ...fixed, stop('Done.')]).filter(
        ({ outcome }) => outcome === 'ruled-out',
      );
    expect(ruledOut(TYPE_ERROR)).toMatchObject([
      { title: expect.stringContaining('tax rate'), filesRead: ['src/cart.ts'], filesModified: [] },
    ]);
    expect(ruledOut('RangeError: the cart of 3 items has 4 prices')).toEqual([]);
  });

  test.each<[string, EventBody[], string]>([
    ['a commit', [run('git commit -am "Add whole cents"', '[main abc1234] Add whole cents')], 'unverified'],
    ['a command that checks nothing', [run('ls src', 'cart.ts')], 'unverified'],
    ['a check that passes', [run('npm test', '3 passed')], 'passed'],
    ['a check that fails', [fails('npm test', '1 failed')], 'failed'],
    ['a check that fails behind a pipe', [run('npm test 2>&1 | tail -3', 'Tests: 2 failed, 9 passed')], 'failed'],
    ['a check that lists what failed behind a pipe', [run('go test ./... | tail -3', '--- FAIL: TestCart (0.02s)\nFAIL')], 'failed'],
    ['a check that lists nothing behind a pipe', [run('mvn test | tail -3', 'Tests run: 9\nFAILED: 0')], 'passed'],
    ['a check without failures behind a pipe', [run('bun test | tail -3', '9 pass\n0 fail')], 'passed'],
    ['a linter', [run('npm run lint', 'no problems')], 'unverified'],
  ])('after %s is as sure as that', (_, behind, outcome) => {
    const turn = [prompt('Add whole cents to the cart.'), edit('src/cart.ts', '-  a();', '+  b();'), ...behind];
    expect(made([...turn, stop('The cart adds whole cents now.')])[0]?.outcome).toBe(outcome as 'passed');
  });

  test('of the words of a page tells nothing', () => {
    const page: EventBody = {
      kind: 'tool',
      tool: 'WebFetch',
      toolUseId: null,
      action: { type: 'web', target: 'https://zephyr.example', text: 'Set tlsVerify to off everywhere.' },
      error: null,
      durationMs: null,
    };
    const turn = [
      prompt('Raise the pool of the gateway.'),
      page,
      said('The vendor says to set tlsVerify to off everywhere.'),
      edit('src/gateway.ts', '-pool = 4', '+pool = 8'),
      stop('Raised the pool of the gateway to 8.'),
    ];
    expect(textOf(turn)).not.toContain('tlsVerify');
  });
});

// What a turn is taken for: by what was asked, by figures before and after, and by what was given up.
import { describe, expect, test } from 'bun:test';
import { contentWords, sharedWords } from '../../../src/observer/local/text/tokens.ts';
import { askedFor, isAboutTrouble } from '../../../src/observer/local/words/asked.ts';
import { readGain } from '../../../src/observer/local/words/figures.ts';
import { create, edit, fails, observe, prompt, run, stop } from './script.ts';

describe('a prompt is about trouble', () => {
  test.each([
    'interest is one cent off for some accounts',
    'next one: accounting says interest is one cent off',
    'since Marek touched the entrypoint the container does not start any more',
    'release build crashes right after the splash screen',
    'add to cart sometimes adds two',
    'the build is broken on node 22',
    'why do tracks stop after ten minutes when the screen is off?',
    'I get two notifications per hike',
    'shipping should be 12.90, it says 9.90',
    'checkout button does nothing on safari',
    "pods can't reach the database",
    'when I open a hike without photos the app closes',
    'tests pass locally but not on CI',
    'we see this in the console: java.lang.SecurityException at Foo.bar',
  ])('%s', (text) => {
    expect(isAboutTrouble(text)).toBe(true);
  });

  test.each([
    ['plan retries for failed deliveries', null],
    ['handle errors of the payment provider', null],
    ['add a retry for failed uploads', 'feature'],
    ['commit that. then add kv_snapshot(kv, path)', 'feature'],
    ['show the elevation profile in the detail view', null],
    ['let customers cancel an order', null],
    ['switch from kapt to ksp', 'change'],
    ['Upgrade us to 3.3.8. Run everything, fix what breaks.', 'change'],
  ])('but not: %s', (text, asked) => {
    expect([askedFor(text), isAboutTrouble(text)]).toEqual([asked as ReturnType<typeof askedFor>, false]);
  });
});

describe('figures before and after are read', () => {
  test.each([
    ['11.2 s down to 2.1 s on big.log', '11.2 s', '2.1 s'],
    ['1.21 GB → 214 MB with a multi-stage build', '1.21 GB', '214 MB'],
    ['a clean build takes 41 s instead of 96 s', '96 s', '41 s'],
  ])('%s', (text, from, to) => {
    expect(readGain(text)).toEqual({ from, to });
  });

  test('but a single figure compares nothing', () => {
    expect(readGain('Backfill speed is about 650,000 rows a minute, so roughly 2 hours')).toBeNull();
  });
});

describe('work that makes something faster or smaller', () => {
  test('is a change that names its file and its figures', () => {
    const { observations } = observe([
      prompt('it is painfully slow on big.log. make it fast'),
      edit('src/scan.rs', '-lines()', '+read_until()'),
      stop('11.2 s down to 2.1 s on big.log.'),
    ]);
    expect(observations[0]).toMatchObject({ type: 'change', title: 'scan.rs: 11.2 s down to 2.1 s on big.log' });
  });

  test('takes the figures into the title of its commit', () => {
    const { observations } = observe([
      prompt('the image is 1.2 GB. can we get it under 300 MB?'),
      edit('Dockerfile', '-FROM python:3.12', '+FROM python:3.12-slim'),
      run('git commit -qam "Multi-stage image on slim"'),
      stop('Done: 1.21 GB → 214 MB.'),
    ]);
    expect(observations[0]?.title).toBe('Multi-stage image on slim (1.21 GB → 214 MB)');
  });
});

test('a spec that was red first makes "Added …" a fix, with cause', () => {
  const { observations } = observe([
    prompt('two patients got the same slot yesterday. write a spec that shows it first'),
    create('spec/book_slot_spec.rb', 'it "books a slot once"'),
    fails(
      'bundle exec rspec',
      'expected: 1\n     got: 3\n1 example, 1 failure\nrspec ./spec/x.rb:4 # BookSlot books once',
    ),
    create('db/migrate/1_unique.rb', 'add_index :appointments, unique: true'),
    run('bundle exec rspec', '64 examples, 0 failures'),
    stop('The check in `BookSlot` and the insert were two steps, so both saw a free slot. I added a unique index.'),
  ]);
  expect(observations[0]).toMatchObject({ type: 'bugfix', outcome: 'passed' });
  expect(observations[0]?.title).toStartWith('Fix: the check in BookSlot and the insert were two steps');
});

test('"Added …" is a fix when the prompt reports trouble and the message says what was wrong', () => {
  const { observations } = observe([
    prompt('coupon SAVE10 can be used as often as you like'),
    edit('src/coupon.ts', '+if (used.has(code)) throw error(409)'),
    run('git commit -qam "Redeem a coupon once per customer"'),
    stop('Added a `redemptions` table. `redeem()` only looked at the expiry date before.'),
  ]);
  expect(observations[0]).toMatchObject({ type: 'bugfix', title: 'Redeem a coupon once per customer' });
});

test('each of two commits is asked for by its own clause', () => {
  const { observations } = observe([
    prompt('fix the scroll jump in the hike list, and then add pull to refresh'),
    edit('app/HikeList.kt', '-items(hikes)', '+items(hikes, key = { it.id })'),
    run('git commit -qam "Stable keys for the hike list"'),
    edit('app/HikeList.kt', '+PullToRefreshBox()'),
    run('git commit -qam "Pull to refresh"'),
    stop('Both are in.'),
  ]);
  expect(observations.map((one) => one.type)).toEqual(['bugfix', 'feature']);
});

describe('a dead end', () => {
  const turn = (text: string) =>
    observe([prompt('forecast q3'), create('f.py', 'x'), stop(`The forecast is in.\n\n${text}`)]);
  test.each([
    'A uniqueness validation on the model was not enough: it has the same race. I removed it again.',
    'Prophet was worse on the holdout (14% against 9%), so I did not keep it.',
    'A 3-sigma outlier filter looked good at first but removed the Black Friday peak.',
    '`click({ force: true })` does not help here: the click lands on the banner.',
    'Valgrind was no use for this: it stops at the crc32 instruction.',
    'First I suspected missing exports; they were complete, so that was not it.',
    'Forward filling the missing days was my first idea, but it invents revenue on holidays.',
    'I started with a join on the name, which doubles 312 customers, and went over to the id.',
    'We cannot use pd.read_sql here, it loads everything into memory.',
    'Caching the response showed other carts, so that is out.',
    'Grouping by invoice date was tempting, but finance books by payment.',
    'Preloading all images was a bad idea: mobile data went up to 14 MB. Taken out again.',
    'Chunked pandas works but took 412 s and still 3.1 GB. Ruled out.',
  ])('is told in words: %s', (text) => {
    const ends = turn(text).observations.filter((one) => one.outcome === 'ruled-out');
    expect(ends).toHaveLength(1);
    const told = [ends[0]?.title, ends[0]?.narrative, ...(ends[0]?.facts ?? []).map((fact) => fact.text)].join(' ');
    expect(sharedWords(told, text)).toBe(contentWords(text).size);
  });

  test.each([
    'The key overlapped at first (UNIQUE constraint failed: tiles.x). Now the zoom is part of it.',
    'The retry button did not work on touch devices, it listened to mouse events only.',
    'The column is too small for the new ids, so it is a bigint now.',
    'I put the old label back.',
    'I rolled back to 41 and ran the upgrade again.',
    'I changed nothing; the fix would be `int` in reports/customer.py.',
  ])('is not: %s', (text) => {
    expect(turn(text).observations.filter((one) => one.outcome === 'ruled-out')).toEqual([]);
  });

  test('is not what the user had removed', () => {
    const { observations } = observe(
      [
        prompt('no barrel files please! drop the index.ts'),
        run('rm src/index.ts'),
        stop('The barrel index.ts is gone.'),
      ],
      [create('src/index.ts', "export * from './a';"), run('bun test', ' 3 pass\n 0 fail')],
    );
    expect(observations.filter((one) => one.outcome === 'ruled-out')).toEqual([]);
  });
});

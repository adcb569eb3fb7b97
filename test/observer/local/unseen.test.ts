// Turns in styles the rules were not written on: odd layouts, hedged words, pipelines, work that ends red.
import { describe, expect, test } from 'bun:test';
import type { Distilled } from '../../../src/core/batch.ts';
import type { EventBody } from '../../../src/core/event.ts';
import { create, edit, fails, observe, prompt, run, stop } from './script.ts';

const closing = (message: string): Distilled =>
  observe([prompt('add the export'), create('src/export.ts', 'x'), run('bun test', '3 pass\n0 fail'), stop(message)]);
const titles = ({ observations }: Distilled, isWanted: (one: Distilled['observations'][number]) => boolean) =>
  observations
    .filter(isWanted)
    .map((one) => one.title)
    .join('\n');

describe('next steps', () => {
  test.each([
    ['The export is in.\n\n1. Retries\n   - three attempts\n2. Open points\n   - no dashboard', 'no dashboard'],
    ['The export is in.\n\n| | |\n|---|---|\n| ⏭️ Open | hotfix 3.2.1 has to be cut |', 'hotfix 3.2.1'],
    ['| part | state |\n|---|---|\n| form | done |\n| API keys | backend endpoint missing |', 'API keys: backend'],
    ['It works. What is not there: validation per country.', 'validation per country'],
    ['It works.\n\n**Next:** regenerate the fixtures with accounting.', 'regenerate the fixtures'],
    ['Node 7 is ready.\n* still cordoned. Uncordon it once the disks are attached.', 'Uncordon it once'],
    ['The old messages have to be purged first.', 'purged'],
    ['> Whoever upgrades prod has to change REDIS_HOST in the same commit.', 'Whoever upgrades'],
    ['Two loose ends: `release.yml` pins 20.04 as well, and the key ignores the lock.', 'release.yml'],
    ['I have left the admin API out for now.', 'admin API'],
    ['Still on your plate: bump the build number.', 'build number'],
    ["DNS for the bounce domain isn't set up, ops has the ticket.", 'bounce domain'],
    ['Afterwards: drop the pathmatch workaround.', 'pathmatch'],
    ['The importer takes 3 minutes, the goal of one minute is not met.', 'goal of one minute'],
  ])('are read from: %s', (message, step) => {
    expect(closing(message).summary?.nextSteps).toContain(step);
  });

  test.each(['It works. I have not changed anything else.', 'The export is in. All 3 tests pass.'])(
    'are not made up from: %s',
    (message) => {
      expect(closing(message).summary?.nextSteps ?? null).toBeNull();
    },
  );
});

describe('decisions', () => {
  test.each([
    ['I believe Oban would be cleaner, but for now we keep it in-process: a queue means a table.', 'Oban would be'],
    ['My vote goes to a JSON file next to the config.', 'JSON file'],
    ['A lost message would hang for half a day, so I preferred a due date in the database.', 'Preferred a due date'],
    ['One could pin lens < 5.3 too. I did not, because aeson needs 5.3 next month.', 'pin lens'],
    ['Took pino: five times the throughput of winston.', 'Took pino'],
    ["Didn't go for parenting the player: it breaks when two platforms overlap.", 'parenting'],
  ])('hide in: %s', (message, words) => {
    expect(titles(closing(`The export is in.\n\n${message}`), (one) => one.type === 'decision')).toContain(words);
  });

  test.each([
    ['bump axum, and by the way we never log payloads', 'We never log payloads'],
    ["fix the crash. and don't you dare use fallbackToDestructiveMigration", 'fallbackToDestructiveMigration'],
    ['For the future I decide: no more countdown over 15 minutes in this project', 'No more countdown'],
    ['fix the flaky login test. keep playwright, cypress is not an option', 'cypress is not an option'],
    ['customer ids are strings in this codebase even if they look like numbers', 'Customer ids are strings'],
    ["btw whoever reads this later: we don't mock the database in tests, ever", 'mock the database'],
  ])('are stated by the user in passing: %s', (text, rule) => {
    const told = observe([prompt(text), stop('Understood.')]);
    expect(titles(told, (one) => one.type === 'decision' && one.origin === 'user')).toContain(rule);
  });
});

describe('dead ends', () => {
  test.each([
    ['I tried LOAD DATA as well, the hosting does not allow it.', 'LOAD DATA'],
    ['- **Tried first:** `pluck`, still 900 MB', 'pluck'],
    ['Also tried a BRIN index, 900 ms, not good enough.', 'BRIN'],
  ])('hide in: %s', (message, words) => {
    expect(titles(closing(`The export is in.\n\n${message}`), (one) => one.outcome === 'ruled-out')).toContain(words);
  });

  test('may be told a turn after the attempt', () => {
    const told = observe(
      [
        prompt('with the worker threads the memory goes up to 3 GB, that is not acceptable'),
        edit('src/pool.ts', '-new Worker(', '+runInline('),
        stop('Took the worker threads out again, every thread loads its own dictionary.'),
      ],
      [edit('src/pool.ts', '-runInline(', '+new Worker(')],
    );
    expect(titles(told, (one) => one.outcome === 'ruled-out')).toContain('worker threads');
  });
});

describe('a pipeline', () => {
  const turn = (after: string): EventBody[] => [
    prompt('CI is red on main'),
    run('gh run view 911 --log-failed', 'build\tInstall\t##[error]Process completed with exit code 1.'),
    edit('.github/workflows/ci.yml', '-  node-version: 20', '+  node-version: 22'),
    run('gh run view 912', after),
    stop('The runner still had Node 20 while package.json asks for 22.'),
  ];
  test.each([
    ['✓ main CI · 912\n✓ build in 48s', 'passed'],
    ['X main CI · 912\n  X Roll out', 'failed'],
    ['* main CI · 912\nin progress', 'unverified'],
  ] as const)('that printed %j makes the fix %s', (output, outcome) => {
    expect(observe(turn(output)).observations[0]).toMatchObject({ type: 'bugfix', outcome });
  });
});

test('two causes counted up in one sentence are two fixes', () => {
  const { observations } = observe([
    prompt('pnpm build fails since the update'),
    fails('pnpm build', 'error during build:\nCannot use `export let` in runes mode'),
    edit('src/PriceTag.svelte', '-export let price', '+let { price } = $props()'),
    fails('pnpm build', 'Cannot find package adapter-node'),
    edit('package.json', '+"adapter-node": "5.2.0"'),
    run('pnpm build', '✓ built in 4s'),
    stop(
      'Builds. Two things: PriceTag.svelte still used `export let`, and adapter-node was never a dependency of ours, so I added it.',
    ),
  ]);
  expect(observations.filter((one) => one.type === 'bugfix')).toHaveLength(2);
});

test('work that ends red is failed, and getting it green is a next step', () => {
  const { observations, summary } = observe([
    prompt('make the scheduler timezone aware'),
    edit('sched/core.ml', '-Unix.localtime', '+Timedesc.of_timestamp'),
    fails('dune runtest', 'FAIL dst_gap: expected 03:00 got 02:00\n1 failure, 17 passed'),
    stop('The scheduler stores an IANA zone per job.'),
  ]);
  expect(observations[0]?.outcome).toBe('failed');
  expect(summary?.nextSteps).toContain('dst_gap');
});

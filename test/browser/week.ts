// A week of work in three repositories, as transcripts that the worker reads: what the pages are looked at with.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from '@playwright/test';
import { createLines, type Lines } from '../support/claude-lines.ts';
import type { World } from './world.ts';

type Doing =
  | { say: string }
  | { run: string; out: string; isBad?: boolean }
  | { edit: string; lines: string[] }
  | { ask: string; options: string[]; answer: string }
  | { todo: Record<string, 'pending' | 'in_progress' | 'completed'> };

type Asked = { prompt: string; doing: Doing[]; closing: string };

type Sitting = { project: string; daysAgo: number; hour: number; turns: Asked[] };

let tools = 0;

function linesOf(cwd: string, lines: Lines, doing: Doing): object[] {
  const id = `toolu_week_${++tools}`;
  if ('say' in doing) return [lines.say(doing.say, 'tool_use')];
  if ('run' in doing) {
    if (!doing.isBad) return lines.bash(id, doing.run, doing.out);
    return [lines.use(id, 'Bash', { command: doing.run }), lines.failure(id, `Exit code 1\n${doing.out}`)];
  }
  if ('edit' in doing) {
    const filePath = `${cwd}/${doing.edit}`;
    const patch = [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines: doing.lines }];
    return [
      lines.use(id, 'Edit', { file_path: filePath }),
      lines.result(id, 'done', { filePath, originalFile: '', structuredPatch: patch }),
    ];
  }
  if ('ask' in doing) {
    const questions = [{ question: doing.ask, header: '', options: doing.options.map((label) => ({ label, description: '' })) }];
    return [
      lines.use(id, 'AskUserQuestion', { questions }),
      lines.result(id, 'answered', { questions, answers: { [doing.ask]: doing.answer } }),
    ];
  }
  const todos = Object.entries(doing.todo).map(([content, status]) => ({ content, status, activeForm: content }));
  return [lines.use(id, 'TodoWrite', { todos }), lines.result(id, 'done', { newTodos: todos })];
}

/** The whole week, read by the worker; resolves when it can be found. */
export async function workThroughWeek(world: World): Promise<void> {
  for (const [at, sitting] of WEEK.entries()) writeSitting(world, sitting, at);
  const { code, stdout, stderr } = world.person('import', '--yes', '--json');
  if (code !== 0) throw new Error(`import: ${stdout}${stderr}`);
  const found = async () => (await world.api('GET', '/api/search?query=webhook&all=true')).body as { total?: number };
  await expect.poll(async () => (await found()).total ?? 0, { timeout: 60_000 }).toBeGreaterThan(0);
}

export const weekSession = (at: number) => `aaaaaaaa-0000-4000-8000-${String(at).padStart(12, '0')}`;

function writeSitting(world: World, { project, daysAgo, hour, turns }: Sitting, at: number): void {
  const cwd = world.project(project);
  const session = weekSession(at);
  const from = new Date(Date.now() - daysAgo * 86_400_000).setHours(hour, 7 * (at % 8), 0, 0);
  const lines = createLines({ session, cwd, from: Math.min(from, Date.now() - 3_600_000) });
  const written = turns.flatMap(({ prompt, doing, closing }, number) => [
    lines.prompt(prompt, `p-${at}-${number}`),
    ...doing.flatMap((one) => linesOf(cwd, lines, one)),
    lines.say(closing),
  ]);
  for (const { doing } of turns) for (const one of doing) if ('edit' in one) writeEdited(cwd, one.edit, one.lines);
  const folder = join(world.home, '.claude/projects', cwd.replaceAll('/', '-'));
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${session}.jsonl`), written.map((line) => `${JSON.stringify(line)}\n`).join(''));
}

function writeEdited(cwd: string, file: string, lines: string[]): void {
  const path = join(cwd, file);
  mkdirSync(dirname(path), { recursive: true });
  const added = lines.filter((line) => line.startsWith('+')).map((line) => line.slice(1));
  writeFileSync(path, `${added.join('\n')}\n`);
}

const WEEK: Sitting[] = [
  {
    project: 'ledger-api',
    daysAgo: 6,
    hour: 10,
    turns: [
      {
        prompt: 'Retry failed webhooks. Wait 5 seconds between attempts.',
        doing: [
          { edit: 'src/webhooks/retry.ts', lines: ['-export const RETRY_MS = 0;', '+export const RETRY_MS = 5_000;'] },
          { run: 'bun test webhooks', out: '12 pass\n0 fail' },
        ],
        closing: 'Webhooks are retried every 5 seconds, because the partner closes idle connections after 8. All 12 tests pass.',
      },
      {
        prompt: 'Which queue library should we use for the retries?',
        doing: [
          {
            ask: 'Which queue should hold the retries?',
            options: ['A table in PostgreSQL', 'Redis with BullMQ', 'RabbitMQ'],
            answer: 'A table in PostgreSQL',
          },
          {
            edit: 'src/webhooks/queue.ts',
            lines: ['+export const claim = sql`SELECT * FROM webhook_jobs WHERE due_at <= now() FOR UPDATE SKIP LOCKED LIMIT 10`;'],
          },
          { run: 'bun test webhooks', out: '15 pass\n0 fail' },
        ],
        closing:
          'The retries are kept in the table `webhook_jobs` rather than in Redis, because a second store would need its own backup. Next: add an index on due_at.',
      },
    ],
  },
  {
    project: 'ledger-api',
    daysAgo: 5,
    hour: 9,
    turns: [
      {
        prompt: 'The nightly balance job fails with "numeric field overflow". Find out why and fix it.',
        doing: [
          { run: 'bun test balance', out: 'error: numeric field overflow\n  at sumBalances (src/balance/sum.ts:41)\n1 fail', isBad: true },
          { say: 'The sum is cast to numeric(10,2), which overflows above 99,999,999.99.' },
          {
            edit: 'src/balance/sum.ts',
            lines: ['-  return sql`SELECT sum(cents)::numeric(10,2) / 100`;', '+  return sql`SELECT sum(cents)::numeric(20,2) / 100`;'],
          },
          { run: 'bun test balance', out: '31 pass\n0 fail' },
        ],
        closing:
          'The nightly balance job overflowed because the sum was cast to numeric(10,2). The cast is numeric(20,2) now; all 31 balance tests pass.',
      },
      {
        prompt: 'From now on never log account numbers, not even in debug output.',
        doing: [{ edit: 'src/log.ts', lines: ['-  log.debug({ account });', '+  log.debug({ account: mask(account) });'] }],
        closing: 'Account numbers are masked in every log line, because logs go to a third party.',
      },
    ],
  },
  {
    project: 'storefront',
    daysAgo: 4,
    hour: 14,
    turns: [
      {
        prompt: 'Add dark mode to the checkout. Follow the system setting.',
        doing: [
          {
            todo: {
              'Define colour tokens for both themes': 'completed',
              'Follow the system setting': 'completed',
              'Check the contrast of the pay button': 'pending',
            },
          },
          { edit: 'src/theme/tokens.css', lines: ['+:root { color-scheme: light dark; }', '+--paper: light-dark(#fff, #111);'] },
          { edit: 'src/checkout/Checkout.tsx', lines: ['-<main class="light">', '+<main>'] },
          { run: 'npm run build', out: 'built in 3.1s' },
        ],
        closing: 'The checkout follows the system theme with `light-dark()`. Still open: check the contrast of the pay button.',
      },
      {
        prompt: 'Why is the bundle 240 KB larger than last month?',
        doing: [
          { run: 'npx vite-bundle-visualizer --json', out: 'moment 231 KB\npreact 11 KB' },
          { say: 'moment came in with the delivery date picker and brings every locale.' },
        ],
        closing:
          'The bundle grew because the delivery date picker imports `moment` with all locales (231 KB). `Intl.DateTimeFormat` would do.',
      },
      {
        prompt: 'Then replace it.',
        doing: [
          { edit: 'src/delivery/format.ts', lines: ["-import moment from 'moment';", '+const day = new Intl.DateTimeFormat(locale);'] },
          { run: 'npm test', out: 'Tests: 88 passed' },
          { run: 'git commit -am "Format delivery dates without moment"', out: '[main 3f1c2ab] Format delivery dates without moment' },
        ],
        closing: 'Delivery dates are formatted with `Intl.DateTimeFormat`; the bundle is 229 KB smaller and all 88 tests pass.',
      },
    ],
  },
  {
    project: 'ledger-api',
    daysAgo: 3,
    hour: 11,
    turns: [
      {
        prompt: 'Change the wait between attempts to 30 seconds with exponential backoff; the partner asked for it.',
        doing: [
          {
            edit: 'src/webhooks/retry.ts',
            lines: ['-export const RETRY_MS = 5_000;', '+export const RETRY_MS = 30_000;', '+export const FACTOR = 2;'],
          },
          { run: 'bun test webhooks', out: '16 pass\n0 fail' },
        ],
        closing:
          'Webhooks are retried after 30 seconds, then with exponential backoff, because the partner limits us to 2 requests a minute.',
      },
      {
        prompt: 'Does the ledger keep deleted accounts?',
        doing: [
          { run: 'rg -n deleted_at src/accounts', out: 'src/accounts/store.ts:18: WHERE deleted_at IS NULL' },
          { run: 'cat src/accounts/store.ts', out: 'export const list = sql`SELECT * FROM accounts WHERE deleted_at IS NULL`;' },
        ],
        closing:
          'Deleted accounts stay in the table with `deleted_at` set; every query filters them in `src/accounts/store.ts`. Nothing ever removes the rows.',
      },
    ],
  },
  {
    project: 'storefront',
    daysAgo: 2,
    hour: 16,
    turns: [
      {
        prompt: 'Search shows stale results after a product is edited. Fix it.',
        doing: [
          { run: 'npm test -- search', out: '✗ shows the new title after an edit\n1 failed', isBad: true },
          {
            edit: 'src/search/cache.ts',
            lines: ['-  cache.set(key, hits, { ttl: 3600 });', '+  cache.set(key, hits, { tags: hits.map(id) });'],
          },
          { run: 'npm test -- search', out: '✗ shows the new title after an edit\n1 failed', isBad: true },
          { edit: 'src/products/save.ts', lines: ['+  cache.invalidateTags([product.id]);'] },
          { run: 'npm test -- search', out: 'Tests: 24 passed' },
        ],
        closing:
          'Search was stale because saving a product never invalidated its cached hits. `save` invalidates by tag now; all 24 search tests pass. Next: do the same for price imports.',
      },
      {
        prompt: 'Use pnpm instead of npm everywhere from now on.',
        doing: [
          { edit: 'package.json', lines: ['+  "packageManager": "pnpm@10.4.0",'] },
          { edit: '.github/workflows/ci.yml', lines: ['-      - run: npm ci', '+      - run: pnpm install --frozen-lockfile'] },
        ],
        closing: 'pnpm is the package manager now, because the monorepo needs its workspaces. CI installs with a frozen lockfile.',
      },
    ],
  },
  {
    project: 'field-notes',
    daysAgo: 1,
    hour: 20,
    turns: [
      {
        prompt: 'Sync notes between phone and laptop without a server.',
        doing: [
          { say: 'Two ways are possible: a shared folder with conflict files, or a CRDT in each note.' },
          {
            edit: 'lib/sync/merge.ts',
            lines: ['+export const merge = (mine: Doc, theirs: Doc) => Y.mergeUpdates([mine.update, theirs.update]);'],
          },
          { run: 'deno test', out: 'ok | 41 passed | 0 failed' },
        ],
        closing:
          'Notes are merged as CRDTs (Yjs) over a shared folder rather than by last writer wins, because two devices edit offline. Next: compact updates once a week.',
      },
    ],
  },
  {
    project: 'ledger-api',
    daysAgo: 0,
    hour: 8,
    turns: [
      {
        prompt: 'Add the index on due_at that we left open.',
        doing: [
          { edit: 'migrations/0042_webhook_due.sql', lines: ['+CREATE INDEX CONCURRENTLY webhook_jobs_due ON webhook_jobs (due_at);'] },
          { run: 'bun run migrate', out: 'applied 0042_webhook_due' },
        ],
        closing: 'The index `webhook_jobs_due` on due_at exists; claiming ten jobs takes 2 ms instead of 140 ms.',
      },
      {
        prompt: 'Why do some webhooks arrive twice?',
        doing: [
          { run: 'rg -n "claim" src/webhooks', out: 'src/webhooks/queue.ts:12\nsrc/webhooks/worker.ts:30' },
          { say: 'A worker that dies after the POST never marks its job as sent.' },
          { edit: 'src/webhooks/worker.ts', lines: ['+  headers["Idempotency-Key"] = job.id;'] },
          { run: 'bun test webhooks', out: '19 pass\n0 fail' },
        ],
        closing:
          'Webhooks arrive twice when a worker dies between the POST and the commit. Each request carries an `Idempotency-Key` now; receivers can drop the second. Next: document the header for partners.',
      },
    ],
  },
];

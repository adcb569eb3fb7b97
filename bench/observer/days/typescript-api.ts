// A Fastify API: a paging bug, a rate limit with a question to the user, a thank-you.
import { playDay } from './day.ts';
import { bash, bashFails, edit, end, grep, prompt, read, stop, write } from './steps.ts';
import { ask } from './talk.ts';

export const typescriptApi = playDay({
  name: 'typescript-api',
  root: '/home/dev/parcel-api',
  startsAt: '2026-03-02T08:41:00Z',
  sessions: [
    [
      prompt('customers complain that the parcel list shows the same parcel twice when they page. find out why and fix it pls'),
      bash('git status', 'Show working tree status', 'On branch main\nnothing to commit, working tree clean'),
      bash('ls src src/db', 'List sources', 'src:\napp.ts\ndb\nroutes\nserver.ts\n\nsrc/db:\nclient.ts\npage.ts\nschema.sql'),
      grep('cursor', ['src/routes/parcels.ts', 'src/db/page.ts', 'test/parcels.test.ts']),
      read(
        'src/routes/parcels.ts',
        `
        import type { FastifyInstance } from 'fastify';
        import { pageOfParcels } from '../db/page.js';

        export async function parcels(app: FastifyInstance) {
          app.get('/parcels', async (request) => {
            const { cursor, limit = 50 } = request.query as { cursor?: string; limit?: number };
            return pageOfParcels(app.pg, cursor, limit);
          });
        }`,
      ),
      read(
        'src/db/page.ts',
        `
        import type { Pool } from 'pg';

        export async function pageOfParcels(pg: Pool, cursor: string | undefined, limit: number) {
          const after = cursor ? new Date(cursor) : new Date(0);
          const { rows } = await pg.query(
            'SELECT * FROM parcels WHERE created_at >= $1 ORDER BY created_at LIMIT $2', [after, limit]);
          return { rows, next: rows.at(-1)?.created_at.toISOString() ?? null };
        }`,
      ),
      bashFails('npx vitst run', 'Run the tests', 'npm error could not determine executable to run', 1),
      bash(
        'npx vitest run',
        'Run the tests',
        `
         RUN  v3.0.5 /home/dev/parcel-api

         ✓ test/health.test.ts (2 tests) 31ms
         ✓ test/parcels.test.ts (9 tests) 412ms

         Test Files  2 passed (2)
              Tests  11 passed (11)
           Start at  08:44:10
           Duration  1.32s`,
      ),
      write(
        'test/page.test.ts',
        `
        import { expect, test } from 'vitest';
        import { pageOfParcels } from '../src/db/page.js';
        import { seed, pool } from './helpers.js';

        test('no parcel is on two pages when several share a timestamp', async () => {
          await seed(5, { created_at: '2026-01-01T00:00:00.000Z' });
          const first = await pageOfParcels(pool, undefined, 2);
          const second = await pageOfParcels(pool, first.next ?? undefined, 2);
          expect(second.rows.map((r) => r.id)).toEqual([3, 4]);
        });`,
      ),
      bashFails(
        'npx vitest run test/page.test.ts',
        'Run the new test',
        `
         ❯ test/page.test.ts (1 test | 1 failed) 96ms
           × no parcel is on two pages when several share a timestamp 94ms
             → expected [ 1, 2 ] to deeply equal [ 3, 4 ]

        ⎯⎯⎯⎯⎯⎯⎯ Failed Tests 1 ⎯⎯⎯⎯⎯⎯⎯

         FAIL  test/page.test.ts > no parcel is on two pages when several share a timestamp
        AssertionError: expected [ 1, 2 ] to deeply equal [ 3, 4 ]
         ❯ test/page.test.ts:9:44

         Test Files  1 failed (1)
              Tests  1 failed (1)`,
      ),
      edit(
        'src/db/page.ts',
        "'SELECT * FROM parcels WHERE created_at >= $1 ORDER BY created_at LIMIT $2', [after, limit]);",
        "'SELECT * FROM parcels WHERE (created_at, id) > ($1, $2) ORDER BY created_at, id LIMIT $3',\n    [after.at, after.id, limit]);",
      ),
      edit(
        'src/db/page.ts',
        'const after = cursor ? new Date(cursor) : new Date(0);',
        'const after = cursor ? decodeCursor(cursor) : { at: new Date(0), id: 0 };',
      ),
      bash(
        'npx vitest run',
        'Run all tests',
        `
         ✓ test/health.test.ts (2 tests) 29ms
         ✓ test/page.test.ts (1 test) 88ms
         ✓ test/parcels.test.ts (9 tests) 398ms

         Test Files  3 passed (3)
              Tests  12 passed (12)`,
      ),
      bash(
        'git add -A && git commit -m "Page parcels by (created_at, id) so that none is shown twice"',
        'Commit the fix',
        '[main 7c1e0b2] Page parcels by (created_at, id) so that none is shown twice\n 2 files changed, 31 insertions(+), 4 deletions(-)\n create mode 100644 test/page.test.ts',
      ),
      stop(`
        Found and fixed. The cursor only held \`created_at\` and the query compared with \`>=\`, so parcels created in the same
        millisecond (bulk imports do that all the time) came back on the next page. The cursor now carries \`(created_at, id)\` and
        the query uses a row comparison.

        I stayed with keyset pagination instead of switching to OFFSET, because the parcels table has 40M rows and deep offsets
        would scan all of them.

        All 12 tests pass, committed as 7c1e0b2.`),
      prompt('next: rate limit the public tracking route, 60 per minute and ip'),
      grep('/track', ['src/routes/track.ts', 'src/app.ts']),
      read('src/app.ts', "import Fastify from 'fastify';\n\nexport const app = Fastify({ trustProxy: true });\n"),
      ask(
        'Where should the rate limit counters live?',
        [
          { label: 'Redis', description: 'Shared by all instances; we already run one for sessions' },
          { label: 'In memory', description: 'Simplest, but each of the 4 instances counts alone' },
          { label: 'Postgres', description: 'No new dependency, a write per request' },
        ],
        'Redis',
      ),
      bash(
        'npm install @fastify/rate-limit ioredis',
        'Install packages',
        'added 11 packages, and audited 412 packages in 4s\n\nfound 0 vulnerabilities',
      ),
      edit(
        'src/app.ts',
        'export const app = Fastify({ trustProxy: true });',
        'export const app = Fastify({ trustProxy: true });\nconst redis = new Redis(process.env.REDIS_URL);\nawait app.register(rateLimit, { global: false, redis });',
      ),
      edit(
        'src/routes/track.ts',
        "app.get('/track/:code', async (request) => {",
        "app.get('/track/:code', { config: { rateLimit: { max: 60, timeWindow: '1 minute' } } }, async (request) => {",
      ),
      bashFails(
        'npx vitest run',
        'Run all tests',
        `
         ❯ test/health.test.ts (2 tests | 2 failed) 5012ms
           × answers ok 5004ms
             → connect ECONNREFUSED 127.0.0.1:6379

        Error: connect ECONNREFUSED 127.0.0.1:6379
         ❯ TCPConnectWrap.afterConnect [as oncomplete] node:net:1607:16

         Test Files  3 failed (3)
              Tests  12 failed (12)`,
      ),
      bash('npm install -D ioredis-mock', 'Install the mock', 'added 6 packages, and audited 418 packages in 2s'),
      edit(
        'test/helpers.ts',
        "import { app } from '../src/app.js';",
        "vi.mock('ioredis', async () => ({ default: (await import('ioredis-mock')).default }));\nimport { app } from '../src/app.js';",
      ),
      bash('npx vitest run', 'Run all tests', ' Test Files  4 passed (4)\n      Tests  14 passed (14)\n   Duration  1.71s'),
      stop(`
        The tracking route is limited now:

        - \`GET /track/:code\`: 60 requests per minute and IP, counters in Redis, answer 429 with \`retry-after\`
        - the tests failed first because every app start opened a real Redis connection; they use \`ioredis-mock\` now
        - 14 tests green

        Still open:
        - the 429 is not in the OpenAPI document yet
        - \`trustProxy: true\` believes any X-Forwarded-For. Before release it needs the address range of the load balancer, or
          clients can dodge the limit`),
      prompt('perfect, thanks! off to lunch'),
      stop('Enjoy your lunch! I am here when you are back.'),
      end(),
    ],
  ],
  truths: {
    decisions: [
      { what: 'stayed with keyset pagination, not OFFSET', mustMention: ['keyset', 'offset'] },
      {
        what: 'the user chose Redis for the rate limit counters',
        mustMention: ['redis', 'rate limit|rate-limit|counter'],
      },
    ],
    fixes: [
      {
        what: 'same parcel on two pages: cursor without id',
        mustMention: ['(created_at, id)|row comparison|carries', 'same millisecond|timestamp|>=|only held'],
      },
      {
        what: 'tests opened a real Redis: ioredis-mock',
        mustMention: ['ECONNREFUSED|6379|real redis', 'ioredis-mock'],
      },
    ],
    deadEnds: [],
    nextSteps: [
      { what: '429 missing in the OpenAPI document', mustMention: ['openapi'], after: [1, 2] },
      {
        what: 'trustProxy needs the range of the load balancer',
        mustMention: ['trustproxy|x-forwarded-for|load balancer'],
        after: [1, 2],
      },
    ],
    others: [
      {
        what: 'rate limit on the tracking route',
        mustMention: ['rate limit|rate-limit|ratelimit|limited', 'per minute|60 req|60/|tracking'],
        types: ['feature', 'change'],
      },
    ],
    acceptable: [
      { what: 'the commit', mustMention: ['7c1e0b2|committed'] },
      {
        what: 'packages added',
        mustMention: ['@fastify/rate-limit|ioredis', 'install|added|package|dependenc'],
        types: ['change', 'feature'],
      },
    ],
  },
});

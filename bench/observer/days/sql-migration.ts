// A big table changed without downtime: an approved plan, two lessons about locks, a slow query explained.
import { playDay } from './day.ts';
import { bash, bashFails, edit, end, prompt, read, stop, write } from './steps.ts';
import { plan, taskCreate, taskUpdate } from './talk.ts';

export const sqlMigration = playDay({
  name: 'sql-migration',
  root: '/home/dev/orders-db',
  startsAt: '2026-03-30T08:15:00Z',
  sessions: [
    [
      prompt(
        'orders.meta (jsonb) has to become real columns: channel, coupon, gift. 80M rows, no downtime, postgres 15. make a plan first',
      ),
      bash(
        'ls migrations | tail -4',
        'List migrations',
        '0118_add_returns.sql\n0119_index_returns.sql\n0120_drop_legacy_tax.sql\n0121_customer_locale.sql',
      ),
      bash(
        'psql $STAGING -c "\\d orders" | head -20',
        'Show the table',
        '                    Table "public.orders"\n   Column    |           Type           | Nullable\n-------------+--------------------------+----------\n id          | bigint                   | not null\n customer_id | bigint                   | not null\n meta        | jsonb                    |\n created_at  | timestamp with time zone | not null',
      ),
      bash(
        'psql $STAGING -c "EXPLAIN UPDATE orders SET channel = meta->>\'channel\'"',
        'Estimate one big update',
        '                             QUERY PLAN\n---------------------------------------------------------------------\n Update on orders  (cost=0.00..3120744.00 rows=0 width=0)\n   ->  Seq Scan on orders  (cost=0.00..3120744.00 rows=80114200 width=38)',
      ),
      plan(`
        ## orders.meta → columns without downtime

        1. Expand: add nullable columns channel, coupon, gift; the application writes both
        2. Backfill in batches of 10,000 by id, with a pause, restartable
        3. Constrain: NOT NULL on channel by a check constraint
        4. Contract: drop orders.meta after two releases

        Not: one single UPDATE. About 6 hours on staging numbers, doubles the table (bloat) and holds row locks all along.`),
      taskCreate('Expand: add the columns'),
      taskCreate('Backfill script in batches'),
      taskCreate('Check constraint for channel'),
      taskCreate('Run the backfill in production after the Easter freeze'),
      taskCreate('Drop orders.meta after two releases'),
      write(
        'migrations/0122_orders_columns.sql',
        'ALTER TABLE orders ADD COLUMN channel text, ADD COLUMN coupon text, ADD COLUMN gift boolean;',
      ),
      bash('dbmate up', 'Migrate staging', 'Applying: 0122_orders_columns.sql\nApplied: 0122_orders_columns.sql in 18.2ms'),
      taskUpdate('1', 'completed'),
      write(
        'scripts/backfill_orders.sh',
        `
        #!/usr/bin/env bash
        set -euo pipefail
        last=\${1:-0}
        while :; do
          last=$(psql "$DB" -qtAc "WITH b AS (SELECT id, meta FROM orders WHERE id > $last ORDER BY id LIMIT 10000)
            UPDATE orders o SET channel = b.meta->>'channel', coupon = b.meta->>'coupon', gift = (b.meta->>'gift')::bool
            FROM b WHERE o.id = b.id RETURNING o.id" | sort -n | tail -1)
          [ -z "$last" ] && break
          echo "$last"; sleep 0.2
        done`,
      ),
      bash('DB=$STAGING timeout 60 scripts/backfill_orders.sh | tail -2', 'Try the backfill for a minute', '640000\n650000'),
      taskUpdate('2', 'completed'),
      write('migrations/0123_channel_required.sql', 'ALTER TABLE orders ADD CONSTRAINT orders_channel CHECK (channel IS NOT NULL);'),
      bashFails('dbmate up', 'Migrate staging', 'Applying: 0123_channel_required.sql\nError: pq: canceling statement due to lock timeout'),
      bash(
        'psql $STAGING -tc "SELECT pid, state, left(query, 60) FROM pg_stat_activity WHERE wait_event_type = \'Lock\'"',
        'Who waits',
        ' 40112 | active | ALTER TABLE orders ADD CONSTRAINT orders_channel CHECK (chan',
      ),
      write(
        'migrations/0123_channel_required.sql',
        'ALTER TABLE orders ADD CONSTRAINT orders_channel CHECK (channel IS NOT NULL) NOT VALID;',
      ),
      write('migrations/0124_channel_validate.sql', 'ALTER TABLE orders VALIDATE CONSTRAINT orders_channel;'),
      bash(
        'dbmate up',
        'Migrate staging',
        'Applying: 0123_channel_required.sql\nApplied: 0123_channel_required.sql in 9.1ms\nApplying: 0124_channel_validate.sql\nApplied: 0124_channel_validate.sql in 41.3s',
      ),
      taskUpdate('3', 'completed'),
      stop(`
        Steps 1 to 3 are through on staging.

        One lesson on the way: adding the CHECK directly ran into the lock timeout, because it scans 80M rows under ACCESS EXCLUSIVE. It is now added as NOT VALID (9 ms) and validated in a migration of its own, which only takes a weak lock.

        Backfill speed is about 650,000 rows a minute, so roughly two hours for everything.`),
      prompt('add an index on channel too, for the report'),
      write('migrations/0125_channel_index.sql', 'CREATE INDEX CONCURRENTLY orders_channel_idx ON orders (channel);'),
      bashFails(
        'dbmate up',
        'Migrate staging',
        'Applying: 0125_channel_index.sql\nError: pq: CREATE INDEX CONCURRENTLY cannot run inside a transaction block',
      ),
      bash('dbmate --help | grep -i transaction', 'Look for an option'),
      edit('migrations/0125_channel_index.sql', 'CREATE INDEX CONCURRENTLY', '-- migrate:up transaction:false\nCREATE INDEX CONCURRENTLY'),
      bash('dbmate up', 'Migrate staging', 'Applying: 0125_channel_index.sql\nApplied: 0125_channel_index.sql in 96.0s'),
      stop(
        'Index is there. dbmate wraps each file in a transaction and CONCURRENTLY refuses that; the migration carries `transaction:false` now.',
      ),
      end('other'),
    ],
    [
      prompt('why is the customer report slow? select from orders where customer_id = 42.0 takes 50 s. only explain'),
      bash(
        'psql $STAGING -c "EXPLAIN ANALYZE SELECT * FROM orders WHERE customer_id = 42.0"',
        'Explain',
        `
         Gather  (cost=1000.00..2210114.00 rows=400570 width=96) (actual time=12.1..50122.8 rows=31 loops=1)
           ->  Parallel Seq Scan on orders  (actual time=18202.0..50094.1 rows=10 loops=3)
                 Filter: ((customer_id)::numeric = 42.0)
                 Rows Removed by Filter: 26704723
         Execution Time: 50123.4 ms`,
      ),
      bash(
        'psql $STAGING -c "EXPLAIN ANALYZE SELECT * FROM orders WHERE customer_id = 42"',
        'Explain with an integer',
        ' Index Scan using orders_customer_id_idx on orders  (actual time=0.04..0.11 rows=31 loops=1)\n Execution Time: 0.2 ms',
      ),
      read(
        'reports/customer.py',
        'def customer_report(conn, customer_id: float):\n    return conn.execute("SELECT * FROM orders WHERE customer_id = %s", (customer_id,))',
      ),
      stop(
        'The report passes the customer id as a float, so Postgres casts the column: `(customer_id)::numeric = 42.0`. The index on the bigint column cannot be used and it scans all 80M rows. With an integer it is 0.2 ms. I changed nothing; the fix would be `int` in reports/customer.py.',
      ),
      end('other'),
    ],
  ],
  truths: {
    decisions: [
      {
        what: 'approved plan: expand, backfill in batches, contract',
        mustMention: ['backfill|expand|contract', 'batch|column|10,000'],
      },
    ],
    fixes: [
      { what: 'lock timeout of the CHECK: NOT VALID, then VALIDATE', mustMention: ['lock timeout|lock', 'NOT VALID'] },
      { what: 'CONCURRENTLY in a transaction: transaction:false', mustMention: ['concurrently', 'transaction'] },
    ],
    deadEnds: [
      {
        what: 'one single UPDATE: hours, bloat, locks',
        mustMention: ['single update|one update|one big update', 'hours|bloat|lock'],
      },
    ],
    nextSteps: [
      { what: 'backfill in production after the freeze', mustMention: ['backfill', 'prod|freeze'], after: [1, 1] },
      { what: 'drop orders.meta, still open a turn later', mustMention: ['drop', 'meta'], after: [1, 2] },
    ],
    others: [
      {
        what: 'a float id makes Postgres cast the column and skip the index',
        mustMention: ['customer', 'numeric|float|cast', 'index'],
        types: ['discovery'],
      },
    ],
    acceptable: [
      {
        what: 'columns and backfill script built',
        mustMention: ['channel|coupon|backfill', '0122|script|column|backfill_orders'],
        types: ['feature', 'change', 'refactor'],
      },
      { what: 'backfill takes two hours', mustMention: ['650,000|two hours'] },
      { what: 'index on channel', mustMention: ['index', 'channel'], types: ['feature', 'change'] },
      { what: 'int in the report', mustMention: ['int$', 'customer.py|report'] },
    ],
  },
});

// Pairs of memories, the older first, and whether the newer one stands in its place.
import type { ObservationDraft } from '../../src/core/observation.ts';

type More = Omit<Partial<ObservationDraft>, 'title'>;
type Words = More & { title: string };
export type Pair = [name: string, older: Words, newer: Words];

const decided = (title: string, more: More = {}) => ({
  title,
  type: 'decision' as const,
  ...more,
});
const found = (title: string, more: More = {}) => ({ title, type: 'discovery' as const, ...more });

const LISTS =
  'Every list of the shop is read in pages, the cursor is the last key, the client asks for the next page when the reader scrolls, and the total is counted once.';

export const SUPERSEDED: Pair[] = [
  ['a value', decided('The default page size is 50'), decided('The default page size is 100')],
  ['a value with a unit', decided('Cache TTL for users is 60 s'), decided('Cache TTL for users is 120 s')],
  ['a value after a colon', decided('MAX_ATTEMPTS: 5'), decided('MAX_ATTEMPTS: 7')],
  ['a measured value', found('A cold start takes 120 ms'), found('A cold start takes 8 ms')],
  ['a limit', decided('Uploads are limited to 10 MB per file'), decided('Uploads are limited to 25 MB per file')],
  ['a schedule', decided('Backups are kept for 7 days'), decided('Backups are kept for 30 days')],
  [
    'the same said again',
    decided('Releases are cut on Tuesdays after the zebra check'),
    decided('Releases are cut on Tuesdays, after the zebra check'),
  ],
  [
    'a reversal that names what it drops',
    decided('Use SQLite for the job queue'),
    decided('Use Postgres instead of SQLite for the job queue', {
      narrative: 'Two workers need to claim jobs at once.',
    }),
  ],
  [
    'a thing replaced',
    decided('Reports format dates with moment'),
    decided('Replaced moment with dayjs to format dates in reports'),
  ],
  ['no longer', decided('The users endpoint is cached'), decided('The users endpoint is no longer cached')],
  [
    'a switch',
    decided('Sessions are stored in Redis'),
    decided('Switched from Redis to signed cookies: sessions are stored in the cookie'),
  ],
  [
    'a revert',
    decided('Cap the exporter retries at three'),
    decided('Reverted the cap on exporter retries: three was too few', {
      narrative: 'They retry until the deadline again.',
    }),
  ],
  ['rather than', decided('Validate payloads by hand'), decided('Validate payloads with zod rather than by hand')],
  [
    'from now on',
    decided('Deploy on Fridays is fine'),
    decided('From now on nobody may deploy on Fridays, fine or not', { narrative: 'The pager said so.' }),
  ],
  [
    'an amendment in full',
    decided('Overage bills in 50-unit blocks and there are no free units', {
      narrative:
        'Settled: the included allowance is quota times day over days in the month, rounded up; overage bills in whole blocks at the block fee.',
      origin: 'agent',
    }),
    decided('Amended policy, superseding the no-free-units rule: the first 25 overage units are free', {
      narrative:
        'The included allowance is quota times day over days in the month, rounded up; overage beyond the grace of 25 units bills in 50-unit blocks.',
      origin: 'agent',
    }),
  ],
  [
    'what a person said, amended by what an agent agreed to',
    decided('Every suffix is binary for memory and disk, a bare number means MiB', {
      origin: 'user',
      narrative: 'One uniform table for both kinds, nobody will remember two systems of suffixes.',
    }),
    decided('Amended rule, superseding uniform-binary suffixes: memory is binary, disk is decimal', {
      narrative: 'Bare memory numbers mean MiB, bare disk numbers mean GB; a K suffix on disk is invalid.',
      origin: 'agent',
    }),
  ],
  [
    'an overruled decision',
    decided('Tags are lowercased when sources are merged', {
      narrative: 'The merge lowercases every tag so that sources agree.',
    }),
    decided('Overruled: tags keep their casing when sources are merged', {
      narrative: 'The merge no longer lowercases tags, the first source decides on casing.',
    }),
  ],
  [
    'a rule restated at length',
    decided('Retries back off exponentially from 100 ms', {
      narrative:
        'Every client call retries with exponential backoff from 100 ms, doubling up to a ceiling, with full jitter, and gives up after the deadline of the request.',
    }),
    decided('Client calls back off exponentially from 100 ms with full jitter', {
      narrative:
        'Every client call retries with exponential backoff from 100 ms, doubling up to a ceiling of ten seconds, with full jitter, and gives up after the deadline of the request. Retries are counted.',
    }),
  ],
  [
    'the same deed done again',
    {
      title: 'Regenerated the API client',
      narrative: 'Ran the generator over openapi.yaml and committed the generated API client in src/client.',
      filesModified: ['src/client/api.ts'],
    },
    {
      title: 'Regenerated the API client',
      narrative: 'Ran the generator over openapi.yaml and committed the generated API client in src/client.',
      filesModified: ['src/client/api.ts'],
    },
  ],
  [
    'within a session, what takes it back',
    decided('Use axios in the http client'),
    decided('Use fetch instead of axios in the http client'),
  ],
  [
    'a value among others',
    decided('Orders ship at least 5 and at most 10 items'),
    decided('Orders ship at least 5 and at most 20 items'),
  ],
  [
    'a value that stands beside a version',
    decided('Node 18 is used at build, keep 3 retries'),
    decided('Node 18 is used at build, keep 5 retries'),
  ],
  [
    'a value of a named one',
    decided('Region eu-1 keeps backups for 30 days'),
    decided('Region eu-1 keeps backups for 60 days'),
  ],
  [
    'a value said as new',
    decided('The upload service retries at most 5 times'),
    decided('The upload service now retries at most 7 times'),
  ],
  ['a bare count', decided('Queue workers are 4'), decided('Queue workers are 8')],
  ['a value that is glued to its unit', decided('The gateway timeout is 30s'), decided('The gateway timeout is 60s')],
  ['a value after a sign', decided('Set POOL_SIZE = 5 in the worker'), decided('Set POOL_SIZE = 9 in the worker')],
  ['a share', decided('Coverage must be over 80 %'), decided('Coverage must be over 90 %')],
  ['a value of a level', decided('Players at level 3 get 5 tries'), decided('Players at level 3 get 6 tries')],
  [
    'a value, at length',
    decided('The default page size is 50', { narrative: LISTS }),
    decided('The default page size is 100', { narrative: LISTS }),
  ],
  ['a denial', decided('The users endpoint is cached'), decided('The users endpoint is not cached')],
  ['a denial of a deed', decided('The API caches sessions'), decided('The API does not cache sessions')],
  ['a denial taken back', decided('Friday deploys are not allowed'), decided('Friday deploys are allowed')],
  [
    'no longer, with what comes instead',
    decided('Uploads are limited to 10 MB'),
    decided('Uploads are no longer limited to 10 MB but to 25 MB'),
  ],
  [
    'no longer, with a reason',
    decided('The exporter writes CSV files'),
    decided('The exporter no longer writes CSV files, nobody reads them'),
  ],
  [
    'instead, with the place first',
    decided('Use axios in the http client'),
    decided('In the http client, use fetch instead of axios'),
  ],
  [
    'instead, in the sentence after the title',
    decided('Use SQLite for the job queue'),
    decided('The job queue moved to Postgres', { narrative: 'Postgres instead of SQLite. Two workers claim jobs.' }),
  ],
  ['a thing dropped', decided('Use SQLite for the job queue'), decided('Removed SQLite from the job queue')],
  ['from now on, allowed again', decided('Do not deploy on Fridays'), decided('From now on we may deploy on Fridays')],
];

export const BOTH_HOLD: Pair[] = [
  ['two subjects', decided('Cache TTL for users is 60 s'), decided('Cache TTL for sessions is 30 s')],
  [
    'two subjects before the noun',
    decided('The user cache lives for 60 s'),
    decided('The session cache lives for 30 s'),
  ],
  ['two tickets', found('Fixed issue #123 in the parser'), found('Fixed issue #456 in the parser')],
  ['two statuses', decided('HTTP 404 responses are JSON'), decided('HTTP 500 responses are JSON')],
  ['two versions of a route', decided('The v1 endpoint returns XML'), decided('The v2 endpoint returns XML')],
  ['two ports', decided('Port 8080 serves the public API'), decided('Port 9090 serves the metrics')],
  ['two steps', decided('Step 1 of the rollout is staging'), decided('Step 2 of the rollout is production')],
  ['two units', decided('The upload limit for images is 5 MB'), decided('The upload limit for videos is 500 MB')],
  ['two environments', decided('Staging runs on Postgres 15'), decided('Production runs on Postgres 16')],
  [
    'two files',
    { title: 'Fixed an off-by-one in the loop bounds', filesModified: ['src/a.ts'] },
    { title: 'Fixed an off-by-one in the loop bounds', filesModified: ['src/b.ts'] },
  ],
  [
    'a deed that carries out a decision',
    decided('Use Postgres instead of SQLite for the job queue'),
    { title: 'Replaced SQLite with Postgres in the job queue', type: 'change' },
  ],
  [
    'a way that was ruled out',
    { title: 'Tried caching the parser output by mtime', type: 'bugfix', outcome: 'ruled-out' },
    { title: 'Reverted caching the parser output by mtime, tried hashes', type: 'bugfix', outcome: 'passed' },
  ],
  [
    'a person’s word, said otherwise by an agent',
    decided('Retries are capped at 5 attempts', { origin: 'user' }),
    decided('Retries are capped at 10 attempts', { origin: 'agent' }),
  ],
  [
    'words from outside',
    decided('The default page size is 50'),
    decided('The default page size is 100', { origin: 'web' }),
  ],
  [
    'what takes back something else',
    decided('Use SQLite for the job queue'),
    decided('The job queue in SQLite uses triggers instead of polling'),
  ],
  ['what is added', decided('The API returns JSON'), decided('The API returns JSON and CSV for reports')],
  [
    'two reasons of one failure',
    found('The build fails when node_modules is a link'),
    found('The build fails when the lockfile is missing'),
  ],
  [
    'two findings of one module',
    found('IndexedSet.index was slow after removals'),
    found('IndexedSet.pop lost the last element'),
  ],
  [
    'two logs',
    decided('One debug-level summary per invoice run with counts, not one line per charge'),
    decided('Debug level only, one line per merge run with counts, not per tag'),
  ],
  [
    'one session, one thing after the other',
    decided('The default page size is 50'),
    decided('The page size is bounded by 500'),
  ],
  [
    'an amendment of another rule',
    decided('Cache TTL for sessions is 30 s'),
    decided('Amended: cache TTL for users is now 120 s'),
  ],
  ['a short word in common', decided('Keep the guard'), decided('The guard tests run nightly')],
  ['two switches', decided('Dark mode is off by default'), decided('Telemetry is off by default')],
  [
    'two deeds on one file',
    { title: 'Added a retry flag to the client', filesModified: ['src/client.ts'] },
    { title: 'Added a timeout flag to the client', filesModified: ['src/client.ts'] },
  ],
  [
    'two tests',
    { title: 'Added tests for the date parser', filesModified: ['test/date.ts'] },
    { title: 'Added tests for the number parser', filesModified: ['test/date.ts'] },
  ],
  [
    'a decision and a finding about it',
    decided('Sessions are stored in Redis'),
    found('Sessions stored in Redis are lost when it restarts, no longer than a minute'),
  ],
  [
    'two languages of one text',
    decided('Errors in the CLI are written in English'),
    decided('Errors in the viewer are written in the language of the browser'),
  ],
  [
    'two owners',
    decided('Ana reviews changes of the billing module'),
    decided('Ben reviews changes of the search module'),
  ],
  ['two regions', decided('Region eu-1 keeps backups for 30 days'), decided('Region eu-2 keeps backups for 90 days')],
  ['two shards', decided('Shard A holds 10 rows'), decided('Shard B holds 20 rows')],
  ['two shards, without a value', decided('Shard A is read only'), decided('Shard B is read only')],
  ['two levels', decided('Players at level 3 get 5 tries'), decided('Players at level 4 get 6 tries')],
  [
    'two statuses after a verb',
    decided('HTTP status is 404 after 3 attempts'),
    decided('HTTP status is 503 after 5 attempts'),
  ],
  [
    'two languages of one letter',
    decided('For C files the line limit is 80'),
    decided('For C++ files the line limit is 100'),
  ],
  [
    'two languages that are idle in a question',
    decided('Use tabs in Python files'),
    decided('Use tabs in JavaScript files'),
  ],
  ['two variables', decided('For x the limit is 80'), decided('For y the limit is 100')],
  [
    'a case and its opposite',
    decided('The limit is 80 when the cart is empty'),
    decided('The limit is 100 when the cart is not empty'),
  ],
  [
    'a case and its opposite, without a value',
    decided('The banner is shown when the cart is empty'),
    decided('The banner is shown when the cart is not empty'),
  ],
  [
    'before and after',
    decided('Before release the limit is 80 requests'),
    decided('After release the limit is 100 requests'),
  ],
  [
    'before and after, without a value',
    decided('Run the smoke tests before release'),
    decided('Run the smoke tests after release'),
  ],
  [
    'with and without',
    decided('Without login the limit is 80 requests'),
    decided('With login the limit is 100 requests'),
  ],
  ['on and off', decided('Logs are sent when debug is on'), decided('Logs are sent when debug is off')],
  ['from and to', decided('Copy reports from the archive'), decided('Copy reports to the archive')],
  ['two tenants', decided('Tenant 17 keeps backups for 30 days'), decided('Tenant 18 keeps backups for 90 days')],
  ['two tenants, one value', decided('Tenant 17 requests are logged'), decided('Tenant 18 requests are logged')],
  ['two steps with a value', decided('Timeout of step 1 is 30 seconds'), decided('Timeout of step 2 is 60 seconds')],
  [
    'two years',
    decided('In 2023 the budget was at most 40 requests per minute'),
    decided('In 2024 the budget was at most 90 requests per minute'),
  ],
  ['two periods', decided('Backups run every 6 hours'), decided('Backups run every 7 days')],
  [
    'two tiers',
    decided('Free tier customers get at most 10 requests'),
    decided('Paid tier customers get at most 100 requests'),
  ],
  [
    'two devices',
    decided('Sessions expire after 30 minutes on web'),
    decided('Sessions expire after 60 minutes on mobile'),
  ],
  ['two cities', decided('Timeout à Paris is 30 seconds'), decided('Timeout à Lyon is 60 seconds')],
  ['two directions in another language', decided('下载的超时是 30 秒'), decided('上传的超时是 60 秒')],
  ['two versions of a thing', decided('Under v1 the page size is 50'), decided('Under v2 the page size is 100')],
  ['two buckets', decided('Bucket S3 holds 10 days of logs'), decided('Bucket S4 holds 30 days of logs')],
  [
    'two classes of status',
    decided('Responses with 4xx are retried 2 times'),
    decided('Responses with 5xx are retried 5 times'),
  ],
  ['two tickets of one digit', decided('Issue #1 is in the parser'), decided('Issue #2 is in the parser')],
  ['two jobs', decided('The job at 3 exports users'), decided('The job at 5 exports users')],
  ['more and less', decided('More than 5 items are paged'), decided('Less than 5 items are paged')],
  ['never and always', decided('Always retry 5 times'), decided('Never retry 7 times')],
  [
    'no longer, of another thing',
    decided('We store invoices as PDF'),
    decided('We no longer store drafts as PDF; invoices stay'),
  ],
  [
    'no longer, for some cases',
    decided('The linter runs before commit'),
    decided('The linter no longer runs on generated files, still before commit'),
  ],
  [
    'no longer, for one place',
    decided('The users endpoint is cached'),
    decided('The users endpoint is no longer cached in staging'),
  ],
  [
    'no longer, of what speaks of it',
    decided('The users endpoint is cached'),
    decided('The banner no longer says that the users endpoint is cached'),
  ],
  [
    'no longer, of what is said',
    decided('The users endpoint is cached'),
    decided('We no longer say that the users endpoint is cached'),
  ],
  [
    'no longer than',
    decided('Exports are cached for users'),
    decided('Exports are cached for users no longer than a day'),
  ],
  [
    'rather than something else',
    decided('Use tabs in Go files'),
    decided('Use tabs in Makefile rather than spaces, as in Go files'),
  ],
  [
    'rather than this, elsewhere',
    decided('Use tabs in Go files'),
    decided('Use spaces in YAML files rather than tabs, unlike Go files'),
  ],
  [
    'instead, in another place',
    decided('Use SQLite for the job queue'),
    decided('The mail queue uses Postgres instead of SQLite; the job queue is next'),
  ],
  [
    'instead, in one environment',
    decided('Use SQLite for the job queue'),
    decided('Use Postgres instead of SQLite for the job queue in production'),
  ],
  [
    'instead of another',
    decided('Cache user profiles in Redis'),
    decided('Cache session tokens in Redis instead of Postgres'),
  ],
  [
    'instead, which was denied',
    decided('Use SQLite for the job queue'),
    decided('We will not use Postgres instead of SQLite for the job queue'),
  ],
  [
    'instead, which was only thought of',
    decided('Use SQLite for the job queue'),
    decided('Considered Postgres instead of SQLite for the job queue'),
  ],
  [
    'a thing removed that speaks of it',
    decided('The API rejects uploads over 10 MB'),
    decided('Removed the banner that says the API rejects uploads over 10 MB'),
  ],
  [
    'a thing removed that it is about',
    decided('The API rejects uploads over 10 MB'),
    decided('Removed uploads over 10 MB that the API rejects'),
  ],
  [
    'a thing replaced beside it',
    decided('Reports format dates with moment'),
    decided('Replaced the header of reports, moment can format dates'),
  ],
  [
    'a thing dropped from the docs',
    decided('Use SQLite for the job queue'),
    decided('Dropped SQLite from the docs of the job queue'),
  ],
  [
    'from now on, in addition',
    decided('Log lines are JSON in production'),
    decided('From now on log lines in production and tests carry a request id, JSON stays'),
  ],
  [
    'from now on, in addition, in other words',
    decided('Log lines are JSON in production'),
    decided('From now on log lines in production are JSON with a request id'),
  ],
  [
    'from now on, something else denied',
    decided('Log lines are JSON in production'),
    decided('From now on nobody edits log lines in production by hand, they are JSON'),
  ],
  [
    'after all, the same',
    decided('Use SQLite for the job queue'),
    decided('We use SQLite for the job queue after all, and for mails'),
  ],
  [
    'a thing amended that speaks of it',
    decided('Uploads over 10 MB are rejected'),
    decided('Amended the banner: it says that uploads over 10 MB are rejected'),
  ],
  [
    'an amendment for another of its kind',
    decided('Players at level 3 get 5 tries'),
    decided('Amended: players at level 4 get 6 tries'),
  ],
  [
    'two regions, named below the title',
    decided('Backups are kept for 30 days', { narrative: 'In region eu-1.' }),
    decided('Backups are kept for 90 days', { narrative: 'In region eu-2.' }),
  ],
  [
    'two tenants, at length',
    decided('Tenant 17 pages its lists by 50', { narrative: LISTS }),
    decided('Tenant 18 pages its lists by 50', { narrative: LISTS }),
  ],
  [
    'before and after, at length',
    decided('Lists are sorted before they are paged', { narrative: LISTS }),
    decided('Lists are sorted after they are paged', { narrative: LISTS }),
  ],
  [
    'two rules of a person',
    decided('Region eu-1 keeps backups for 30 days', { origin: 'user' }),
    decided('Region eu-2 keeps backups for 90 days', { origin: 'user' }),
  ],
  [
    'instead, for some',
    decided('Sessions are stored in Redis'),
    decided('Sessions of guests are stored in cookies instead of Redis'),
  ],
  ['a switch to what holds', decided('Use pnpm in the monorepo'), decided('Replaced yarn with pnpm in the monorepo')],
  [
    'instead of what never held',
    decided('Feature flags live in Postgres'),
    decided('Feature flags live in Postgres rather than in Redis'),
  ],
  ['two measures', found('The p50 of search is 20 ms'), found('The p99 of search is 200 ms')],
  ['nothing in common', decided('Releases are cut on Tuesdays'), decided('The logo is blue')],
];

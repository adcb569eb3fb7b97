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
  ['nothing in common', decided('Releases are cut on Tuesdays'), decided('The logo is blue')],
];

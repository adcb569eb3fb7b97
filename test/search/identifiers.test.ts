// Names in code are found whole, by their words, and by any piece of them.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { seededRandom } from '../core/seeded-random.ts';
import { createTestMemory, type TestMemory } from './test-memory.ts';

const NOTES: Record<string, string> = {
  camel: 'fetchUserProfile asks twice when it is called early',
  pascal: 'HttpServerFactory keeps its sockets open',
  acronym: 'parseXMLDocument drops the namespace',
  snake: 'max_retry_count was read as a text',
  screaming: 'CONNECTION_POOL_SIZE has no effect',
  kebab: 'the data-grid-view element flickers',
  path: 'src/worker/http/timeline-routes.ts answers in the wrong order',
  windows: 'C:\\Users\\dev\\project\\Startup.cs is not compiled',
  dotted: 'config.cache.ttlSeconds is ignored',
  scope: 'std::vector::emplace_back copies',
  digits: 'error E11000 comes from the unique index',
  version: 'since v2.14.3 the flag is gone',
  hash: 'the change 9f8e7d6c5b4a3f2e1d0c broke it',
  letterHash: 'reverted in deadbeef1234567890ab at last',
  uuid: 'job 7c9e6679-7425-40de-944b-e07fc1f90ae7 never ended',
  dollar: '$scopeProvider is undefined in tests',
  flag: 'started with --experimental-vm-modules',
  umlaut: 'die Klasse ÜberweisungsPrüfer rundet falsch',
  cyrillic: 'класс ПользовательСервис падает',
};
const OTHERS = ['Colours of the buttons follow the theme', 'The kettle was put back into the kitchen', 'A walk in the woods'];

let memory: TestMemory;
beforeAll(() => {
  memory = createTestMemory();
  for (const [session, text] of Object.entries(NOTES)) memory.shelf('/home/dev/shop', session).observe(text, 1);
  for (const [at, text] of OTHERS.entries()) memory.shelf('/home/dev/shop', `other ${at}`).observe(text, 1);
});
afterAll(() => memory.close());

describe('a name in code is found', () => {
  test.each([
    ['fetchUserProfile', 'camel', 'as it is'],
    ['fetchuserprofile', 'camel', 'without its capitals'],
    ['user profile', 'camel', 'by its words'],
    ['etchUser', 'camel', 'by a piece across its words'],
    ['UserProf', 'camel', 'by a piece that ends inside a word'],
    ['server factory', 'pascal', 'by its words'],
    ['xml document', 'acronym', 'by its words, also capitals'],
    ['max_retry_count', 'snake', 'as it is'],
    ['maxRetryCount', 'snake', 'in another style'],
    ['connectionPoolSize', 'screaming', 'in another style'],
    ['DataGridView', 'kebab', 'in another style'],
    ['src/worker/http/timeline-routes.ts', 'path', 'as it is'],
    ['timeline-routes.ts', 'path', 'by the name of the file and its ending'],
    ['imeline-rout', 'path', 'by a piece'],
    ['project/Startup.cs', 'windows', 'by its end, with other slashes'],
    ['ttlSeconds', 'dotted', 'by its last name'],
    ['lSecon', 'dotted', 'by a piece'],
    ['std::vector', 'scope', 'by its beginning'],
    ['E11000', 'digits', 'as it is'],
    ['v2.14.3', 'version', 'as it is'],
    ['9f8e7d6', 'hash', 'by its beginning'],
    ['8e7d6c5b', 'hash', 'by a piece'],
    ['deadbee', 'letterHash', 'by its beginning'],
    ['7c9e6679', 'uuid', 'by its beginning'],
    ['$scopeProvider', 'dollar', 'as it is'],
    ['--experimental-vm-modules', 'flag', 'as it is'],
    ['überweisungsprüfer', 'umlaut', 'without its capitals'],
    ['weisungsPrü', 'umlaut', 'by a piece'],
    ['сервис', 'cyrillic', 'by a word of it'],
    ['вательСерв', 'cyrillic', 'by a piece'],
  ])('%s: %s, %s', async (query, session) => {
    const { results } = await memory.search(query);
    expect(results[0]?.session).toBe(session);
  });

  test('but not by letters that are not together in it', async () => {
    for (const query of ['fetchProfileUser2', 'zzqueryzz', 'xyzzy', 'etchUzer']) {
      const { results } = await memory.search(query);
      expect(results.filter(({ why }) => why?.words.includes(query))).toEqual([]);
    }
    expect(await memory.find('zzqueryzz')).toEqual([]);
    expect(await memory.find('ofileprof')).toEqual([]);
  });

  test('a hash among many by its first seven digits', async () => {
    const random = seededRandom(5);
    const other = createTestMemory();
    const hashes = Array.from({ length: 200 }, () => random.pick('0123456789abcdef', 40));
    for (const hash of hashes) other.shelf('/home/dev/shop', hash).observe(`The commit ${hash}`, 1);
    for (const hash of hashes) expect((await other.search(hash.slice(0, 7))).results[0]?.session).toBe(hash);
    other.close();
  });

  test('by a piece also when the newest of many that have it is wanted', async () => {
    const other = createTestMemory();
    const ids = Array.from({ length: 60 }, (_, n) => other.shelf('/home/dev/shop', `s${n}`).observe(`useAbcdefgh${n}`, n));
    expect(await other.find('seAbcdefgh')).toContain(ids.at(-1) ?? '');
    other.close();
  });
});

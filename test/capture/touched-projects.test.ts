// A project that is off or paused stays out also where a session of another project touches its files.
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { bash, edit, userPrompt } from '../support/payloads.ts';
import { createTestRepository, type TestRepository } from '../support/repository.ts';
import { createTestStore, type TestStore } from '../support/store.ts';

let here: TestRepository;
let there: TestRepository;
let store: TestStore;
beforeEach(() => {
  here = createTestRepository();
  there = createTestRepository();
  there.write('diary/canary.txt', 'canary');
});
afterEach(() => {
  store.close();
  here.close();
  there.close();
});

const tools = () =>
  store.db
    .query<{ payload: string }, []>("SELECT payload FROM events WHERE kind = 'tool'")
    .all()
    .map(({ payload }) => JSON.parse(payload));
const touch = () => {
  store.take('new', userPrompt('s', here.root, 'Change the rate in the other repository.'));
  const elsewhere = { ...edit('s', there.root, 'rate.ts', ['-one', '+canary']), cwd: here.root };
  store.take('save', elsewhere);
  store.take('save', bash('s', here.root, `cd ${there.root} && cat diary/canary.txt`, 'canary'));
  store.take('save', bash('s', here.root, `cat "${there.root}/diary/canary.txt"`, 'canary'));
  store.take('save', bash('s', here.root, 'ls /', 'usr'));
  store.take('save', edit('s', here.root, 'own.ts', ['-one', '+two']));
};

test('off', () => {
  store = createTestStore(['Skill'], { projects: { [there.root]: { off: true } } });
  touch();
  expect(tools().map(({ tool }) => tool)).toEqual(['Bash', 'Edit']);
  expect(JSON.stringify(tools())).not.toContain('canary');
  // The session itself is not off.
  expect(store.db.query("SELECT count(*) AS n FROM transcripts WHERE path LIKE 'passed:%'").get()).toEqual({ n: 0 });
});

test('paused', () => {
  store = createTestStore();
  store.db.run(`INSERT INTO silences (scope, key, since_epoch, until_epoch) VALUES ('project', '${there.root}', 0, NULL)`);
  touch();
  expect(JSON.stringify(tools())).not.toContain('canary');
  expect(tools()).toHaveLength(2);
});

test('with excluded paths of its own: only those', () => {
  store = createTestStore(['Skill'], { projects: { [there.root]: { excludePaths: ['diary'] } } });
  touch();
  expect(tools().map(({ tool }) => tool)).toEqual(['Edit', 'Bash', 'Bash', 'Edit']);
});

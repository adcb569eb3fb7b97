// What a later turn says about earlier work: borne out, ruled out, replaced, failed again.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { renderMemory } from '../../src/core/render.ts';
import { setOutcome } from '../../src/memory/observations.ts';
import { readMemories } from '../../src/memory/read.ts';
import { deriveTurn } from '../../src/observe/derive.ts';
import { createToldWork, type StoredWork, type ToldWork } from '../support/told-work.ts';

let told: ToldWork;
beforeEach(() => {
  told = createToldWork();
});
afterEach(() => told.close());

type Mark = { older: number; newer: number | null; why: string; isCertain: number };
const marks = () =>
  told.db
    .query<Mark, []>(
      `SELECT older_id AS older, CASE newer_kind WHEN 'observation' THEN newer_id END AS newer, why, certain AS isCertain
       FROM replacements ORDER BY id`,
    )
    .all();
const idOf = ([work]: StoredWork[]) => work?.id ?? expect.unreachable('nothing was remembered');
const keep = (before: number, after: number) => ({
  edited: 'src/session.ts',
  lines: [`-const KEEP_DAYS = ${before};`, `+const KEEP_DAYS = ${after};`],
});
const FIRST = { edited: 'src/session.ts', lines: ['+const KEEP_DAYS = 30;'] };

describe('the outcome of work', () => {
  const work = () => idOf(told.turn('a', 'Round the prices to cents', [ROUND], 'Prices are rounded to cents now.'));
  const ROUND = { edited: 'src/price.ts', lines: ['-  return sum;', '+  return round(sum);'] };

  test('is passed by a check that passes later, before anything is edited', () => {
    const id = work();
    expect(told.outcomeOf(id)).toBe('unverified');
    told.turn('a', 'Run the tests', [{ ran: 'bun test', out: '9 pass' }], 'All of them pass.');
    expect(told.outcomeOf(id)).toBe('passed');
  });

  test.each(['It works, thanks', 'Läuft, danke', 'Ça marche', 'Funciona', 'Funcionou', '可以了', '直りました'])(
    'is passed by the word of the user: %s',
    (word) => {
      const id = work();
      told.turn('a', word, [], 'Good.');
      expect(told.outcomeOf(id)).toBe('passed');
    },
  );

  const passed = () => idOf(told.turn('a', 'Round the prices', [ROUND, { ran: 'bun test', out: '9 pass' }], 'Prices are rounded now.'));

  test.each([
    'It still fails',
    'still broken, the total is 3.149',
    'Läuft nicht',
    'Geht immer noch nicht',
    'Ça marche pas',
    'No funciona',
    'Não funcionou',
    '还是不行',
    'まだ直っていません',
  ])('is failed by the word of the user, whatever a check said: %s', (word) => {
    const id = passed();
    told.turn('a', word, [], 'I look at it again.');
    expect(told.outcomeOf(id)).toBe('failed');
  });

  test.each(['The login still does not work', 'Does it still not work for you?', 'Round the totals as well'])(
    'is not failed by what is about something else: %s',
    (word) => {
      const id = passed();
      told.turn('a', word, [], 'I see.');
      expect(told.outcomeOf(id)).toBe('passed');
    },
  );

  test('says why and when it changed', () => {
    const id = work();
    const shown = () => {
      const memory = readMemories(told.db, [{ kind: 'observation', id }]).get(`${id}`);
      return memory ? renderMemory(memory).filter((line) => line.includes('Outcome')) : [];
    };
    expect(shown()).toEqual(['  Outcome: unverified']);
    told.turn('a', 'Run the tests', [{ ran: 'bun test', out: '9 pass' }], 'All of them pass.');
    expect(shown()).toEqual(['  Outcome: passed (check passed, #P2 on 2 Jan 2026)']);
    told.turn('a', 'Thanks. Show me the totals', [], 'Here they are.');
    expect(shown()).toEqual(['  Outcome: passed (check passed, #P2 on 2 Jan 2026)']);
  });

  test('is what its turn and those after it say when all is derived again, in any order', () => {
    const id = work();
    told.turn('a', 'Thanks', [], 'Good.');
    const deriveAll = (...turns: number[]) => {
      for (const promptNumber of turns) told.db.transaction(() => deriveTurn(told.db, { sessionId: 1, promptNumber })).immediate();
      return told.outcomeOf(id);
    };
    expect([deriveAll(1, 2), deriveAll(2, 1), deriveAll(1)]).toEqual(['passed', 'passed', 'passed']);
    told.db.run("UPDATE prompts SET text = '' WHERE prompt_number = 2");
    expect(deriveAll(1)).toBe('unverified');
    setOutcome(told.db, id, 'ruled-out');
    told.db.run('UPDATE observations SET steps = NULL');
    expect([deriveAll(1), told.db.query('SELECT steps FROM observations').values()]).toEqual(['unverified', [['[0]']]]);
  });

  test('is not passed by a commit, by praise of the agent, by an edit first, or by another session', () => {
    const id = work();
    told.turn('a', 'Commit it', [{ ran: 'git commit -am "Round"', out: '[main abc1234] Round' }], 'It works perfectly.');
    told.turn(
      'a',
      'Go on',
      [
        { edited: 'src/b.ts', lines: ['+b'] },
        { ran: 'bun test', out: '9 pass' },
      ],
      'Done.',
    );
    told.turn('b', 'Run the tests', [{ ran: 'bun test', out: '9 pass' }], 'They pass.');
    told.turn('a', 'Show me the price of a pear', [], 'It is 3.15.');
    expect(told.outcomeOf(id)).toBe('unverified');
  });
});

describe('a changed value replaces what named the old one', () => {
  const LANGUAGES: [string, string, string, string, string][] = [
    ['en', 'Keep sessions for 30 days', 'Kept for 30 days.', 'Keep sessions for 7 days instead', 'Kept for 7 days.'],
    ['de', 'Behalte Sitzungen 30 Tage', '30 Tage.', 'Behalte Sitzungen doch nur 7 Tage', 'Jetzt 7 Tage.'],
    ['fr', 'Garde les sessions 30 jours', 'Gardées 30 jours.', 'Garde les sessions seulement 7 jours finalement', 'Gardées 7 jours.'],
    ['es', 'Guarda las sesiones 30 días', 'Se guardan 30 días.', 'Mejor guarda las sesiones solo 7 días', 'Ahora 7 días.'],
    ['pt', 'Guarda as sessões por 30 dias', 'Guardadas por 30 dias.', 'Melhor guardar as sessões só 7 dias', 'Agora 7 dias.'],
    ['ja', 'セッションは30日保持して', '30日保持します。', 'セッションの保持は7日に変更して', '7日になりました。'],
    ['zh', '会话只保留 30 天', '会话保留 30 天。', '会话改成保留 7 天', '会话现在保留 7 天。'],
  ];
  for (const [language, ask, end, askAgain, endAgain] of LANGUAGES)
    test.each([
      ['of the same session', 'a', 0],
      ['of another session', 'b', 3],
    ] as const)(`${language}: %s`, (_, session, day) => {
      const older = idOf(told.turn('a', ask, [FIRST], end));
      const newer = idOf(told.turn(session, askAgain, [keep(30, 7)], endAgain, day));
      expect(marks()).toContainEqual(expect.objectContaining({ older, newer, isCertain: 1 }));
    });

  test('also a word, where the older has the one that went and the user the one that came', () => {
    const blank = (before: string, after: string, ...more: string[]) => ({
      edited: 'plate.py',
      lines: [`-b.od.${before}()`, `+b.od.${after}()`, ...more],
    });
    const older = idOf(
      told.turn(
        'a',
        'Subtract the blanks',
        [blank('mean', 'median', '+b.net = b.od - b.blank', '+b.save()')],
        'The median of the blanks is subtracted.',
      ),
    );
    told.turn('a', 'Rename the columns', [{ edited: 'plate.py', lines: ['-b.cols.first()', '+b.cols.named()'] }], 'Renamed.');
    expect(marks()).toEqual([]);
    told.turn('a', 'the lab wants the mean', [blank('median', 'mean')], 'Done.');
    expect(marks()).toMatchObject([{ older, why: 'value changed', isCertain: 0 }]);
  });

  test('also of one digit, where the older names what is set', () => {
    const days = { edited: 'src/backup.ts', lines: ['-const BACKUP_DAYS = 7;', '+const BACKUP_DAYS = 14;'] };
    const looked = { ran: 'cat src/backup.ts', out: 'x' };
    const end = 'The provider deletes them by BACKUP_DAYS, which is 7 days in every region.';
    const older = idOf(told.turn('a', 'How long are the copies kept?', [looked], end));
    told.turn('a', 'And the logs?', [looked], 'Logs are rotated by the host, who keeps 7 days of them for everybody.');
    told.turn('a', 'Keep the copies longer', [days], 'Done.');
    expect(marks()).toMatchObject([{ older, why: 'value changed', isCertain: 0 }]);
  });

  test('and nothing that says no to the same', () => {
    told.turn('a', 'No redis for the cache, not for one server', [{ edited: 'src/cache.ts', lines: ['+const a = 1;'] }], 'No redis.');
    told.turn('a', 'No redis for the limits either', [{ edited: 'src/cache.ts', lines: ['+const b = 1;'] }], 'No redis there.');
    expect(marks()).toEqual([]);
  });

  test('and nothing that named another', () => {
    told.turn('a', 'Lock accounts after 5 tries', [{ edited: 'src/login.ts', lines: ['+const TRIES = 5;'] }], 'After 5.');
    told.turn('a', 'Keep sessions for 30 days', [FIRST], 'Kept for 30 days.');
    told.turn('b', 'Which pool size do we use?', [], 'The pool has 10 connections in src/pool.ts, as it always had.');
    expect(marks()).toEqual([]);
  });
});

describe('work is no longer so', () => {
  const CACHE = { edited: 'src/cart.ts', lines: ['+  const cached = readCache(id);', '+  if (cached) return cached;'] };
  const GONE = { edited: 'src/cart.ts', lines: ['-  const cached = readCache(id);', '-  if (cached) return cached;'] };

  test('for certain when its lines are taken out again', () => {
    const older = idOf(told.turn('a', 'Cache the cart', [CACHE], 'The cart is read from a cache now.'));
    told.turn('b', 'Take the cache of the cart out', [GONE], 'The cart is read without a cache again.', 1);
    expect(marks()).toMatchObject([{ older, isCertain: 1 }]);
    expect(told.outcomeOf(older)).toBe('ruled-out');
  });

  test('and its session is not called by it', () => {
    const titles = () => told.db.query('SELECT title FROM sessions ORDER BY id').values().flat();
    told.turn('a', 'Round the prices', [{ edited: 'src/price.ts', lines: ['+  return round(sum);'] }], 'Prices are rounded to cents now.');
    told.turn('a', 'Cache the cart', [CACHE], 'The cart is read from a cache now.');
    expect(titles()[0]).toContain('is read from a cache');
    told.turn('b', 'Take the cache of the cart out', [GONE], 'The cart is read without a cache again.', 1);
    expect(titles()[0]).toBe('Prices are rounded to cents now');
  });

  test('and not ruled out when something better came in its place', () => {
    const older = idOf(told.turn('a', 'Cache the cart', [CACHE], 'The cart is read from a cache now.'));
    const better = { ...GONE, lines: [...GONE.lines, '+  return carts.getOrRead(id);'] };
    told.turn('b', 'Use the shared store of carts', [better], 'The cart is read from the shared store now.', 1);
    expect(told.outcomeOf(older)).toBe('unverified');
  });

  test('and ruled out by a revert of its commit', () => {
    const commit = { ran: 'git commit -am "Cache the cart"', out: '[main abc1234] Cache the cart' };
    const older = idOf(told.turn('a', 'Cache the cart', [CACHE, commit], 'The cart is read from a cache now.'));
    told.turn('a', 'Revert it', [{ ran: 'git revert --no-edit abc1234', out: '[main def5678] Revert' }], 'Reverted.');
    expect(marks()).toMatchObject([{ older, why: 'reverted', isCertain: 1 }]);
    expect(told.outcomeOf(older)).toBe('ruled-out');
  });

  const NEW = { edited: 'src/cache.ts', lines: CACHE.lines };

  test.each(['rm src/cache.ts', 'git rm -q src/cache.ts && bun test', 'rm -r src/'])(
    'for certain when its file is removed: %s',
    (command) => {
      const older = idOf(told.turn('a', 'Cache the cart', [NEW], 'The cart is read from a cache now.'));
      told.turn('a', 'Back to plain reads', [{ ran: command, out: '' }], 'Done.');
      expect(marks()).toMatchObject([{ older, why: 'undone', isCertain: 1 }]);
    },
  );

  test('maybe when its file is written anew without its lines, and not when they are still there', () => {
    const older = idOf(told.turn('a', 'Cache the cart', [NEW], 'The cart is read from a cache now.'));
    told.turn(
      'a',
      'Log it, too',
      [{ ran: `cat > src/cache.ts <<'E'\n${CACHE.lines.map((line) => line.slice(1)).join('\n')}\nlog(id)\nE` }],
      'Done.',
    );
    expect(marks()).toEqual([]);
    told.turn('a', 'Use the shared store', [{ ran: "cat > src/cache.ts <<'E'\nexport const get = store.get;\nE" }], 'Done.');
    expect(marks()).toMatchObject([{ older, why: 'undone', isCertain: 0 }]);
  });

  const RUN = { ran: 'bun test', out: '9 pass' };
  test.each([
    'No, not like that',
    'Undo that',
    'No, take the cache out',
    'Nein, so nicht',
    'Non, annule',
    'No, así no',
    'Não, desfaz',
    '不对',
    '違います',
  ])('for certain, and ruled out, when the user says no to it and nothing else: %s', (word) => {
    const older = idOf(told.turn('a', 'Make the cart faster', [CACHE, RUN], 'The cart is read from a cache now.'));
    told.turn('a', word, [], 'Understood, I leave it for now.');
    expect(marks()).toMatchObject([{ older, why: 'refused', isCertain: 1 }]);
    expect(told.outcomeOf(older)).toBe('ruled-out');
  });

  test.each(['No, the login page first', "Don't touch the tests", 'Nein, erst die Anmeldung'])(
    'maybe when the no may be about something else: %s',
    (word) => {
      const older = idOf(told.turn('a', 'Make the cart faster', [CACHE, RUN], 'The cart is read from a cache now.'));
      told.turn('a', word, [], 'Understood.');
      expect(marks()).toMatchObject([{ older, why: 'refused', isCertain: 0 }]);
      expect(told.outcomeOf(older)).toBe('passed');
    },
  );

  test('for certain when the user names something else instead and its code is gone, maybe by either alone', () => {
    const file = { edited: 'src/store.ts', lines: ['+// Keeps updates in a Lines file.', '+export const updates = openLines();'] };
    const instead = 'Use SQLite for the updates instead of the Lines file';
    const older = idOf(told.turn('a', 'Use a Lines file for the updates, not a server', [file], 'Updates are kept in a Lines file.'));
    told.turn('a', instead, [{ edited: 'src/store.ts', lines: ['+const sqlite = 1;'] }], 'Prepared.');
    expect(marks().filter((mark) => mark.older === older)).toMatchObject([{ why: 'user said so', isCertain: 0 }]);
    const lines = [...file.lines.map((line) => line.replace('+', '-')), '+export const updates = openSqlite();'];
    told.turn('b', instead, [{ edited: 'src/store.ts', lines }], 'Updates are in SQLite now.');
    expect(marks().filter((mark) => mark.older === older)).toMatchObject([{}, { why: 'user said so', isCertain: 1 }]);
  });

  test('maybe when a decision of the agent names it as what is no longer', () => {
    const keep = (line: string) => [{ edited: 'src/mails.ts', lines: [line] }];
    const older = idOf(
      told.turn(
        'a',
        'Decide where the mails are kept',
        keep('+const A = 1;'),
        'I decided to keep the mails in SQLite, because one file is enough.',
      ),
    );
    told.turn(
      'b',
      'Three servers read the mails now',
      keep('+const B = 1;'),
      'I decided to keep the mails in Postgres instead of SQLite, because three servers read them.',
    );
    expect(marks().filter((mark) => mark.older === older)).toMatchObject([{ why: 'rejected by name', isCertain: 0 }]);
  });

  test('not by a no to what was offered at its end', () => {
    told.turn('a', 'Make the cart faster', [CACHE], 'The cart is read from a cache now. Shall I do the same for orders?');
    told.turn('a', 'No, that is all for today', [], 'Good.');
    expect(marks()).toEqual([]);
  });

  test('not by a file that is set back after its work was committed', () => {
    const commit = { ran: 'git commit -am "Cache the cart"', out: '[main abc1234] Cache the cart' };
    told.turn('a', 'Cache the cart', [CACHE, commit], 'The cart is read from a cache now.');
    const other = { edited: 'src/cart.ts', lines: ['+  log(id);'] };
    told.turn('a', 'Try a log line', [other, { ran: 'git checkout -- src/cart.ts', out: '' }], 'Tried, and set back.');
    expect(marks()).toEqual([]);
  });

  test.each(['Para o carrinho, mostra o total', 'Continua com o login', '不错，继续', 'Weg mit dem alten Logo'])(
    'not by a word that is a no in another language alone, or none at all: %s',
    (word) => {
      told.turn('a', 'Make the cart faster', [CACHE], 'The cart is read from a cache now.');
      told.turn('a', word, [], 'OK.');
      expect(marks()).toEqual([]);
    },
  );

  test('when the error that it had answered is back at the end of a turn', () => {
    const error = "TypeError: Cannot read properties of undefined (reading 'total') at sumCart (src/cart.ts:12:5)";
    const older = idOf(
      told.turn(
        'a',
        'The cart crashes, fix it',
        [
          { failed: 'bun test cart', out: error },
          { edited: 'src/cart.ts', lines: ['-  cart.total', '+  cart?.total'] },
          { ran: 'bun test cart', out: '3 pass' },
        ],
        'The cart no longer crashes when it is empty.',
      ),
    );
    expect(told.outcomeOf(older)).toBe('passed');
    told.turn('b', 'Run the tests of the cart', [{ failed: 'bun test cart', out: error }], 'One of them fails.', 4);
    expect(marks()).toMatchObject([{ older, newer: null, why: 'failed again', isCertain: 1 }]);
  });
});

describe('a commit in a turn of its own', () => {
  const edit = (file: string) => ({ edited: file, lines: ['+const cached = readCache(id);'] });
  const commit = { ran: 'git commit -am "fix: Read the cart from a cache"', out: '[main abc1234] fix: Read the cart from a cache' };
  const facts = (id: number) => told.db.query('SELECT facts FROM observations WHERE id = ?').values(id).flat().join();
  const derived = (...turns: number[]) => {
    for (const promptNumber of turns) told.db.transaction(() => deriveTurn(told.db, { sessionId: 1, promptNumber })).immediate();
    return told.works();
  };

  test('names the work that it holds, in its row, and a rebuild says the same', () => {
    const id = idOf(told.turn('a', 'Make it nicer', [edit('src/cart.ts')], 'Done.'));
    told.turn('a', 'How does it look?', [{ ran: 'git status' }], 'Clean.');
    told.turn('a', 'Commit', [commit], 'Committed.');
    expect(told.works()).toMatchObject([{ id, type: 'bugfix', title: 'Read the cart from a cache', outcome: 'unverified' }]);
    expect(facts(id)).toContain('Commit abc1234');
    expect(derived(1, 2, 3)).toEqual(told.works());
  });

  test('names none of several works; a later revert of it reaches them', () => {
    const ids = ['src/cart.ts', 'src/order.ts'].map((file) => idOf(told.turn('a', `Make ${file} nicer`, [edit(file)], 'Done.')));
    const titles = told.works().map(({ title }) => title);
    told.turn('a', 'Commit', [commit], 'Committed.');
    expect(told.works().map(({ title }) => title)).toEqual(titles);
    for (const id of ids) expect(facts(id)).not.toContain('Commit abc1234');
    told.turn('a', 'Revert it', [{ ran: 'git revert --no-edit abc1234', out: '[main def5678] Revert "Read the cart"' }], 'Reverted.');
    expect(marks()).toMatchObject(ids.map((older) => ({ older, why: 'reverted', isCertain: 1 })));
  });

  test('says nothing of what was committed before, or of the work of its own turn', () => {
    told.turn('a', 'Make it nicer', [edit('src/cart.ts'), { ran: 'git commit -am "Cache it"', out: '[main aaa1111] Cache it' }], 'Done.');
    told.turn('a', 'Now the orders', [edit('src/order.ts')], 'Done.');
    told.turn('a', 'And the login', [edit('src/login.ts'), commit], 'Done.');
    expect(told.works().map(({ id }) => facts(id).match(/Commit \w+/g))).toEqual([['Commit aaa1111'], null, ['Commit abc1234']]);
  });
});

test('a turn that is settled again leaves the same rows', async () => {
  told.turn('a', 'Keep sessions for 30 days', [FIRST], 'Kept for 30 days.\n\nNext steps:\n- Document the 30 days in README.md');
  told.turn('a', 'Keep sessions for 7 days instead', [keep(30, 7)], 'Kept for 7 days.');
  const all = () => JSON.stringify([marks().map(({ why }) => why), told.db.query('SELECT * FROM open_steps').all()]);
  const before = all();
  const { settleTurn } = await import('../../src/observe/settle.ts');
  for (const promptNumber of [1, 2]) told.db.transaction(() => settleTurn(told.db, { sessionId: 1, promptNumber })).immediate();
  expect(all()).toBe(before);
});

// A turn of which nothing came is kept as its prompt, and makes no summary.

const requests = () =>
  told.db
    .query<{ request: string }, []>('SELECT request FROM summaries ORDER BY id')
    .all()
    .map(({ request }) => request);

test('a greeting makes none, and its session goes on as any other', () => {
  told.turn('s1', 'hello', [], 'Hello! What shall we work on?');
  expect(requests()).toEqual([]);
  expect(told.db.query('SELECT text FROM prompts').all()).toEqual([{ text: 'hello' }]);
  told.turn('s1', 'Run the tests of the cart', [{ ran: 'npm test', out: 'Tests: 12 passed, 12 total' }], 'All green.');
  expect(requests()).toEqual(['Run the tests of the cart']);
});

test('what was only decided makes one', () => {
  told.turn('s1', 'Never commit to main directly.', [], 'Understood.');
  expect(requests()).toHaveLength(1);
});

// The rows of the feed: by day, session and turn, the prompt as head; nothing that its prompt says is said again.
import { describe, expect, test } from 'bun:test';
import type { Memory } from '../../src/core/shapes/memory.ts';
import { insertByTime } from '../../viewer/src/pages/feed/insert-by-time.ts';
import { type Besides, makeRows, NO_ROWS, type Row } from '../../viewer/src/pages/feed/rows.ts';

const at = (day: number, hour: number) => new Date(2026, 2, day, hour).getTime();

const memory = (id: string, time: number, more: Partial<Memory> = {}): Memory => ({
  id,
  kind: id.startsWith('P') ? 'prompt' : id.startsWith('S') ? 'summary' : 'observation',
  type: id.startsWith('P') ? 'prompt' : id.startsWith('S') ? 'summary' : 'change',
  title: `Title of ${id}`,
  at: time,
  project: 'shop',
  session: 's',
  file: null,
  tokens: 1,
  outcome: null,
  isFromOutside: false,
  replacedBy: null,
  subtitle: null,
  narrative: null,
  facts: [],
  concepts: [],
  filesRead: [],
  filesModified: [],
  branch: null,
  promptNumber: 1,
  summary: null,
  text: null,
  turn: null,
  record: null,
  ...more,
});

const NOTHING: Besides = { heads: new Map(), sessions: new Map() };
const nameOf = (row: Row) => (row.kind === 'turn' ? row.head.id : row.kind === 'memory' ? row.memory.id : row.kind);
const names = (items: Memory[], gone: string[] = [], besides = NOTHING) =>
  makeRows(NO_ROWS, items, new Set(gone), besides).rows.map(nameOf);

describe('rows of the feed', () => {
  const turn = [memory('S1', at(3, 9) + 3), memory('2', at(3, 9) + 2), memory('1', at(3, 9) + 1), memory('P1', at(3, 9))];

  test('are the prompt and below it what came of it, as it happened; a summary is not said again', () => {
    expect(names(turn)).toEqual(['day', 'session', 'P1', '1', '2']);
  });

  test('begin a day and a session once', () => {
    const next = [memory('3', at(2, 9), { promptNumber: 0 }), memory('4', at(2, 8), { session: 'other' })];
    expect(names([...turn, ...next])).toEqual(['day', 'session', 'P1', '1', '2', 'day', 'session', '3', 'session', '4']);
  });

  test('have no row for what is gone', () => {
    expect(names(turn, ['1', '2', 'S1'])).toEqual(['day', 'session', 'P1']);
  });

  test('fold what says what the prompt says', () => {
    const said = memory('1', at(3, 9) + 1, { title: 'Use pnpm from now on' });
    const prompt = memory('P1', at(3, 9), { title: 'Use pnpm from now on. Thanks.', text: 'Use pnpm from now on. Thanks.' });
    const { rows } = makeRows(NO_ROWS, [said, prompt], new Set(), NOTHING);
    expect(rows.at(-1)).toMatchObject({ kind: 'turn', head: { id: 'P1' }, folded: [{ id: '1' }] });
  });

  test('fold a commit on the row that says the same: the prompt, or what came of it', () => {
    const commit = (id: string, hour: number, title: string) =>
      memory(id, at(3, hour), { session: null, promptNumber: 0, title, commit: id });
    const prompt = memory('P1', at(3, 9), { text: 'Wait 15 seconds instead of 8. The carrier is slow.' });
    const items = [
      commit('11', 11, 'Another matter'),
      ...[
        memory('1', at(3, 9) + 9, { title: 'The page says where the parcel is' }),
        commit('10', 9, 'Wait 15 seconds instead of 8'),
        prompt,
      ],
      commit('9', 8, 'the page says where the parcel is'),
      commit('8', -16, 'Wait 15 seconds instead of 8'),
    ];
    const { rows } = makeRows(NO_ROWS, items, new Set(), NOTHING);
    expect(rows.map(nameOf)).toEqual(['day', 'session', '11', 'session', 'P1', '1', 'day', 'session', '8']);
    expect(rows[4]).toMatchObject({ folded: [{ id: '10' }] });
    expect(rows[5]).toMatchObject({ folded: [{ id: '9' }] });
  });

  test('take the head of a turn from elsewhere when its prompt is on another page', () => {
    const besides = { ...NOTHING, heads: new Map([['P9', memory('P9', at(3, 8))]]) };
    expect(names([memory('1', at(3, 9), { turn: 'P9' })], [], besides)).toEqual(['day', 'session', 'P9', '1']);
  });

  test('name a session only in words that no row below has', () => {
    const titled = (title: string) => ({
      ...NOTHING,
      sessions: new Map([['s', { session: 's', title, host: 'claude-code', key: '/shop' }]]),
    });
    const [, head] = makeRows(NO_ROWS, turn, new Set(), titled('Title of 2; Title of 1')).rows;
    expect(head).toMatchObject({ kind: 'session', title: null });
    const [, other] = makeRows(NO_ROWS, turn, new Set(), titled('Something else altogether')).rows;
    expect(other).toMatchObject({ kind: 'session', title: 'Something else altogether' });
  });

  test('of a page that comes after are the same as those of all at once', () => {
    const many = Array.from({ length: 300 }, (_, number) =>
      memory(String(1000 - number), at(20, 0) - number * 3_600_000, {
        session: `s${Math.floor(number / 25)}`,
        promptNumber: Math.floor(number / 5),
      }),
    );
    // Commits that say what a turn says, before and after it.
    for (let from = 290; from > 0; from -= 7) {
      const { title, at: time } = many[from] as Memory;
      many.splice(from - (from % 5), 0, memory(`c${from}`, time, { session: null, promptNumber: 0, title, commit: `c${from}` }));
    }
    const gone = new Set<string>();
    let made = NO_ROWS;
    for (let end = 37; end < many.length + 37; end += 37) made = makeRows(made, many.slice(0, end), gone, NOTHING);
    expect(made.rows).toEqual(makeRows(NO_ROWS, many, gone, NOTHING).rows);
  });
});

test('what comes late stands where its time belongs', () => {
  const all = [memory('3', 30), memory('1', 10)];
  expect(insertByTime(all, memory('2', 20)).map(({ id }) => id)).toEqual(['3', '2', '1']);
});

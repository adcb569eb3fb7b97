// The scorer is measured itself: by answers written by hand, and by observers that say nothing, too much or the wrong thing.
import { describe, expect, test } from 'bun:test';
import type { Day } from '../../bench/observer/days/day.ts';
import { feedDay, type Observe } from '../../bench/observer/days/feed.ts';
import { DAYS } from '../../bench/observer/days/index.ts';
import { railsClinic } from '../../bench/observer/days/rails-clinic.ts';
import { research } from '../../bench/observer/days/research.ts';
import { KINDS } from '../../bench/observer/days/truth.ts';
import { mentions, saysGivenUp } from '../../bench/observer/days/words.ts';
import { addUp, type DayScore, precisionOf, recallOf, scoreDay, totalOf } from '../../bench/observer/score.ts';
import type { Batch, ObservationDraft, Observed } from '../../src/core/observation.ts';

/** What an observer says of one turn; turns are counted over the day. */
type Answer = { observations: Partial<ObservationDraft>[]; nextSteps?: string };

const IDEAL_RAILS: Answer[] = [
  {
    observations: [
      { type: 'bugfix', title: 'Double bookings: concurrent requests took one slot; unique index and RecordNotUnique' },
      { type: 'bugfix', title: 'Migration failed on duplicates already in the table; it resolves them first' },
      { type: 'change', title: 'A uniqueness validation has the same race as the check', outcome: 'ruled-out' },
    ],
  },
  {
    observations: [{ type: 'decision', title: 'Never hard-delete appointments: set the later one to cancelled' }],
    nextSteps: '- AppointmentMailer#conflict has no template yet\n- Run the migration on the staging copy',
  },
  { observations: [{ type: 'bugfix', title: 'Flaky booking_spec: it clicked before the turbo frame had loaded, now it waits' }] },
];

const IDEAL_RESEARCH: Answer[] = [
  {
    observations: [
      { type: 'discovery', title: 'pgvector HNSW with halfvec needs about 11 GB for 5M embeddings, recall 0.97' },
      { type: 'discovery', title: 'IVFFlat ruled out: recall drops to 0.86 without rebuilds' },
    ],
  },
  {
    observations: [
      { type: 'decision', title: 'pgvector with HNSW, no separate vector database' },
      { type: 'change', title: 'Wrote ADR 0007 about the vector index' },
    ],
    nextSteps: 'Measure recall and latency on our own embeddings; Raise maintenance_work_mem to 12 GB',
  },
  { observations: [{ type: 'discovery', title: '/search is guarded by an API key (x-api-key), compared as a hash' }] },
];

describe('scoring a day', () => {
  for (const [day, answers] of [
    [railsClinic, IDEAL_RAILS],
    [research, IDEAL_RESEARCH],
  ] as const) {
    test(`gives the ideal answer for ${day.name} full marks`, () => {
      const score = scoreAnswers(day, answers);
      expect(score.missed).toEqual([]);
      expect(score.falseOnes).toEqual([]);
      expect(score.faults).toEqual([]);
      expect(recallOf(totalOf(score.tallies))).toBe(1);
      expect(precisionOf(totalOf(score.tallies))).toBe(1);
    });
  }

  test('finds nothing in silence, and has no precision then', () => {
    const total = totalOf(scoreAnswers(railsClinic, []).tallies);
    expect(recallOf(total)).toBe(0);
    expect(precisionOf(total)).toBeNull();
  });

  test('counts what nobody asked for, by what it claims to be', () => {
    const score = scoreAnswers(railsClinic, [{ observations: [{ type: 'decision', title: 'Ran ls' }] }]);
    expect(score.tallies.decisions.wrong).toBe(1);
    expect(score.falseOnes).toEqual([{ kind: 'decisions', title: 'Ran ls', why: 'nobody asked for it' }]);
  });

  test('counts a truth told under the wrong type as missed and as false', () => {
    const score = scoreAnswers(railsClinic, [
      { observations: [{ type: 'discovery', title: 'Flaky booking spec waits for the turbo frame' }] },
    ]);
    expect(score.tallies.fixes).toMatchObject({ found: 0, wrong: 0 });
    expect(score.falseOnes[0]?.why).toBe('typed discovery, but about: flaky booking spec: wait for the turbo frame');
  });

  test('forgives one duplicate a day, not two', () => {
    const fix = { type: 'bugfix', title: 'Flaky booking spec: wait for the turbo frame' } as const;
    expect(scoreAnswers(railsClinic, [{ observations: [fix, fix] }]).falseOnes).toEqual([]);
    const thrice = scoreAnswers(railsClinic, [{ observations: [fix, fix, fix] }]);
    expect(thrice.falseOnes.map((one) => one.why)).toEqual(['again: flaky booking spec: wait for the turbo frame']);
  });

  test('lets one observation stand for only one truth of a kind', () => {
    const all = IDEAL_RAILS[0]?.observations.map((one) => one.title).join('. ') ?? '';
    const score = scoreAnswers(railsClinic, [{ observations: [{ type: 'bugfix', title: all }] }]);
    expect(score.tallies.fixes.found).toBe(1);
  });

  test('leaves out what is acceptable', () => {
    const score = scoreAnswers(railsClinic, [{ observations: [{ type: 'change', title: 'Committed the spec' }] }]);
    expect(totalOf(score.tallies)).toMatchObject({ right: 0, wrong: 0 });
  });

  test('wants a dead end to say that it was given up', () => {
    const title = 'Validated the uniqueness of starts_at, still raced';
    const plain = scoreAnswers(railsClinic, [{ observations: [{ type: 'change', title }] }]);
    expect(plain.tallies.deadEnds.found).toBe(0);
    const said = scoreAnswers(railsClinic, [{ observations: [{ type: 'change', title: `${title}; reverted` }] }]);
    expect(said.tallies.deadEnds.found).toBe(1);
  });

  test('wants a next step in the summary of its own turn, as an item', () => {
    const early = scoreAnswers(railsClinic, [{ observations: [], nextSteps: 'Run it on staging' }]);
    expect(early.tallies.nextSteps).toMatchObject({ found: 0, right: 1 });
    const dump = { observations: [], nextSteps: `Run it on staging ${'and so on '.repeat(40)}` };
    expect(scoreAnswers(railsClinic, [{ observations: [] }, dump]).tallies.nextSteps).toMatchObject({ found: 0, wrong: 1 });
    const done = scoreAnswers(railsClinic, [{ observations: [], nextSteps: '1. Write the spec\n2. None' }]);
    expect(done.falseOnes.map((one) => one.title)).toEqual(['Write the spec']);
  });

  test('names faults of form', () => {
    const observations = [
      { title: '{"command":"ls"}' },
      { title: 'x'.repeat(121) },
      { title: 'ok', facts: [{ text: 'from nowhere', sources: [] }] },
      { title: 'fine', facts: [{ text: 'from elsewhere', sources: ['unknown'] }] },
    ];
    expect(scoreAnswers(railsClinic, [{ observations }]).faults).toEqual([
      'session 1 turn 1: raw JSON in the title: {"command":"ls"}',
      `session 1 turn 1: title of 121 characters: ${'x'.repeat(121)}`,
      'session 1 turn 1: fact without a source: from nowhere',
      'session 1 turn 1: fact with an unknown source: from elsewhere',
    ]);
  });

  test('wants a summary with a request for every turn', () => {
    const empty: Observe = () => ({ observations: [], summary: null, title: null, subtitle: null });
    const { faults } = scoreDay('day', railsClinic.truths, feedDay(railsClinic, empty));
    expect(faults).toEqual(['session 1 turn 1: no summary', 'session 1 turn 2: no summary', 'session 2 turn 1: no summary']);
  });
});

describe('words', () => {
  test.each([
    ['It retries twice', ['retr'], true],
    ['an entry', ['retr', 'try'], false],
    ['kv_compact and Interest.daily', ['compact', 'interest'], true],
    ['a circle', ['ci$'], false],
    ['in CI.', ['ci$'], true],
    ['took 12.1 s', ['2.1'], false],
    ['compile with\n -parameters', ['with -parameters'], true],
  ])('%p about %p: %p', (text, words, expected) => {
    expect(mentions(text, words)).toBe(expected);
  });

  test.each(["That doesn't help", 'I dropped that.', 'Ruled out.', 'It is no use', 'slim instead of alpine'])(
    '%p gives something up',
    (text) => {
      expect(saysGivenUp(text)).toBe(true);
    },
  );
});

describe('the days', () => {
  test.each(DAYS)('$name is a whole day whose truths can be read from its payloads', (day) => {
    const payloads = day.sessions.flat().map((hook) => hook.payload);
    const tools = payloads.filter((payload) => 'tool_use_id' in payload).map((payload) => payload.tool_use_id);
    expect(tools.length).toBeWithin(15, 51);
    expect(new Set(tools).size).toBe(tools.length);
    const times = day.sessions.flat().map((hook) => hook.at);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    const truths = KINDS.flatMap<{ mustMention: string[] }>((kind) => day.truths[kind]);
    expect(truths.length).toBeWithin(4, 9);
    const text = payloads.flatMap(stringsOf).join('\n');
    for (const { mustMention } of [...truths, ...day.truths.acceptable])
      expect([mustMention, mentions(text, mustMention)]).toEqual([mustMention, true]);
  });

  test('hold enough of every kind', () => {
    const { decisions, fixes, deadEnds, nextSteps, others } = addUp(DAYS.map((day) => scoreAnswers(day, [])));
    expect(decisions.expected).toBeGreaterThanOrEqual(14);
    expect(fixes.expected).toBeGreaterThanOrEqual(16);
    expect(deadEnds.expected).toBeGreaterThanOrEqual(8);
    expect(nextSteps.expected).toBeGreaterThanOrEqual(16);
    expect(others.expected).toBeGreaterThanOrEqual(14);
  });
});

function scoreAnswers(day: Day, answers: readonly Answer[]): DayScore {
  let turn = -1;
  const observe = (batch: Batch): Observed => {
    const isTurn = batch.events.some((event) => event.kind === 'prompt');
    if (isTurn) turn += 1;
    return answer(batch, (isTurn && answers[turn]) || { observations: [] });
  };
  return scoreDay(day.name, day.truths, feedDay(day, observe));
}

function answer({ events }: Batch, { observations, nextSteps = '' }: Answer): Observed {
  const said = { request: 'asked', investigated: null, learned: null, completed: 'did it', nextSteps, notes: null };
  const summary = { ...said, filesRead: [], filesEdited: ['a'], at: 0 };
  const blank = { type: 'change', title: null, subtitle: null, narrative: null, facts: [], concepts: [], filesRead: [] } as const;
  const rest = { filesModified: [], outcome: null, origin: 'agent', sources: [], at: events[0]?.at ?? 0 } as const;
  const drafts = observations.map(
    (one): ObservationDraft => ({ ...blank, ...rest, facts: [], concepts: [], filesRead: [], filesModified: [], sources: [], ...one }),
  );
  return { observations: drafts, summary, title: null, subtitle: null };
}

function stringsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(stringsOf);
}

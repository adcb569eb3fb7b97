import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import type { StreamMessage } from '../../../src/core/stream.ts';
import { type Bus, createBus, type Told } from '../../../src/worker/watch/bus.ts';
import { until } from '../../support/until.ts';

let bus: Bus;
const removed = (id: string): StreamMessage => ({ type: 'removed', data: { ids: [id] } });
const clock = () => 1_700_000_000_000;
const idsOf = (told: Told[] | null) => told?.map(({ json }) => JSON.parse(json).ids[0]) ?? null;

beforeEach(() => {
  bus = createBus({ clock, mostKept: 10, mostBytes: 4000, graceMs: 30 });
});
afterEach(() => bus.close());

test('tells every listener each message once, in order, with rising ids', () => {
  const [one, other]: [Told[], Told[]] = [[], []];
  bus.subscribe((told) => one.push(told));
  bus.subscribe((told) => other.push(told));
  bus.publish(removed('1'));
  bus.publish(removed('2'));
  expect(idsOf(one)).toEqual(['1', '2']);
  expect(other).toEqual(one);
  expect(one.map(({ id }) => id)).toEqual([`${clock().toString(36)}-1`, `${clock().toString(36)}-2`]);
  expect(bus.lastId()).toBe(one[1]?.id ?? '');
});

test('names the project that a message is about', () => {
  const heard: Told[] = [];
  bus.subscribe((told) => heard.push(told));
  const data = { session: 's', project: 'shop', status: 'active', title: null, at: 1 };
  bus.publish({ type: 'session', data });
  bus.publish(removed('1'));
  expect(heard.map(({ project }) => project)).toEqual(['shop', null]);
});

test('publishes nothing while nobody watches', () => {
  bus.publish(removed('1'));
  expect([bus.isWatched(), bus.since(bus.lastId())]).toEqual([false, []]);
});

describe('what came after an id', () => {
  beforeEach(() => {
    bus.subscribe(() => undefined);
  });

  test('is all that was published since', () => {
    bus.publish(removed('1'));
    const id = bus.lastId();
    bus.publish(removed('2'));
    bus.publish(removed('3'));
    expect(idsOf(bus.since(id))).toEqual(['2', '3']);
    expect(bus.since(bus.lastId())).toEqual([]);
  });

  test.each(['', 'nonsense', 'abc-1', `${clock().toString(36)}-99`, `${clock().toString(36)}--1`])(
    'is not known of the id "%s"',
    (id) => expect(bus.since(id)).toBeNull(),
  );

  test('is not known any more when too many came', () => {
    const first = bus.lastId();
    for (let at = 0; at < 12; at++) bus.publish(removed(String(at)));
    expect(bus.since(first)).toBeNull();
    expect(bus.since(`${clock().toString(36)}-6`)).toHaveLength(6);
  });

  test('is not known any more when they take too much room', () => {
    const first = bus.lastId();
    for (let at = 0; at < 5; at++) bus.publish(removed('x'.repeat(1500)));
    expect(bus.since(first)).toBeNull();
    expect(bus.since(`${clock().toString(36)}-4`)).toHaveLength(1);
  });
});

describe('when the last one leaves', () => {
  test('goes on for a while for whoever comes back', () => {
    const leave = bus.subscribe(() => undefined);
    const id = bus.lastId();
    leave();
    bus.publish(removed('1'));
    expect([bus.isWatched(), idsOf(bus.since(id))]).toEqual([true, ['1']]);
  });

  test('keeps nothing after that, and does not pretend that nothing happened', async () => {
    const leave = bus.subscribe(() => undefined);
    bus.publish(removed('1'));
    const id = bus.lastId();
    leave();
    await until(() => !bus.isWatched());
    bus.publish(removed('2'));
    bus.subscribe(() => undefined);
    expect(bus.since(id)).toBeNull();
    expect(bus.since(bus.lastId())).toEqual([]);
  });

  test('whoever makes the messages hears when it is worth it, and when it is not', async () => {
    const said: string[] = [];
    bus.onWatched({ begin: () => said.push('begin'), end: () => said.push('end') });
    const leave = bus.subscribe(() => undefined);
    leave();
    const leaveAgain = bus.subscribe(() => undefined);
    expect(said).toEqual(['begin']);
    leaveAgain();
    await until(() => said.length > 1);
    expect(said).toEqual(['begin', 'end']);
  });
});

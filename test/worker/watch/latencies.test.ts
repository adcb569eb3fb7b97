import { expect, test } from 'bun:test';
import { STAGES } from '../../../src/core/stats.ts';
import { createLatencies } from '../../../src/worker/watch/latencies.ts';

test('nothing is known before anything was measured', () => {
  const nothing = { p50: null, p99: null, count: 0 };
  expect(Object.entries(createLatencies().read())).toEqual(STAGES.map((stage) => [stage, nothing]));
});

test('tells the median and the slowest of a hundred, by stage', () => {
  const latencies = createLatencies();
  for (let ms = 100; ms >= 1; ms--) latencies.note('ack', ms);
  latencies.note('index', 7);
  expect(latencies.read()).toMatchObject({
    ack: { p50: 50, p99: 99, count: 100 },
    index: { p50: 7, p99: 7, count: 1 },
    observe: { count: 0 },
  });
});

test('only the last thousand speak, all are counted', () => {
  const latencies = createLatencies();
  for (let at = 0; at < 500; at++) latencies.note('ack', 1000);
  for (let at = 0; at < 1000; at++) latencies.note('ack', 1);
  expect(latencies.read().ack).toEqual({ p50: 1, p99: 1, count: 1500 });
});

// Every route with ids, parameters and bodies that nobody would send: refused or answered, never a fault of ours.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import type { Route } from '../../../src/server/http/route.ts';
import { listAllRoutes } from '../../support/all-routes.ts';
import { until } from '../../support/until.ts';
import { createTestWorker } from '../../support/worker-app.ts';

const worker = createTestWorker();
let address: string;
let headers: Record<string, string>;
beforeAll(async () => {
  await worker.start();
  await worker.call('GET', '/api/status');
  address = await until(async () => (await worker.call('GET', '/health')).body.port).then((port) => `http://127.0.0.1:${port}`);
  const token = readFileSync(worker.paths.token, 'utf8').trim();
  headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
});
afterAll(() => worker.dispose());

const IDS = [
  '-1', '0', '1.5', '9223372036854775808', '1e309', 'NaN', '1 OR 1=1', "1'--", '1,2', ',', '[1]', '{}', 'S', 'P-1', '%', 'ﷺ', '..7',
  'a'.repeat(3000), '__proto__', 'constructor',
]; // biome-ignore format: one value beside the other
const BODIES = [
  '', '{', 'null', '[]', '7', '"x"', '{}', '{"__proto__":{"x":1}}', '{"ids":[[]]}', '{"id":1e999}', '{"text":{"a":[]}}',
  `{"text":"${'\\u0000'.repeat(10)}"}`, `${'['.repeat(5000)}${']'.repeat(5000)}`, '{"by":"user","by":"agent"}', '\xff\xfe',
]; // biome-ignore format: one value beside the other

/** The stream never ends, and an import looks through the home of whoever runs this. */
const isAsked = ({ path, access }: Route) => access !== 'socket' && path !== '/stream' && !path.startsWith('/api/import');

async function ask(method: string, path: string, body?: string): Promise<string | null> {
  const init = method === 'GET' ? { headers } : { method, headers, ...(body === undefined ? {} : { body }) };
  const response = await fetch(`${address}${path}`, init);
  const text = await response.text();
  const isFault = response.status >= 500 || /\.ts:\d|SQLITE|node_modules/.test(text);
  return isFault ? `${method} ${path.slice(0, 80)} ${body?.slice(0, 40)}: ${response.status} ${text.slice(0, 100)}` : null;
}

test.each(
  listAllRoutes()
    .filter(isAsked)
    .map((route) => [`${route.method} ${route.path}`, route] as const),
)(
  '%s',
  async (_, { method, path, query = {} }) => {
    const plain = path.replace(/:\w+/g, '7');
    const faults: (string | null)[] = [];
    for (const id of path.includes(':') ? IDS : []) faults.push(await ask(method, path.replace(/:\w+/g, encodeURIComponent(id))));
    for (const name of Object.keys(query)) {
      for (const value of IDS) faults.push(await ask(method, `${plain}?${name}=${encodeURIComponent(value)}`));
    }
    for (const value of ['?%', '?a=%ff', '?a[]=1', '?=', '?&&', '?__proto__=1', `?a=${'b'.repeat(7000)}`])
      faults.push(await ask(method, plain + value));
    for (const body of method === 'GET' ? [] : BODIES) faults.push(await ask(method, plain, body));
    expect(faults.filter(Boolean)).toEqual([]);
  },
  240_000,
);

test('and the worker has nothing to complain of', () => {
  expect(worker.problems).toEqual([]);
});

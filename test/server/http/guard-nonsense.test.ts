// Requests that nobody would write: the web door never fails on them, and they get nowhere.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { openTestServer, statusOf, type TestServer } from '../../support/web-server.ts';

let door: TestServer;
beforeAll(async () => {
  door = await openTestServer({ limits: { connections: 1000 } });
});
afterAll(() => door.close());

/** The same each time, so that what fails can be looked at. */
function createDice(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * sides);
  };
}

const roll = createDice(7);
const pick = (list: string[]) => list[roll(list.length)] ?? '';
const some = (most: number, list: string[]) => Array.from({ length: roll(most + 1) }, () => pick(list));

const METHODS = ['GET', 'GET', 'POST', 'DELETE', 'PUT', 'HEAD', 'TRACE', 'M-SEARCH', 'X', ''];
const PATHS = [
  '/', 'health', 'api/status', 'api/token/rotate', '..', '%2e', '%', '?', '=', '&', '#', '\\', '\0', '\xff', '\t', '*', ':', '@',
]; // biome-ignore format: one value beside the other
const VERSIONS = ['HTTP/1.1', 'HTTP/1.1', 'HTTP/1.1', 'HTTP/1.0', 'HTTP/9.9', 'http/1.1', ''];
const NAMES = [
  'Host', 'Authorization', 'Origin', 'Content-Length', 'Content-Type', 'Transfer-Encoding', 'Expect', 'Upgrade', 'Connection', 'X', '',
  'Sec-Fetch-Site',
]; // biome-ignore format: one value beside the other
const VALUES = [
  '', '0', '2', '-1', '1e3', '99999999999999999999', 'chunked', 'identity', 'gzip, chunked', '100-continue', 'websocket', 'close',
  'Bearer ', 'null', 'application/json', '\0', '\xff', 'a'.repeat(300), 'localhost',
]; // biome-ignore format: one value beside the other
const ENDS = ['\r\n', '\r\n', '\r\n', '\r\n', '\n', '\r', ''];

function compose(): string {
  const start = `${pick(METHODS)} /${some(4, PATHS).join('')} ${pick(VERSIONS)}${pick(ENDS)}`;
  const host = roll(4) > 0 ? `Host: 127.0.0.1:${door.port}\r\n` : '';
  const headers = some(3, NAMES).map((name) => `${name}: ${pick(VALUES)}${pick(ENDS)}`);
  return `${start}${host}${headers.join('')}\r\n${some(2, VALUES).join('')}`;
}

/** What nonsense is answered with, sooner or later: on a busy machine an answer may come too late to be read. */
const ANSWERS = [200, 400, 401, 403, 405];

test('nonsense never fails us, and gets nowhere', async () => {
  const seen = new Set<number>();
  for (let round = 0; round < 20 || ANSWERS.some((status) => !seen.has(status)); round += 1) {
    // Some announce more than they send, and wait in vain.
    const answers = await Promise.all(Array.from({ length: 90 }, () => door.raw(compose(), 500)));
    for (const answer of answers) {
      seen.add(statusOf(answer));
      expect(answer).not.toMatch(/^HTTP\/1\.1 5|\.ts:\d/m);
    }
  }
  // No token was shown: only what anyone may ask was reached.
  expect(door.reached.filter((one) => !/^(GET|HEAD) \/health$/.test(one))).toEqual([]);
  expect((await fetch(`${door.server.address}/health`)).status).toBe(200);
});

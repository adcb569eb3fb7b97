// The web door as a server: where it listens, whom it lets go, and that hooks do not notice.
import { afterEach, describe, expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { Hono } from 'hono';
import type { ApiEnv } from '../../../src/server/http/route.ts';
import { sessionStart } from '../../support/payloads.ts';
import { until } from '../../support/until.ts';
import { openTestServer, statusOf, type TestServer, write } from '../../support/web-server.ts';
import { createTestWorker } from '../../support/worker-app.ts';

const open: { close: () => unknown }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

async function openDoor(...args: Parameters<typeof openTestServer>): Promise<TestServer> {
  const door = await openTestServer(...args);
  open.push(door);
  return door;
}

function occupy(port: number): Promise<Server> {
  const server = createServer();
  open.push({ close: () => server.close() });
  return new Promise((resolve) => server.listen(port, '127.0.0.1', () => resolve(server)));
}

function dial(port: number, first = ''): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  open.push({ close: () => socket.destroy() });
  return new Promise((resolve) => socket.once('connect', () => socket.write(first, () => resolve(socket))));
}

const isGone = (socket: Socket) => () => socket.destroyed || socket.readableEnded;

describe('the port', () => {
  test('is the next free one when it is taken', async () => {
    const first = await openDoor();
    await occupy(first.port + 1);
    const second = await openDoor({ port: first.port });
    expect(second.port).toBe(first.port + 2);
    expect(second.server.address).toBe(`http://127.0.0.1:${second.port}`);
  });

  test('0 means no web door', async () => {
    const { server } = await openDoor({ port: 0 });
    expect(server.address).toBeNull();
    expect(server.connections()).toBe(0);
  });

  test('is open on the loopback alone', async () => {
    const { port } = await openDoor();
    const tables = ['/proc/net/tcp', '/proc/net/tcp6'].filter(existsSync);
    const hex = port.toString(16).toUpperCase().padStart(4, '0');
    const isListening = (line: string) => / 0A /.test(line) && line.includes(`:${hex} `);
    const lines = tables.flatMap((table) => readFileSync(table, 'utf8').split('\n').filter(isListening));
    if (tables.length > 0) expect(lines.map((line) => line.trim().split(/\s+/)[1])).toEqual([`0100007F:${hex}`]);
    await expect(fetch(`http://[::1]:${port}/health`)).rejects.toThrow();
  });

  test('is free again when the door is closed, and those inside are let go', async () => {
    const { port, server } = await openTestServer();
    const socket = await dial(port, 'GET /health HTTP/1.1\r\n');
    await until(() => server.connections() === 1);
    await server.close();
    await until(isGone(socket));
    expect((await openDoor({ port })).port).toBe(port);
  });
});

describe('whoever takes too long is let go:', () => {
  const limits = { headMs: 200, requestMs: 500, keepAliveMs: 200, stallMs: 300 };

  test.each([
    ['a head byte by byte', 'GET /health HTTP/1.1\r\nX: ', 'a'],
    ['a body byte by byte', 'POST', 'x'],
  ])('%s', async (name, start, drop) => {
    const door = await openDoor({ limits });
    const headers = [`Host: 127.0.0.1:${door.port}`, `Authorization: Bearer ${door.token.read()}`];
    const all = [...headers, 'Content-Type: application/json', 'Content-Length: 100000'];
    const socket = await dial(door.port, name.includes('body') ? write('POST /api/memory/save', all) : start);
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk;
    });
    await until(() => {
      if (!socket.destroyed) socket.write(drop);
      return isGone(socket)();
    });
    expect(statusOf(received)).toBe(408);
    expect(received).toContain('Content-Security-Policy');
    await until(() => door.server.connections() === 0);
    expect(door.reached).toEqual([]);
  });

  test('a connection on which nothing is said', async () => {
    const door = await openDoor({ limits });
    const silent = await dial(door.port);
    const idle = await dial(door.port, write('GET /health', [`Host: 127.0.0.1:${door.port}`]));
    silent.resume();
    idle.resume();
    await until(() => isGone(silent)() && isGone(idle)());
    await until(() => door.server.connections() === 0);
  });

  test('a caller that does not read its answer', async () => {
    const app = new Hono<ApiEnv>();
    let isCancelled = false;
    let sent = 0;
    const body = () =>
      new ReadableStream({
        pull: (controller) => {
          sent += 65_536;
          controller.enqueue(new Uint8Array(65_536));
        },
        cancel: () => {
          isCancelled = true;
        },
      });
    app.get('/health', () => new Response(body(), { headers: { 'content-type': 'text/event-stream' } }));
    const door = await openDoor({ app, limits });
    const socket = await dial(door.port, write('GET /health', [`Host: 127.0.0.1:${door.port}`]));
    socket.pause();
    await until(() => isCancelled);
    expect(sent).toBeLessThan(20_000_000);
    await until(() => door.server.connections() === 0);
  });
});

describe('a stream', () => {
  const tick = (onCancel: () => void) => {
    const app = new Hono<ApiEnv>();
    app.get('/api/search', () => {
      let timer: Timer;
      const body = new ReadableStream({
        start: (controller) => {
          timer = setInterval(() => controller.enqueue('data: tick\n\n'), 50);
        },
        cancel: () => {
          clearInterval(timer);
          onCancel();
        },
      });
      return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
    });
    return app;
  };

  test('goes on longer than any request may take, until its reader leaves', async () => {
    let isCancelled = false;
    const limits = { headMs: 100, requestMs: 200, keepAliveMs: 100, stallMs: 200 };
    const app = tick(() => {
      isCancelled = true;
    });
    const door = await openDoor({ app, limits });
    const headers = { Authorization: `Bearer ${door.token.read()}` };
    const aborter = new AbortController();
    const response = await fetch(`${door.server.address}/api/search`, { headers, signal: aborter.signal });
    let ticks = 0;
    const reading = (async () => {
      for await (const chunk of response.body ?? []) ticks += new TextDecoder().decode(chunk).split('tick').length - 1;
    })().catch(() => undefined);
    await until(() => ticks > 20);
    expect(isCancelled).toBe(false);
    aborter.abort();
    await reading;
    await until(() => isCancelled);
  });

  test('ends when the token is rotated', async () => {
    let isCancelled = false;
    const door = await openDoor({
      app: tick(() => {
        isCancelled = true;
      }),
    });
    const headers = { Authorization: `Bearer ${door.token.read()}` };
    const lines = [`Host: 127.0.0.1:${door.port}`, `Authorization: ${headers.Authorization}`];
    const socket = await dial(door.port, write('GET /api/search', lines));
    let ticks = 0;
    socket.on('data', () => {
      ticks += 1;
    });
    await until(() => ticks > 3);
    expect(isCancelled).toBe(false);
    door.token.rotate();
    await until(() => isCancelled && isGone(socket)());
    expect((await fetch(`${door.server.address}/api/search`, { headers })).status).toBe(401);
  });
});

describe('too many connections', () => {
  test('are not taken, and when some leave there is room again', async () => {
    const door = await openDoor({ limits: { connections: 10 } });
    const sockets = await Promise.all(Array.from({ length: 30 }, () => dial(door.port, 'GET /health HTTP/1.1\r\n')));
    for (const socket of sockets) socket.resume();
    await until(() => sockets.filter((socket) => isGone(socket)()).length === 20);
    expect(door.server.connections()).toBe(10);
    for (const socket of sockets) socket.destroy();
    await until(() => door.server.connections() === 0);
    expect((await fetch(`${door.server.address}/health`)).status).toBe(200);
  });

  test('do not keep hooks waiting', async () => {
    const worker = createTestWorker();
    open.push({ close: () => worker.dispose() });
    await worker.start();
    const door = await openDoor();
    const sockets = await Promise.all(Array.from({ length: 2000 }, () => dial(door.port, 'GET /health HTTP/1.1\r\nX: ')));
    const drip = setInterval(() => {
      for (const socket of sockets) if (!socket.destroyed) socket.write('a');
    }, 20);
    try {
      const times: number[] = [];
      for (let n = 0; n < 50; n += 1) {
        const began = performance.now();
        await worker.send('context', sessionStart(`s${n}`, worker.paths.dataDir));
        times.push(performance.now() - began);
      }
      expect(times.sort((a, b) => a - b)[45]).toBeLessThan(1000);
      expect(door.server.connections()).toBeLessThanOrEqual(100);
    } finally {
      clearInterval(drip);
    }
  });
});

describe('a caller', () => {
  test('who sends the next request before the last is answered is hung up on, and hooks are heard meanwhile', async () => {
    const worker = createTestWorker();
    open.push({ close: () => worker.dispose() });
    await worker.start();
    const { body } = await worker.call('GET', '/api/status');
    const port = Number(new URL(body.web.address).port);
    const socket = await dial(port, write('GET /health', [`Host: 127.0.0.1:${port}`]).repeat(5000));
    await worker.send('context', sessionStart('pipelined', '/work/shop'));
    await until(isGone(socket));
  });

  test('who hangs up in the middle of a body is no fault of ours', async () => {
    const said: string[] = [];
    const note = (message: string) => void said.push(message);
    const log = { debug: note, info: () => undefined, warn: note, error: (message: string) => note(`ERROR ${message}`) };
    const { port, token } = await openDoor({ log });
    const head = [`Host: 127.0.0.1:${port}`, `Authorization: Bearer ${token.read()}`];
    const begun = write('POST /api/memory/save', [...head, 'Content-Type: application/json', 'Content-Length: 900'], '{');
    (await dial(port, begun)).destroy();
    await until(() => said.length > 0);
    expect(said).toEqual(['a caller hung up']);
  });

  test('who asks for the head of the stream takes no place in it', async () => {
    const worker = createTestWorker();
    open.push({ close: () => worker.dispose() });
    await worker.start();
    for (let count = 0; count < 70; count += 1) await fetch('http://localhost/stream', { unix: worker.paths.httpSocket, method: 'HEAD' });
    const stop = new AbortController();
    const stream = await fetch('http://localhost/stream', { unix: worker.paths.httpSocket, signal: stop.signal });
    expect(stream.status).toBe(200);
    stop.abort();
  });
});

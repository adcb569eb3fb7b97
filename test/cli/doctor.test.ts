// `doctor`: each finding with why and a remedy, a self-test that leaves nothing behind, and a report without a word of the user's.
import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { existsSync, mkdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SETUPS } from '../../src/agents/setups.ts';
import { EXAMINATIONS } from '../../src/cli/doctor/checks.ts';
import { CHECKS } from '../../src/server/health.ts';
import { bash, sessionEnd, stop, userPrompt } from '../support/payloads.ts';
import { createSandbox, type Run, type Sandbox } from '../support/sandbox.ts';
import { until } from '../support/until.ts';

const DIST = join(import.meta.dir, '../../dist');

let sandbox: Sandbox;
beforeEach(() => {
  sandbox = createSandbox();
});
afterEach(() => sandbox.dispose());

type Finding = { check: string; isOk: boolean; what: string; why?: string; remedy?: string };
const read = ({ stdout }: Run): Finding[] => JSON.parse(stdout).findings;
const find = (findings: Finding[], check: string) => findings.filter((one) => one.check === check);

test('says of each check how it is, and of each problem why it matters and what to do', async () => {
  await sandbox.startWorker();
  const run = await sandbox.cli('doctor', '--json');
  const findings = read(run);
  const checks = [
    ...['database', 'backups', 'health', 'worker', 'data dir', 'settings', 'hooks', 'runtime', 'sockets', 'port', 'model'],
    ...['clock', 'command', 'self-test'],
  ];
  for (const check of checks) expect(find(findings, check).length).toBeGreaterThan(0);
  const problems = findings.filter(({ isOk }) => !isOk);
  // In a sandbox nothing is installed, and no shell knows the command.
  expect(problems.map(({ check }) => check)).toEqual(['hooks', 'command']);
  for (const { why, remedy } of problems) expect({ why, remedy }).toEqual({ why: expect.any(String), remedy: expect.any(String) });
  expect(run.code).toBe(1);
});

test.each([
  ['a key', { provider: 'anthropic' }, '', 'claude-mem config set apiKey'],
  ['a login of claude', { provider: 'claude', claudePath: '/usr/bin/claude' }, '.claude/.credentials.json', 'log in'],
])('says that %s is missing before anybody has asked, and nothing when it is there', async (_, settings, login, remedy) => {
  const findModel = async () => find(read(await sandbox.cli('doctor', '--json')), 'model');
  const configure = (more: object) => writeFileSync(sandbox.paths.config, JSON.stringify({ ...settings, ...more }), { mode: 0o600 });
  mkdirSync(sandbox.paths.dataDir, { recursive: true, mode: 0o700 });
  configure({});
  await sandbox.startWorker();
  expect(await findModel()).toMatchObject([{ isOk: false, remedy: expect.stringContaining(remedy) }]);
  if (login) await Bun.write(join(sandbox.home, login), '{}');
  else configure({ apiKey: { value: 'k'.repeat(40), host: 'api.anthropic.com' } });
  await until(async () => (await findModel())[0]?.isOk);
});

test('whatever the worker finds wrong has a reason and a remedy', async () => {
  const problems = CHECKS.map(({ name: check, level }) => ({ check, level, problem: 'It is not as it should be.' }));
  const examineHealth = EXAMINATIONS.find(([name]) => name === 'health')?.[1] ?? expect.unreachable('there is none');
  const findings = await examineHealth({ paths: sandbox.paths, status: null, health: { status: 'damaged', problems } });
  const without = findings.filter(({ why, remedy }) => !why || !remedy);
  expect(without.map(({ check }) => check)).toEqual([]);
  expect(findings.length).toBe(CHECKS.length);
});

test('the self-test goes through the real hook into the real store, and nothing of it stays', async () => {
  await sandbox.startWorker();
  const before = sandbox.query('SELECT name, value FROM counters');
  const [found] = find(read(await sandbox.cli('doctor', '--json')), 'self-test');
  expect(found).toMatchObject({ isOk: true, what: expect.stringContaining('reached the store') });
  for (const table of ['events', 'sessions', 'projects', 'observations'])
    expect(sandbox.query(`SELECT count(*) AS n FROM ${table}`)).toEqual([{ n: 0 }]);
  expect(sandbox.query('SELECT name, value FROM counters')).toEqual(before);
});

test('a worker that was idle is started by the self-test, as by any hook', async () => {
  const findings = read(await sandbox.cli('doctor', '--json'));
  expect(find(findings, 'self-test')).toMatchObject([{ isOk: true }]);
  expect(find(findings, 'worker')).toMatchObject([{ isOk: true }]);
});

test('hooks that Claude Code is told to disable are named', async () => {
  const plugin = join(sandbox.paths.dataDir, 'plugin');
  mkdirSync(join(plugin, 'runtime/dist'), { recursive: true });
  writeFileSync(join(plugin, 'runtime/dist/hook.js'), '');
  const { version } = JSON.parse(readFileSync(join(DIST, '../package.json'), 'utf8'));
  writeFileSync(
    join(plugin, 'installed.json'),
    JSON.stringify({ version, places: [{ claudeFolder: join(sandbox.home, '.claude') }], offered: [] }),
  );
  const settings = { enabledPlugins: { 'mem@claude-mem': true }, disableAllHooks: true };
  mkdirSync(join(sandbox.home, '.claude'));
  writeFileSync(join(sandbox.home, '.claude/settings.json'), JSON.stringify(settings));
  const [found] = find(read(await sandbox.cli('doctor', '--json')), 'hooks');
  expect(found).toMatchObject({ isOk: false, what: expect.stringContaining('disableAllHooks') });
});

test('of each agent that was set up it says what it cannot give, and when its files do not run our hooks any more', async () => {
  for (const { folder } of Object.values(SETUPS)) mkdirSync(join(sandbox.home, folder), { recursive: true });
  const { agents } = JSON.parse((await sandbox.cli('install', '--agent', 'all', '--json')).stdout);
  expect(agents).toEqual(Object.entries(SETUPS).map(([agent, { lacks }]) => expect.objectContaining({ agent, lacks, isChanged: true })));
  const found = read(await sandbox.cli('doctor', '--json'));
  for (const [agent, { lacks }] of Object.entries(SETUPS))
    expect(find(found, agent)).toMatchObject([{ isOk: true, what: expect.stringContaining(lacks) }]);
  writeFileSync(join(sandbox.home, '.gemini/settings.json'), '{}');
  const [gemini] = find(read(await sandbox.cli('doctor', '--json')), 'gemini');
  expect(gemini).toMatchObject({ isOk: false, remedy: 'claude-mem install --agent gemini' });
  expect((await sandbox.person('uninstall')).stdout).toContain('Took it out of Codex, Gemini CLI, OpenCode, Cursor, and removed');
});

test('a memory without a backup of the last week is named, and no more when there is one', async () => {
  await sandbox.startWorker();
  const findBackups = async () => find(read(await sandbox.cli('doctor', '--json')), 'backups');
  expect(await findBackups()).toMatchObject([{ isOk: true }]);
  const born = new Date(Date.now() - 10 * 86_400_000);
  utimesSync(sandbox.paths.birthMark, born, born);
  expect(await findBackups()).toMatchObject([{ isOk: false, what: expect.stringContaining('10 days'), remedy: 'claude-mem backup' }]);
  expect((await sandbox.cli('backup')).code).toBe(0);
  expect(await findBackups()).toMatchObject([{ isOk: true, what: expect.stringContaining('1, the newest of') }]);
});

test('damage is found, whatever the worker says', async () => {
  await sandbox.startWorker();
  await until(async () => (await sandbox.cli('stop')).code === 0);
  // A check that still ran at its end leaves the pages in the log: what is damaged beneath it is whole again.
  await until(() => {
    using db = new Database(sandbox.paths.database);
    return db.query<{ busy: number }, []>('PRAGMA wal_checkpoint(TRUNCATE)').get()?.busy === 0;
  });
  const bytes = readFileSync(sandbox.paths.database);
  bytes.fill(0, 4096 * 3, 4096 * 5);
  writeFileSync(sandbox.paths.database, bytes);
  // The worker that its self-test starts may be faster, and repair it.
  const [found] = find(read(await sandbox.cli('doctor', '--json')), 'database');
  if (found?.isOk) expect(found.what).toContain('was damaged and has been repaired');
  else expect(found).toMatchObject({ why: expect.any(String), remedy: expect.any(String) });
});

describe('--bundle', () => {
  const SECRET = ['ghp', 'x9Yk2LmN8pQrS4tUv6WzA1bC3dE5fG7hJ0kL'].join('_');
  const WORDS = ['PAPAYA-PROMPT', 'MANGO-ANSWER', 'GUAVA-OUTPUT', 'lychee-project', SECRET];

  test('holds what helps, and no word, secret or project of the user', async () => {
    await sandbox.startWorker();
    const cwd = sandbox.project('lychee-project');
    await sandbox.hook('new', userPrompt('s', cwd, 'Make PAPAYA-PROMPT fast'));
    await sandbox.hook('save', bash('s', cwd, 'cat x', `GUAVA-OUTPUT token=${SECRET}`));
    await sandbox.hook('summary', stop('s', cwd, 'We decided to cache MANGO-ANSWER, because it is slow.'));
    await sandbox.hook('cleanup', sessionEnd('s', cwd));
    await until(() => sandbox.query('SELECT id FROM observations').length > 0);
    // What is set aside is named with its reason in the log, and an error may repeat what somebody wrote.
    mkdirSync(join(sandbox.paths.spool, 'bad'), { recursive: true });
    writeFileSync(join(sandbox.paths.spool, '001700000000000-ab.json'), `{"PAPAYA-PROMPT ${SECRET} ${cwd}`);
    await until(() => existsSync(join(sandbox.paths.spool, 'bad/001700000000000-ab.json')));
    const logs = join(sandbox.paths.logs, `worker-${new Date().toISOString().slice(0, 10)}.log`);
    writeFileSync(
      logs,
      `${readFileSync(logs, 'utf8')}2026-01-01T00:00:00.000Z ERROR it broke: "PAPAYA-PROMPT" in ${cwd} {"error":"SQLITE_FULL MANGO-ANSWER"}\n`,
    );
    const file = join(sandbox.home, 'report.json');
    await sandbox.cli('doctor', '--bundle', file);
    const text = readFileSync(file, 'utf8');
    for (const word of WORDS) expect(text).not.toContain(word);
    expect(text).not.toContain(sandbox.home);
    const report = JSON.parse(text);
    expect(report).toMatchObject({ health: { facts: { setAside: 1 } }, worker: { observations: expect.any(Number) } });
    expect(report.log).toContain('2026-01-01T00:00:00.000Z ERROR it broke [SQLITE_FULL]');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const again = await sandbox.cli('doctor', '--bundle', file);
    expect(again.stderr).toContain('exists already');
  });
});

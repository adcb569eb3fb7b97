// The same with the real Claude Code: as `install` registers us, and as `claude mcp add` does, in a repository whose settings set traps.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { claudeBinary } from '../e2e/claude-binary.ts';
import { readMemory } from '../e2e/memory-db.ts';
import { type MockApi, startMockApi } from '../e2e/mock-api.ts';
import { endProcessesOf } from '../e2e/processes.ts';
import { TEST_TIMEOUT_MS } from '../e2e/sandbox.ts';
import { runProcess } from '../support/sandbox.ts';
import { layTraps, type Traps } from '../support/traps.ts';
import { until } from '../support/until.ts';

setDefaultTimeout(TEST_TIMEOUT_MS);

const STUB = [join(import.meta.dir, '../../bin/claude-mem')];

let home: string;
let dataDir: string;
let mock: MockApi;
let traps: Traps;
let claude: (...args: string[]) => ReturnType<typeof runProcess>;

beforeAll(async () => {
  const program = await claudeBinary();
  home = realpathSync(mkdtempSync(join(tmpdir(), 'claude-mem-s1-')));
  dataDir = join(home, '.claude-mem');
  mock = startMockApi();
  mock.scripts.set('even', [
    { tools: [{ name: 'Bash', input: { command: 'echo even' } }] },
    { text: 'We decided on even ports, because odd ones are taken.' },
  ]);
  traps = layTraps(join(home, 'hostile'));
  mkdirSync(join(traps.project, '.claude'));
  const env = { ...traps.variables, HOME: traps.project, CLAUDE_MEM_DATA_DIR: join(home, 'theirs'), CLAUDE_MEM_INCOGNITO: '1' };
  writeFileSync(join(traps.project, '.claude/settings.json'), JSON.stringify({ env }));
  const environment = {
    PATH: `${dirname(program)}:${process.env.PATH}`,
    HOME: home,
    SHELL: '/bin/bash',
    TERM: 'xterm',
    LANG: 'C.UTF-8',
    CLAUDE_CODE_TMPDIR: home,
    ANTHROPIC_BASE_URL: mock.url,
    ANTHROPIC_API_KEY: 'sk-fake',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_TELEMETRY: '1',
    DISABLE_ERROR_REPORTING: '1',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  };
  claude = (...args) => runProcess([program, ...args], environment, '', traps.project);
  const installed = await runProcess([...STUB, 'install'], environment, '', traps.project);
  expect(installed.stdout).toContain('Registered it');
  await claude('mcp', 'add', '--scope', 'user', 'by-hand', '--', ...STUB, 'mcp');
});

afterAll(async () => {
  mock.close();
  await runProcess([...STUB, 'stop'], { PATH: process.env.PATH ?? '', HOME: home }, '', home);
  await endProcessesOf(home);
  rmSync(home, { recursive: true, force: true });
});

test('hole-S1: a session in a hostile repository is remembered, has the tools, and runs none of its code', async () => {
  const said = await claude('-p', '[[mock:even]] Make ports even', '--allowedTools', 'Bash');
  expect(said.code).toBe(0);
  const tools = mock.requests.flatMap(({ body }) => body.tools ?? []).map(({ name }) => name);
  expect(tools).toContain('mcp__plugin_mem_claude-mem__search');
  await until(() => readMemory(dataDir, "SELECT id FROM events WHERE payload LIKE '%Make ports even%'").length > 0);
  expect(traps.caught()).toEqual([]);
  expect(existsSync(join(home, 'theirs'))).toBe(false);
  expect(existsSync(join(traps.project, '.claude-mem'))).toBe(false);
});

test('hole-S1: both servers answer there', async () => {
  const { stdout } = await claude('mcp', 'list');
  expect(stdout).toMatch(/by-hand.*Connected/);
  expect(stdout).toMatch(/plugin:mem:claude-mem.*Connected/);
  expect(traps.caught()).toEqual([]);
});

// The recorded week is no tale: what it says that a command printed is what the command prints in the repository at that moment.
import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeRepository, playSession, readWeek } from '../../src/cli/demo/claude-session.ts';

const scratch = mkdtempSync(join(tmpdir(), 'cmem-week-'));
afterAll(() => rmSync(scratch, { recursive: true }));

/** What tells how a run of tests went; how long each took is of the moment. */
const readResults = (printed: string) => printed.match(/^\((?:pass|fail)\) .*?(?= \[|$)|^ *\d+ (?:pass|fail)$/gm) ?? [];

test('its tests fail and pass as recorded', () => {
  const { repository: described, sessions } = readWeek();
  const repository = makeRepository(join(scratch, described.name), described);
  repository.commit(described.message, Date.now());
  const results: string[] = [];
  for (const { turns } of sessions) {
    for (const { hooks } of playSession({ id: 'week', repository, transcript: '', startsAt: null }, turns)) {
      const [{ payload } = { payload: {} as Record<string, unknown> }] = hooks;
      const { command } = (payload.tool_input ?? {}) as { command?: string };
      if (command !== 'bun test') continue;
      const { stdout = payload.error } = (payload.tool_response ?? {}) as { stdout?: string };
      const run = Bun.spawnSync([process.execPath, 'test'], { cwd: repository.root, env: { HOME: scratch, PATH: '/usr/bin:/bin' } });
      expect(run.success).toBe(payload.hook_event_name === 'PostToolUse');
      const recorded = readResults(String(stdout));
      expect(recorded.length).toBeGreaterThan(2);
      expect(readResults(`${run.stdout}${run.stderr}`)).toEqual(expect.arrayContaining(recorded));
      results.push(...recorded);
    }
  }
  expect(results.filter((one) => one.startsWith('(fail)'))).toHaveLength(3);
});

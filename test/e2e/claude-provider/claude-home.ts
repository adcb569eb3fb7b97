// A temporary HOME with a real `claude` to ask, whose API is a fake server.
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ClaudeSettings, createClaude } from '../../../src/model/providers/claude.ts';
import type { AskModel } from '../../../src/model/providers/contract.ts';
import { claudeBinary } from '../claude-binary.ts';
import { endProcessesOf } from '../processes.ts';

export type ClaudeHome = {
  home: string;
  cwd: string;
  create: (apiUrl: string, settings?: Partial<ClaudeSettings>) => Promise<AskModel>;
  /** Deletes it. Throws when a process of it was left over. */
  close: () => Promise<void>;
};

export function makeClaudeHome(): ClaudeHome {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'claude-mem-llm-')));
  const cwd = join(home, '.claude-mem', 'observer');
  mkdirSync(cwd, { recursive: true });
  return {
    home,
    cwd,
    create: async (apiUrl, settings = {}) => {
      const path = await claudeBinary();
      const environment = { PATH: '/usr/bin:/bin', HOME: home, ANTHROPIC_BASE_URL: apiUrl, ANTHROPIC_API_KEY: 'sk-fake' };
      return createClaude({ path, model: 'claude-haiku-4-5', cwd, environment, ...settings });
    },
    close: async () => {
      const left = await endProcessesOf(home);
      rmSync(home, { recursive: true, force: true });
      if (left.length > 0) throw new Error(`processes were left over: ${left.join(', ')}`);
    },
  };
}

// A program in the place of `claude`, for what the real one does not do on demand.
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClaude } from '../../../src/model/providers/claude.ts';
import type { AskModel } from '../../../src/model/providers/contract.ts';

export type FakeClaude = { folder: string; path: string; ask: AskModel; close: () => void };

/** `script` is what a shell does with the questions on its input. */
export function makeFakeClaude(script: string, mode = 0o755): FakeClaude {
  const folder = mkdtempSync(join(tmpdir(), 'claude-mem-fake-'));
  const path = join(folder, 'claude');
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, mode);
  const environment = { PATH: '/usr/bin:/bin', HOME: folder };
  return {
    folder,
    path,
    ask: createClaude({ path, model: 'some-model', cwd: folder, environment, graceMs: 200 }),
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Lines that the real one writes, for the script to print. */
export const READY = print({ type: 'control_response', response: { subtype: 'success', request_id: 'initialize', response: {} } });

export function printAnswer(text: string): string {
  const message = { id: 'msg_1', content: [{ type: 'text', text }], usage: { input_tokens: 10, output_tokens: 1 } };
  return print({ type: 'assistant', message });
}

export const RESULT = print({
  type: 'result',
  subtype: 'success',
  is_error: false,
  stop_reason: 'end_turn',
  usage: { input_tokens: 10, output_tokens: 5 },
});

export function print(line: object | string): string {
  return `printf '%s\\n' '${typeof line === 'string' ? line : JSON.stringify(line)}'`;
}

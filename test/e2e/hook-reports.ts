// What our hooks said in a run, as the CLI received it.
import { expect } from 'bun:test';
import { z } from 'zod';
import type { ClaudeRun } from './run-claude.ts';

export type StartReport = { source: string; context: string; message: string };

/** One per SessionStart of the run, in order; context and message are empty where the hook gave none. */
export function startReports(run: ClaudeRun): StartReport[] {
  const starts = run.hooks.filter((hook) => hook.hook_event === 'SessionStart');
  return starts.map((hook) => {
    const output = StartOutput.parse(JSON.parse(hook.stdout || '{}'));
    return {
      source: hook.hook_name.replace('SessionStart:', ''),
      context: output.hookSpecificOutput?.additionalContext ?? '',
      message: output.systemMessage ?? '',
    };
  });
}

/** The person noticed nothing: the run ended well and no hook complained. */
export function expectUndisturbed(run: ClaudeRun): void {
  expect(run.stderr).toBe('');
  expect(run.exitCode).toBe(0);
  // An async hook that still runs when the run ends is cancelled unseen; whether its event arrived is for the ledger to say.
  const complaints = run.hooks.filter(({ outcome, stderr }) => !/^(success|cancelled)$/.test(outcome) || stderr !== '');
  expect(complaints).toEqual([]);
}

// Strict: a key that the CLI does not know, or context on another event, is a fault of ours.
const StartOutput = z.strictObject({
  continue: z.literal(true).optional(),
  suppressOutput: z.literal(true).optional(),
  systemMessage: z.string().min(1).max(500).optional(),
  hookSpecificOutput: z
    .strictObject({ hookEventName: z.literal('SessionStart'), additionalContext: z.string().min(1).max(10_000) })
    .optional(),
});

// A hook command called by its name: `claude-mem save < payload.json`.
import type { HookCommand } from '../core/envelope.ts';
import { runHook } from './hook.ts';

export async function runHookCommand(command: HookCommand): Promise<void> {
  const output = await runHook(command, () => import('../client/spool.ts'));
  if (output) console.log(output);
}

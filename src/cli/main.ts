// `claude-mem`: the commands. Hook commands go straight to the hook; the rest is parsed and explained.
import { HOOK_COMMANDS } from '../core/envelope.ts';
import { runHookCommand } from '../hook/run-hook.ts';
import { enterCallingFolder } from '../paths.ts';
import { sayStatusline } from './commands/statusline.ts';
import { runToEnd } from './describe-error.ts';

async function main(args: string[]): Promise<void> {
  const hook = HOOK_COMMANDS.find((name) => name === args[0]);
  // With anything behind it, or at a terminal, a person is asking; a hook has only stdin.
  if (hook && args.length === 1 && !process.stdin.isTTY) return runHookCommand(hook);
  if (args[0] === 'statusline' && args.length === 1) return console.log(await sayStatusline());
  // Not before it is needed: a status line is drawn many times a minute.
  const { buildProgram } = await import('./program.ts');
  // Whoever says nothing wants to know what there is to say.
  await buildProgram().parseAsync(args.length > 0 ? args : ['--help'], { from: 'user' });
}

enterCallingFolder();
runToEnd(main(process.argv.slice(2)));

// `context`: the hook of a starting session, and for people what it would say or has said.
import type { Command } from 'commander';
import { context } from './commands/context.ts';

export function addContextCommand(program: Command, hookHelp: string): void {
  program
    .command('context')
    .description(`what a session is told. Without an option: hook, reads JSON from stdin. ${hookHelp}`)
    .option('--preview', 'exactly what the next session here would be told')
    .option('--why', 'the same, with the reason for each line and what was left out')
    .option('--prompt <text>', 'what would be told with this as the first prompt')
    .option('--file <path>', 'what would be told before an edit of this file')
    .option('--project <name>', 'another project')
    .option('--replay <session>', 'what a past session was told')
    .option('--json', 'as JSON')
    .addHelpText('after', EXAMPLES)
    .action(context);
}

const EXAMPLES = `
Examples:
  claude-mem context --preview --why
  claude-mem context --prompt "the retry limit is wrong"
  claude-mem context --replay 0f3c`;

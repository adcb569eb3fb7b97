// The commands of silence, and the status line that shows it.
import type { Command } from 'commander';
import { pause } from './commands/pause.ts';
import { resume } from './commands/resume.ts';
import { showStatusline } from './commands/statusline.ts';

export function addSilenceCommands(program: Command): void {
  program
    .command('pause [time...]')
    .description('keep and tell nothing: for a time (30m, 1h, 2d, until 18:00), or until `resume`')
    .option('--project [name]', 'only this project, or another one')
    .option('--session [id]', 'only this session, or another one')
    .option('--json', 'as JSON')
    .addHelpText('after', PAUSE_HELP)
    .action(pause);
  program
    .command('resume')
    .description('end the pause')
    .option('--project [name]', 'that of this project, or of another one')
    .option('--session [id]', 'that of this session, or of another one')
    .option('--all', 'every pause there is')
    .option('--json', 'as JSON')
    .action(resume);
  program
    .command('statusline')
    .description("one short line for the host's status line; reads its JSON from stdin")
    .action(showStatusline);
}

const PAUSE_HELP = `
Examples:
  claude-mem pause 1h
  claude-mem pause until 18:00 --project
  claude-mem pause --session                       inside of a session: this one
  CLAUDE_MEM_INCOGNITO=1 claude                    a whole session, from its start`;

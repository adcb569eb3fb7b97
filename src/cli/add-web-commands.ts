// The commands of the web door: the viewer, and the token that lets programs in.
import type { Command } from 'commander';
import { rotateToken, showToken } from './commands/token.ts';
import { openViewer } from './commands/viewer.ts';

export function addWebCommands(program: Command): void {
  program
    .command('viewer')
    .description('look at the memory in a browser: a link that works once, for ten minutes')
    .option('--print', 'only print the link')
    .option('--json', 'print it as JSON')
    .action(openViewer);
  const token = program
    .command('token')
    .description('where the token is with which programs may ask on the port of the viewer')
    .option('--json', 'as JSON')
    .action(showToken);
  token
    .command('rotate')
    .description('make a new token: the old one and every open page are out at once')
    .option('--json', 'as JSON')
    .action((_, command: Command) => rotateToken(command.optsWithGlobals()));
}

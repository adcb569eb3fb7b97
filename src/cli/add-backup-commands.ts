// The commands that keep the memory safe: copy it, put a copy back, repair what is damaged.
import type { Command } from 'commander';
import { backup } from './commands/backup.ts';
import { repair } from './commands/repair.ts';
import { restore } from './commands/restore.ts';

export function addBackupCommands(program: Command): void {
  program
    .command('backup [file]')
    .description('make a verified copy of the memory, among the daily ones or in a file of your own')
    .option('--json', 'what came of it, as JSON')
    .action(backup);
  program
    .command('restore [copy]')
    .description(
      'put a copy into the place of the memory: a file, or `latest`; what was forgotten since stays forgotten',
    )
    .option('-y, --yes', 'do not ask')
    .option('--json', 'what came of it, as JSON')
    .action(restore);
  program
    .command('repair')
    .description('make a sound memory of a damaged one: every row that can be read, and what the newest backup has')
    .option('--dry-run', 'only say what would come of it')
    .option('--json', 'what came of it, as JSON')
    .action(repair);
}

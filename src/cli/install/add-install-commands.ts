// `install` and `uninstall`, with what each is for.
import type { Command } from 'commander';
import { install } from '../commands/install.ts';
import { uninstall } from '../commands/uninstall.ts';

export function addInstallCommands(program: Command): void {
  program
    .command('install')
    .description('have Claude Code load the plugin in every session; again after an upgrade')
    .option('--yes', 'import past sessions without asking')
    .addHelpText('after', INSTALL_HELP)
    .action(install);
  program
    .command('uninstall')
    .description('take away what install made; memories stay')
    .option('--purge', 'erase all memories and settings, too; asks first')
    .action(uninstall);
}

const INSTALL_HELP = `
In a terminal it asks two things, once: whether your Claude login may write deeper memories, and whether past sessions are to be read.

Examples:
  npm install && npm install --global . && claude-mem install     in a checkout
  git pull && npm install && claude-mem install                   takes up the new version
  CLAUDE_CONFIG_DIR=~/.claude-work claude-mem install             for another folder of Claude Code's`;

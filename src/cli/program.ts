// The list of commands, with what each is for.
import { Command } from 'commander';
import { HOOK_COMMANDS, type HookCommand } from '../core/envelope.ts';
import { dropForPersons } from '../environment.ts';
import { addBackupCommands } from './add-backup-commands.ts';
import { addContextCommand } from './add-context-command.ts';
import { addMemoryCommands } from './add-memory-commands.ts';
import { addPastCommands } from './add-past-commands.ts';
import { addProjectCommands } from './add-project-commands.ts';
import { addRuleCommands } from './add-rule-commands.ts';
import { addSilenceCommands } from './add-silence-commands.ts';
import { addWebCommands } from './add-web-commands.ts';
import { getSetting, listSettings, setSetting, unsetSetting } from './commands/config.ts';
import { runDoctor } from './commands/doctor.ts';
import { showLogs } from './commands/logs.ts';
import { reindex } from './commands/reindex.ts';
import { restart } from './commands/restart.ts';
import { start } from './commands/start.ts';
import { showStats } from './commands/stats.ts';
import { showStatus } from './commands/status.ts';
import { stop } from './commands/stop.ts';
import { addInstallCommands } from './install/add-install-commands.ts';
import { isPerson } from './only-person.ts';
import { runHookCommand } from './run-hook-command.ts';
import { VERSION } from './version.ts';
import { checkWho } from './who-may.ts';

const HOOK_HELP: Record<HookCommand, string> = {
  context: 'SessionStart: print what the session is told',
  new: 'UserPromptSubmit: keep the prompt',
  save: 'PostToolUse and others: keep what happened',
  summary: 'Stop: the turn is over, distil it',
  cleanup: 'SessionEnd: the session is over',
};

export function buildProgram(): Command {
  const program = new Command('claude-mem')
    .description('A memory for coding agents: what happened in a session is told to the next one.')
    .version(VERSION)
    .hook('preAction', (_, command) => checkWho(command))
    .showHelpAfterError('Run `claude-mem --help` for the list of commands.');

  program.command('start').description('start the worker (hooks also start it by themselves)').action(start);
  program.command('stop').description('stop the worker; nothing is lost, hooks start it again').action(stop);
  program.command('restart').description('stop the worker, then start it').action(restart);
  program
    .command('status')
    .description('what the worker is doing, how much waits, how much is kept')
    .option('--json', 'as JSON')
    .action(showStatus);
  program
    .command('doctor')
    .description('look at all that can be wrong: the installation, the worker, the disk; ends with 1 when something is')
    .option('--fix', 'mend what is safe to mend, and say what was done')
    .option('--bundle <file>', 'write a report for others: no words of yours, no secrets')
    .option('--json', 'as JSON')
    .action(runDoctor);
  program
    .command('logs')
    .description("the worker's log")
    .option('-n, --lines <count>', 'how many lines', '50')
    .option('-f, --follow', 'go on as lines are written')
    .action(showLogs);
  program
    .command('stats')
    .description(
      'what the model cost, by day, project and session; how long hooks, turns, distilling and the index took',
    )
    .option('--json', 'as JSON')
    .action(showStats);
  addMemoryCommands(program);
  addRuleCommands(program);
  addPastCommands(program);
  addBackupCommands(program);
  addProjectCommands(program);
  addInstallCommands(program);
  addSilenceCommands(program);
  addWebCommands(program);
  addConfig(program);
  program
    .command('reindex')
    .description('make the index of search anew: words and vectors')
    .option('--words', 'the words in any case, not only when they are damaged: holds the worker up for seconds')
    .option('--json', 'start it and print how far it is, as JSON')
    .action(reindex);
  program
    .command('worker')
    .description('run the worker in the foreground')
    .action(async () => {
      // In a bundle of its own: the other commands do not carry it.
      const { runWorker } = await import('./worker.ts');
      if (!isPerson()) dropForPersons();
      process.exitCode = await runWorker();
    });
  addContextCommand(program, HOOK_HELP.context);
  for (const name of HOOK_COMMANDS.filter((one) => one !== 'context')) {
    program
      .command(name)
      .description(`hook, reads JSON from stdin. ${HOOK_HELP[name]}`)
      .action(() => runHookCommand(name));
  }
  return program;
}

function addConfig(program: Command): void {
  const config = program
    .command('config')
    .description('the settings; a running worker takes a change up by itself')
    .option('--json', 'as JSON')
    .action(listSettings);
  const project = ['--project [name]', 'only in this project, or in another one'] as const;
  config
    .command('get <name>')
    .description('print one setting')
    .option(...project)
    .action(getSetting);
  config
    .command('set <name> [value]')
    .description('change one setting')
    .option(...project)
    .addHelpText('after', SET_HELP)
    .action(setSetting);
  config
    .command('unset <name>')
    .description('go back to the default of one setting')
    .option(...project)
    .action(unsetSetting);
}

const SET_HELP = `
\`claude-mem config\` lists the settings; docs/settings.md says what each does.

Examples:
  claude-mem config set budget.dailyTokens 50000
  claude-mem config set provider anthropic
  claude-mem config set apiKey                     asks for the key
  claude-mem config set contextTokens 500 --project        in the project you are in
  claude-mem config set off true --project shop            nothing is kept or told there`;

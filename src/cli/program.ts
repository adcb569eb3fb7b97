// The list of commands, as `--help` shows them; each is declared beside its code.
import { Command as Commander } from 'commander';
import { dropForPersons } from '../environment.ts';
import { runHookCommand } from '../hook/hook.ts';
import { isPerson } from './ask.ts';
import { type Command, checkWho, command } from './command.ts';
import { backupCommand, repairCommand, restoreCommand } from './commands/backup.ts';
import { benefitCommand } from './commands/benefit.ts';
import { configCommand } from './commands/config.ts';
import { contextCommand } from './commands/context.ts';
import { distrustCommand, editCommand, pinCommand, replaceCommand, wrongCommand } from './commands/correct.ts';
import { doctorCommand } from './commands/doctor.ts';
import { exportCommand } from './commands/export.ts';
import { forgetCommand } from './commands/forget.ts';
import { importCommand } from './commands/import.ts';
import { installCommand } from './commands/install.ts';
import { jobsCommand } from './commands/jobs.ts';
import { logsCommand } from './commands/logs.ts';
import { pauseCommand, resumeCommand } from './commands/pause.ts';
import { projectsCommand } from './commands/projects.ts';
import { rebuildCommand, reindexCommand, vacuumCommand } from './commands/rebuild.ts';
import { rememberCommand } from './commands/remember.ts';
import { rulesCommand } from './commands/rules.ts';
import { searchCommand } from './commands/search.ts';
import { recapCommand, sessionsCommand, showCommand } from './commands/sessions.ts';
import { restartCommand, startCommand, stopCommand } from './commands/start.ts';
import { statsCommand } from './commands/stats.ts';
import { statusCommand } from './commands/status.ts';
import { showStatusline } from './commands/statusline.ts';
import { timelineCommand } from './commands/timeline.ts';
import { tokenCommand, viewerCommand } from './commands/token.ts';
import { uninstallCommand } from './commands/uninstall.ts';
import { VERSION } from './version.ts';

const mcpCommand = command({
  name: 'mcp',
  about: 'the MCP server on stdin and stdout, for coding agents',
  examples: ['claude mcp add claude-mem -- claude-mem mcp'],
  who: 'anyone',
  async run() {
    // In a bundle of its own: the plugin starts it without the rest.
    const { runMcp } = await import('./mcp.ts');
    await runMcp();
  },
});

const workerCommand = command({
  name: 'worker',
  about: 'run the worker in the foreground',
  who: 'anyone',
  async run() {
    // In a bundle of its own: the other commands do not carry it.
    const { runWorker } = await import('./worker.ts');
    if (!isPerson()) dropForPersons();
    process.exitCode = await runWorker();
  },
});

/** Declared here: main.ts draws it without loading what a declaration needs. */
const statuslineCommand = command({
  name: 'statusline',
  about: "one short line for the host's status line; reads its JSON from stdin",
  who: 'anyone',
  run: showStatusline,
});

const hookCommands = (
  [
    ['new', 'UserPromptSubmit: keep the prompt'],
    ['save', 'PostToolUse and others: keep what happened'],
    ['summary', 'Stop: the turn is over, distil it'],
    ['cleanup', 'SessionEnd: the session is over'],
  ] as const
).map(([name, about]) => command({ name, about: `hook, reads JSON from stdin. ${about}`, who: 'anyone', run: () => runHookCommand(name) }));

const COMMANDS: Command[] = [
  ...[startCommand, stopCommand, restartCommand, statusCommand, doctorCommand, logsCommand, statsCommand],
  ...[searchCommand, timelineCommand, showCommand, sessionsCommand, recapCommand],
  ...[rememberCommand, forgetCommand, mcpCommand],
  ...[pinCommand, wrongCommand, editCommand, replaceCommand, distrustCommand, rulesCommand],
  ...[importCommand, exportCommand, rebuildCommand, benefitCommand, vacuumCommand, jobsCommand],
  ...[backupCommand, restoreCommand, repairCommand, projectsCommand, installCommand, uninstallCommand],
  ...[pauseCommand, resumeCommand, statuslineCommand, viewerCommand, tokenCommand, configCommand, reindexCommand],
  ...[workerCommand, contextCommand, ...hookCommands],
];

export function buildProgram(): Commander {
  const program = new Commander('claude-mem')
    .description('A memory for coding agents: what happened in a session is told to the next one.')
    .version(VERSION)
    .showHelpAfterError('Run `claude-mem --help` for the list of commands.');
  for (const one of COMMANDS) addCommand(program, one);
  return program;
}

function addCommand(parent: Commander, declared: Command): void {
  const { name, about, options = {}, commands = [], run } = declared;
  const made = parent.command(name).description(about).addHelpText('after', sayMore(declared));
  for (const [flags, text] of Object.entries(options)) made.option(flags, text);
  made.action(() => {
    // With those of its parent: `jobs --json cancel 1`.
    const given = made.optsWithGlobals();
    checkWho(declared, { args: made.args, options: given });
    // Of the types that `command` took from the name and the flags.
    return run(...([...made.processedArgs, given] as never));
  });
  for (const one of commands) addCommand(made, one);
}

function sayMore({ help, examples = [] }: Command): string {
  const listed = `Example${examples.length > 1 ? 's' : ''}:\n${examples.map((line) => `  ${line}`).join('\n')}`;
  const parts = [help, examples.length > 0 && listed].filter(Boolean);
  return parts.length > 0 ? `\n${parts.join('\n\n')}` : '';
}

// The list of commands, as `--help` shows them; each is declared beside its code.
import { Command as Commander, Help } from 'commander';
import { dropForPersons } from '../environment.ts';
import { runHookCommand } from '../hook/hook.ts';
import { isPerson } from './ask.ts';
import { type Command, checkWho, command, type Outcome } from './command.ts';
import { backupCommand, repairCommand, restoreCommand } from './commands/backup.ts';
import { benefitCommand } from './commands/benefit.ts';
import { configCommand } from './commands/config.ts';
import { contextCommand } from './commands/context.ts';
import { blockCommand, editCommand, incorrectCommand, pinCommand, replaceCommand } from './commands/correct.ts';
import { doctorCommand } from './commands/doctor.ts';
import { exportCommand } from './commands/export.ts';
import { forgetCommand } from './commands/forget.ts';
import { importCommand } from './commands/import.ts';
import { installCommand } from './commands/install.ts';
import { jobsCommand, rebuildCommand, reindexCommand, vacuumCommand } from './commands/jobs.ts';
import { pauseCommand, resumeCommand } from './commands/pause.ts';
import { projectsCommand } from './commands/projects.ts';
import { rememberCommand, rulesCommand } from './commands/rules.ts';
import { searchCommand, timelineCommand } from './commands/search.ts';
import { recapCommand, sessionsCommand, showCommand } from './commands/sessions.ts';
import { logsCommand, restartCommand, startCommand, stopCommand } from './commands/start.ts';
import { statsCommand } from './commands/stats.ts';
import { statusCommand } from './commands/status.ts';
import { showStatusline } from './commands/statusline.ts';
import { tokenCommand, viewerCommand } from './commands/token.ts';
import { uninstallCommand } from './commands/uninstall.ts';
import { printMemories } from './print.ts';
import { VERSION } from './version.ts';

const mcpCommand = command({
  name: 'mcp',
  json: false,
  about: 'Run the MCP server on stdin and stdout, for coding agents',
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
  json: false,
  about: 'Run the worker in the foreground',
  who: 'anyone',
  async run() {
    // In a bundle of its own: the other commands do not carry it.
    const { runWorker } = await import('./worker.ts');
    if (!isPerson()) dropForPersons();
    process.exitCode = await runWorker((line) => process.stderr.write(line));
  },
});

/** Declared here: main.ts draws it without loading what a declaration needs. */
const statuslineCommand = command({
  name: 'statusline',
  json: false,
  about: "Print one short line for the agent's status line (reads its JSON from stdin)",
  who: 'anyone',
  run: showStatusline,
});

const hookCommands = (
  [
    ['new', 'UserPromptSubmit: store the prompt'],
    ['save', 'PostToolUse and others: store what happened'],
    ['summary', 'Stop: the turn has ended, process it'],
    ['cleanup', 'SessionEnd: the session has ended'],
  ] as const
).map(([name, about]) =>
  command({ name, json: false, about: `Hook, reads JSON from stdin. ${about}`, who: 'anyone', run: () => runHookCommand(name) }),
);

const COMMANDS: Command[] = [
  ...[startCommand, stopCommand, restartCommand, statusCommand, doctorCommand, logsCommand, statsCommand],
  ...[searchCommand, timelineCommand, showCommand, sessionsCommand, recapCommand],
  ...[rememberCommand, forgetCommand, mcpCommand],
  ...[pinCommand, incorrectCommand, editCommand, replaceCommand, blockCommand, rulesCommand],
  ...[importCommand, exportCommand, rebuildCommand, benefitCommand, vacuumCommand, jobsCommand],
  ...[backupCommand, restoreCommand, repairCommand, projectsCommand, installCommand, uninstallCommand],
  ...[pauseCommand, resumeCommand, statuslineCommand, viewerCommand, tokenCommand, configCommand, reindexCommand],
  ...[workerCommand, contextCommand, ...hookCommands],
];

export function buildProgram(): Commander {
  const program = new Commander('claude-mem')
    .description('A memory for coding agents: what happened in a session is added to the context of the next one.')
    .version(VERSION)
    // Arguments are shown by each command's own help: the list has room for what they do.
    .configureHelp({ subcommandTerm: (listed) => listed.name() })
    .showHelpAfterError('Run `claude-mem --help` for the list of commands.');
  for (const one of COMMANDS) addCommand(program, one);
  return program;
}

function addCommand(parent: Commander, declared: Command, hidden = false): void {
  const { name, formerly, about, options = {}, json, commands = [], run } = declared;
  const made = parent.command(name, { hidden }).description(about).addHelpText('after', sayMore(declared));
  for (const [flags, text] of Object.entries({ ...options, ...(json !== false && { '--json': 'Print the result as JSON' }) }))
    made.option(flags, text);
  made.action(async () => {
    // With those of its parent: `jobs --json cancel 1`.
    const given = made.optsWithGlobals();
    checkWho(declared, { args: made.args, options: given });
    // Of the types that `command` took from the name and the flags.
    const outcome = await run(...([...made.processedArgs, given] as never));
    if (outcome !== undefined) printOutcome(outcome, given.json === true);
  });
  for (const one of commands) addCommand(made, one);
  if (formerly) addCommand(parent, { ...declared, name: name.replace(/^\S+/, formerly), formerly: undefined }, true);
}

function printOutcome(outcome: NonNullable<Outcome>, isJson: boolean): void {
  if (typeof outcome === 'string') console.log(outcome);
  else if (isJson) console.log(JSON.stringify(outcome.answer, null, 2));
  else if ('memories' in outcome) printMemories(outcome.memories());
  else console.log(outcome.text());
}

/** As wide as help is where the terminal does not say how wide it is. */
const HELP_WIDTH = 80;

function sayMore({ help, examples = [] }: Command): string {
  const listed = `Example${examples.length > 1 ? 's' : ''}:\n${examples.map((line) => `  ${line}`).join('\n')}`;
  const parts = [help && new Help().boxWrap(help, HELP_WIDTH), examples.length > 0 && listed].filter(Boolean);
  return parts.length > 0 ? `\n${parts.join('\n\n')}` : '';
}

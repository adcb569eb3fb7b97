// The table of commands, in the groups that `--help` shows; each is declared beside its code. Help, completion and the manual come from it.
import { Command as Commander, Help, InvalidArgumentError } from 'commander';
import { AskError } from '../core/ask-error.ts';
import { parseWhen } from '../core/time.ts';
import { chooseColour, dropForPersons } from '../environment.ts';
import { runHookCommand } from '../hook/run-hook.ts';
import { isPerson } from './ask.ts';
import { type Command, checkWho, command, type Group, listOptions, misuse } from './command.ts';
import { backupCommand, repairCommand, restoreCommand } from './commands/backup.ts';
import { configCommand } from './commands/config.ts';
import { contextCommand } from './commands/context.ts';
import { blockCommand, editCommand, incorrectCommand, pinCommand, replaceCommand } from './commands/correct.ts';
import { doctorCommand } from './commands/doctor.ts';
import { forgetCommand } from './commands/forget.ts';
import { hubCommand } from './commands/hub.ts';
import { exportCommand, importCommand } from './commands/import.ts';
import { installCommand, uninstallCommand } from './commands/install.ts';
import { jobsCommand, rebuildCommand, reindexCommand, vacuumCommand } from './commands/jobs.ts';
import { pauseCommand, resumeCommand } from './commands/pause.ts';
import { projectsCommand } from './commands/projects.ts';
import { rememberCommand, rulesCommand } from './commands/rules.ts';
import { searchCommand, timelineCommand } from './commands/search.ts';
import { recapCommand, sessionsCommand, showCommand } from './commands/sessions.ts';
import { logsCommand, restartCommand, startCommand, stopCommand } from './commands/start.ts';
import { benefitCommand, statsCommand } from './commands/stats.ts';
import { statusCommand } from './commands/status.ts';
import { sayStatusline } from './commands/statusline.ts';
import { syncCommand } from './commands/sync.ts';
import { teamCommand } from './commands/team.ts';
import { mcpCommand, tokenCommand, viewerCommand } from './commands/token.ts';
import { complete, SHELLS, writeCompletion } from './completion.ts';
import { MISUSED, suggest } from './describe-error.ts';
import { showManual } from './manual.ts';
import { printOutcome } from './print.ts';
import { VERSION } from './version.ts';

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

const demoCommand = command({
  name: 'demo',
  json: false,
  about: 'Show what it does, on a recorded week of work; touches nothing of yours',
  options: {
    '--keep': 'Leave the memory and the repository of the demo',
    '--viewer': 'Open them in the viewer, until Ctrl-C',
    '--team': 'Two people and three machines instead, with a hub between them',
    '--postgres <url>': 'The same on this PostgreSQL',
  },
  help: 'Needs git, and neither Claude Code nor a model nor the network. It works in a temporary folder, which it removes.',
  examples: ['claude-mem demo', 'claude-mem demo --viewer', 'claude-mem demo --team'],
  who: 'anyone',
  async run(options) {
    // In a bundle of its own: the other commands do not carry the week.
    const { runDemo } = await import('./demo/demo.ts');
    process.exitCode = await runDemo(options);
  },
});

/** Declared here: main.ts draws it without loading what a declaration needs. */
const statuslineCommand = command({
  name: 'statusline',
  json: false,
  about: "Print one line for the agent's status line",
  help: "It reads the agent's JSON from stdin.",
  who: 'anyone',
  run: async () => console.log(await sayStatusline()),
});

const versionCommand = command({
  name: 'version',
  about: 'Print the version',
  who: 'anyone',
  run() {
    const answer = { version: VERSION, bun: Bun.version, platform: `${process.platform}-${process.arch}` };
    return { answer, text: () => `claude-mem ${answer.version} (Bun ${answer.bun}, ${answer.platform})` };
  },
});

const helpCommand = command({
  name: 'help [command...]',
  json: false,
  about: 'Show the help of a command, or the manual',
  options: { '--man': 'The manual page; into a pipe its source' },
  examples: ['claude-mem help search', 'claude-mem help --man'],
  who: 'anyone',
  async run(words, { man }) {
    if (man) return showManual(GROUPS);
    const program = buildProgram();
    const isKnown = words.length === 0 || program.commands.some((one) => one.name() === words[0]);
    await program.parseAsync(isKnown ? [...words, '--help'] : words, { from: 'user' });
  },
});

const completionCommand = command({
  name: 'completion <shell>',
  json: false,
  about: 'Print the completion script of a shell: bash, zsh or fish',
  completes: { shell: SHELLS },
  help: 'It completes commands, options, types, settings and projects. docs/cli.md says where each shell looks for it.',
  examples: ['source <(claude-mem completion bash)', 'claude-mem completion fish > ~/.config/fish/completions/claude-mem.fish'],
  who: 'anyone',
  run(said) {
    const shell = SHELLS.find((one) => one === said);
    if (shell) return writeCompletion(shell);
    throw misuse(`There is no completion for "${said.slice(0, 60)}": it is for ${SHELLS.join(', ')}.${suggest(said, SHELLS)}`);
  },
});

const completeCommand = command({
  name: 'complete [words...]',
  json: false,
  about: 'Print what a word of the command line can be completed to',
  who: 'anyone',
  run: async (words) => (await complete(GROUPS, words)).map(({ value, about }) => `${value}\t${about}`).join('\n') || undefined,
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

const GROUPS: Group[] = [
  {
    heading: 'Ask the memory',
    commands: [searchCommand, timelineCommand, showCommand, recapCommand, sessionsCommand, rulesCommand, contextCommand],
  },
  {
    heading: 'Change the memory',
    commands: [rememberCommand, pinCommand, editCommand, replaceCommand, incorrectCommand, blockCommand, forgetCommand],
  },
  {
    heading: 'Set it up',
    commands: [demoCommand, installCommand, uninstallCommand, configCommand, projectsCommand, pauseCommand, resumeCommand],
  },
  {
    heading: 'Look after it',
    commands: [
      ...[statusCommand, doctorCommand, viewerCommand, statsCommand, benefitCommand, logsCommand, jobsCommand],
      ...[startCommand, stopCommand, restartCommand],
    ],
  },
  {
    heading: 'Keep the data',
    commands: [
      ...[importCommand, exportCommand, backupCommand, restoreCommand, repairCommand],
      ...[rebuildCommand, reindexCommand, vacuumCommand],
    ],
  },
  { heading: 'Share it', commands: [syncCommand, teamCommand, hubCommand] },
  {
    heading: 'For programs',
    commands: [mcpCommand, workerCommand, statuslineCommand, tokenCommand, completionCommand],
  },
  { heading: 'Help', commands: [helpCommand, versionCommand] },
];

const HIDDEN = [completeCommand, ...hookCommands];

const FIRST_STEPS = `
Examples:
  claude-mem demo
  claude-mem search "why do we retry" --since "2 weeks"
  claude-mem search --interactive
  claude-mem context --why

Run \`claude-mem COMMAND --help\` for the options of a command, and
\`claude-mem help --man\` for the manual.`;

export function buildProgram(): Commander {
  const program = new Commander('claude-mem')
    .description('A memory for coding agents: what happened in a session is added to the context of the next one.')
    .version(VERSION, '-V, --version', 'Print the version')
    .option('--color <when>', 'Use colours: auto, always or never', readColour)
    .helpOption('-h, --help', 'Show help')
    .helpCommand(false)
    .addHelpText('after', FIRST_STEPS)
    // 2: the command line was not understood. 1 is for a command that was, and failed.
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : MISUSED))
    .configureOutput({ outputError: (text, write) => write(asOurs(text)) })
    // Arguments are shown by each command's own help: the list has room for what they do.
    .configureHelp({ subcommandTerm: (listed) => listed.name() });
  for (const { heading, commands } of GROUPS) for (const one of commands) addCommand(program, one).helpGroup(`${heading}:`);
  for (const one of HIDDEN) addCommand(program, one, true);
  return nameHelp(program);
}

function readColour(when: string): string {
  if (when !== 'auto' && when !== 'always' && when !== 'never')
    throw new InvalidArgumentError(`It is auto, always or never.${suggest(when, ['auto', 'always', 'never'])}`);
  chooseColour(when);
  return when;
}

/** commander's sentences, as our own are written: `error: unknown option '--tpye'\n(Did you mean --type?)`. */
const asOurs = (text: string) =>
  text.replace(/^error: (.)/, (_, first: string) => first.toUpperCase()).replace(/\.?\n\((Did you mean .*\?)\)$/m, '. $1');

const nameHelp = (made: Commander) => made.showHelpAfterError(`Run \`${pathOf(made)} --help\`.`);
const pathOf = (made: Commander): string => (made.parent ? `${pathOf(made.parent)} ${made.name()}` : made.name());

function addCommand(parent: Commander, declared: Command, hidden = false): Commander {
  const { name, formerly, about, commands = [], run } = declared;
  const made = nameHelp(parent.command(name, { hidden }).description(about).addHelpText('after', sayMore(declared)));
  for (const { flags, text } of listOptions(declared)) made.option(flags, text);
  made.action(async () => {
    // With those of its parent: `jobs --json cancel 1`.
    const given = made.optsWithGlobals();
    try {
      checkValues(declared, given);
      checkWho(declared, { args: made.args, options: given });
      // Of the types that `command` took from the name and the flags.
      const outcome = await run(...([...made.processedArgs, given] as never));
      if (outcome !== undefined) await printOutcome(outcome, given.json === true);
      if (typeof outcome === 'object') outcome.onPrinted?.();
    } catch (error) {
      if (!(error instanceof AskError) || error.kind !== 'invalid') throw error;
      throw misuse(`${[error.message, error.hint].filter(Boolean).join(' ')}\nRun \`${pathOf(made)} --help\`.`);
    }
  });
  for (const one of commands) addCommand(made, one);
  if (formerly) addCommand(parent, { ...declared, name: name.replace(/^\S+/, formerly), formerly: undefined }, true);
  return made;
}

function checkValues(declared: Command, given: Record<string, unknown>): void {
  for (const { flags, long, name, values, isList } of listOptions(declared)) {
    const said = given[name];
    if (typeof said !== 'string') continue;
    // Only to see that it is understood: what it means, the worker says.
    if (flags.endsWith(' <when>')) parseWhen(said, name === 'until' ? 'until' : 'since', Date.now());
    if (values.length === 0) continue;
    const wrong = (isList ? said.split(',') : [said]).map((one) => one.trim()).find((one) => one !== '' && !values.includes(one));
    if (wrong === undefined) continue;
    const known = `${values.slice(0, -1).join(', ')} or ${values.at(-1)}`;
    throw misuse(`${long} takes ${known}, not "${wrong.slice(0, 60)}".${suggest(wrong, values)}`);
  }
}

/** As wide as help is where the terminal does not say how wide it is. */
const HELP_WIDTH = 80;

function sayMore({ help, examples = [] }: Command): string {
  const listed = `Example${examples.length > 1 ? 's' : ''}:\n${examples.map((line) => `  ${line}`).join('\n')}`;
  const parts = [help && new Help().boxWrap(help, HELP_WIDTH), examples.length > 0 && listed].filter(Boolean);
  return parts.length > 0 ? `\n${parts.join('\n\n')}` : '';
}

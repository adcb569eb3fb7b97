// The manual page, claude-mem(1), made from the table of commands. The build writes it into the package.
import { findPager } from '../environment.ts';
import { type Command, type Group, listOptions } from './command.ts';
import { VERSION } from './version.ts';

/** At a terminal shown by `man`; else its source. */
export async function showManual(groups: Group[]): Promise<string | undefined> {
  const page = writeManual(groups);
  const man = process.stdout.isTTY === true && findPager() !== null ? Bun.which('man') : null;
  if (man === null) return page;
  const child = Bun.spawn([man, '-l', '-'], { stdin: Buffer.from(`${page}\n`), stdout: 'inherit', stderr: 'inherit' });
  return (await child.exited) === 0 ? undefined : page;
}

function writeManual(groups: Group[]): string {
  return [
    `.TH CLAUDE\\-MEM 1 "" "claude\\-mem ${VERSION}" "User Commands"`,
    '.SH NAME\nclaude\\-mem \\- memory for coding agents',
    '.SH SYNOPSIS\n.B claude\\-mem\n.I command\n.RI [ options ]',
    section('DESCRIPTION', DESCRIPTION),
    '.SH COMMANDS',
    ...groups.flatMap(({ heading, commands }) => [`.SS ${roff(heading)}`, ...commands.flatMap((one) => describe(one, ''))]),
    section('OUTPUT', OUTPUT),
    `.SH EXIT STATUS\n${list({ '0': 'It was done.', '1': 'It failed, or found a problem.', '2': 'The command line was not understood.' })}`,
    `.SH ENVIRONMENT\n${list(ENVIRONMENT)}`,
    `.SH FILES\n${list({ '~/.claude-mem': 'Database, settings, logs, backups and offline queue: the data dir.' })}`,
  ].join('\n');
}

const DESCRIPTION =
  'Hooks capture what happens in the sessions of a coding agent. A worker keeps it and derives memories, and the next session gets what ' +
  'it needs. These commands ask the memory, correct it and look after it.';

const OUTPUT =
  'A terminal gets tables, colours and relative ages; what does not fit on the screen goes through $PAGER. A pipe gets tab-separated ' +
  'values, the names of the columns first. --json prints the answer itself. Results go to stdout, notes, questions and progress to stderr.';

const ENVIRONMENT = {
  CLAUDE_MEM_DATA_DIR: 'The data dir.',
  CLAUDE_MEM_INCOGNITO: 'A session that is started with it is neither stored nor given anything.',
  'NO_COLOR, FORCE_COLOR, TERM':
    'No colours; colours also in a terminal called dumb, which has none otherwise; a pipe has none. --color goes first.',
  PAGER: 'The pager, less by default; empty or cat for none.',
};

function describe(command: Command, parent: string): string[] {
  const { name, about, help, examples = [], commands = [] } = command;
  const path = `${parent}${name.split(' ')[0]} `;
  const options = Object.fromEntries(listOptions(command).map(({ flags, text }) => [flags, text]));
  return [
    `.TP\n.B ${roff(`claude-mem ${parent}${name}`)}`,
    roff(`${about}. ${help ?? ''}`.trim()),
    ...(Object.keys(options).length > 0 ? [`.RS\n${list(options)}\n.RE`] : []),
    ...(examples.length > 0
      ? [`.RS\n.PP\nExample${examples.length > 1 ? 's' : ''}:\n.EX\n${examples.map(roff).join('\n')}\n.EE\n.RE`]
      : []),
    ...commands.flatMap((one) => describe(one, path)),
  ];
}

const section = (heading: string, text: string) => `.SH ${heading}\n${roff(text)}`;
const list = (entries: Record<string, string>) =>
  Object.entries(entries)
    .map(([name, text]) => `.TP\n.B ${roff(name)}\n${roff(text)}`)
    .join('\n');

/** Nothing in it is a request of roff, and a hyphen can be copied. */
const roff = (text: string) =>
  text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^([.'])/gm, '\\&$1');

// The commands that ask the memory, and those that change it by hand.
import type { Command } from 'commander';
import { distrust } from './commands/distrust.ts';
import { edit } from './commands/edit.ts';
import { forget } from './commands/forget.ts';
import { pin } from './commands/pin.ts';
import { showRecap } from './commands/recap.ts';
import { remember } from './commands/remember.ts';
import { replace } from './commands/replace.ts';
import { search } from './commands/search.ts';
import { showSessions } from './commands/sessions.ts';
import { showMemories } from './commands/show.ts';
import { showTimeline } from './commands/timeline.ts';
import { markWrong } from './commands/wrong.ts';

export function addMemoryCommands(program: Command): void {
  addSearch(program);
  program
    .command('timeline [anchor-or-query...]')
    .description('what happened around an id (123, S12, P34), a time, or the best hit of a query')
    .option('--before <count>', 'how many before it')
    .option('--after <count>', 'how many after it')
    .option('--type <types>', 'only these types, separated by commas')
    .option('--project <name>', 'another project')
    .option('--all', 'every project')
    .option('--json', 'as JSON')
    .addHelpText('after', example('claude-mem timeline 123 --before 5 --after 5', 'claude-mem timeline retry limit'))
    .action(showTimeline);
  program
    .command('show <ids...>')
    .description('all of one memory, or of several; of a prompt (P34) also what was said and done in its turn')
    .option('--all', 'the record of a turn whole, with output and diffs')
    .option('--json', 'as JSON')
    .addHelpText('after', example('claude-mem show 123 P34', 'claude-mem show P34 --all'))
    .action(showMemories);
  program
    .command('sessions [session]')
    .description('the sessions of this project; of one, by its id, what was done, decided and left open')
    .option('--limit <count>', 'how many (20)')
    .option('--project <name>', 'another project')
    .option('--all', 'every project')
    .option('--json', 'as JSON')
    .addHelpText('after', example('claude-mem sessions', 'claude-mem sessions 3f2a91c0'))
    .action(showSessions);
  program
    .command('recap')
    .description('what was done, decided and left open, for a stand-up')
    .option('--since <when>', 'a date, "3 days", monday; else the last day of work before today')
    .option('--until <when>', 'the end, if not now')
    .option('--project <name>', 'another project')
    .option('--all', 'every project')
    .option('--json', 'as JSON')
    .addHelpText('after', example('claude-mem recap --since monday --all'))
    .action(showRecap);
  addChanges(program);
  addCorrections(program);
}

function addSearch(program: Command): void {
  program
    .command('search [query...]')
    .description('find memories: by words, meaning, time and files; with a filter and no query, the newest')
    .option('--all', 'every project, not only the one you are in')
    .option('--project <name>', 'another project')
    .option(
      '--type <types>',
      'decision, bugfix, feature, refactor, discovery, change, summary, prompt; separated by commas',
    )
    .option('--concept <word>', 'only with this concept')
    .option('--file <path>', 'only about this file, or the end of its path')
    .option('--since <when>', 'a date, "3 days", 2h, yesterday, monday')
    .option('--until <when>', 'the same for the end')
    .option('--session <id>', 'only of this session')
    .option('--branch <name>', 'only of this branch')
    .option('--order <order>', 'relevance or date')
    .option('--limit <count>', 'how many (10)')
    .option('--offset <count>', 'leave out the first ones')
    .option('--why', 'how each score came about')
    .option('--sessions', 'sessions instead of memories')
    .option('--json', 'as JSON')
    .addHelpText('after', example('claude-mem search retry limit --type decision,bugfix --since "2 weeks"'))
    .action(search);
}

function addChanges(program: Command): void {
  program
    .command('remember <text...>')
    .description('keep a text as a memory; - reads it from stdin')
    .option('--global', 'it holds in every project')
    .option('--title <title>', 'its title, if not its first words')
    .option('--type <type>', 'decision, bugfix, feature, refactor, discovery or change')
    .option('--project <name>', 'another project')
    .option('--json', 'as JSON')
    .addHelpText('after', example('claude-mem remember "Releases are cut on Tuesdays" --type decision'))
    .action(remember);
  program
    .command('forget [ids...]')
    .description('delete memories permanently, after asking; prints a deletion report')
    .option('--yes', 'do not ask; it still takes a terminal')
    .option('--related', 'also what was made of the same turn and of nothing else')
    .option('--session <id>', 'a whole session: its memories and the records of its turns')
    .option('--project <name>', 'a whole project')
    .option('--matching <text>', 'every memory and every turn that has this text in it')
    .option('--hidden', 'list what a model asked to forget and what waits for you')
    .option('--undo', 'show again what is hidden')
    .option('--json', 'as JSON')
    .addHelpText('after', example('claude-mem forget 123 P12', 'claude-mem forget --matching "Project Nightjar"'))
    .action(forget);
  program
    .command('mcp')
    .description('the MCP server on stdin and stdout, for coding agents')
    .addHelpText('after', example('claude mcp add claude-mem -- claude-mem mcp'))
    .action(async () => {
      // In a bundle of its own: the plugin starts it without the rest.
      const { runMcp } = await import('./mcp.ts');
      await runMcp();
    });
}

function addCorrections(program: Command): void {
  program
    .command('pin <ids...>')
    .description('tell sessions of these first, whatever else there is')
    .option('--undo', 'no longer')
    .option('--json', 'as JSON')
    .addHelpText('after', example('claude-mem pin 123 124', 'claude-mem pin --undo 123'))
    .action(pin);
  program
    .command('wrong <ids...>')
    .description('what these say is not so: told to no session, still found, with a mark')
    .option('--undo', 'it is so after all')
    .option('--json', 'as JSON')
    .addHelpText('after', example('claude-mem wrong 123', 'claude-mem wrong --undo 123'))
    .action(markWrong);
  program
    .command('edit <id>')
    .description('say what a memory should say; its old words are kept nowhere')
    .option('--title <title>', 'its title')
    .option('--subtitle <subtitle>', 'the line below the title; "" takes it away')
    .option('--text <text>', 'all below the title; - reads it from stdin')
    .option('--type <type>', 'decision, bugfix, feature, refactor, discovery or change')
    .option('--superseded-by <id>', 'that one holds instead: the older name of claude-mem replace')
    .option('--holds', 'it still holds, and nothing replaces it by itself')
    .option('--json', 'as JSON')
    .addHelpText(
      'after',
      example('claude-mem edit 123 --title "Releases are cut on Mondays"', 'claude-mem edit 123 --holds'),
    )
    .action(edit);
  program
    .command('replace <older> [newer]')
    .description('Mark a memory as replaced by a newer one. It stays searchable but is never given as current')
    .option('--both-hold', 'Neither replaces the other, whatever the rules say')
    .option('--undo', 'It is not replaced')
    .option('--json', 'as JSON')
    .addHelpText(
      'after',
      example('claude-mem replace 123 145', 'claude-mem replace 123 P34', 'claude-mem replace 123 --undo'),
    )
    .action(replace);
  program
    .command('distrust [source]')
    .description(
      'tell no session what came from session:ID, host:NAME, origin:web, or the session of an id; else list them',
    )
    .option('--undo', 'trust it again')
    .option('--list', 'whom nobody trusts')
    .option('--json', 'as JSON')
    .addHelpText('after', example('claude-mem distrust 123', 'claude-mem distrust --undo origin:mcp'))
    .action(distrust);
}

const example = (...lines: string[]) =>
  `\nExample${lines.length > 1 ? 's' : ''}:\n${lines.map((line) => `  ${line}`).join('\n')}`;

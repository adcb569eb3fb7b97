// The commands about the past: importing it, and what the worker was asked to do.
import type { Command } from 'commander';
import { exportMemory } from './commands/export.ts';
import { importPast } from './commands/import.ts';
import { cancelJob, listJobs } from './commands/jobs.ts';
import { rebuild } from './commands/rebuild.ts';
import { vacuum } from './commands/vacuum.ts';

export function addPastCommands(program: Command): void {
  program
    .command('import [source]')
    .description('read the past: transcripts of past sessions, an export, or the database of another claude-mem')
    .option('--agent <name>', 'only transcripts of this agent: claude-code, codex or gemini')
    .option('--project <name>', 'only transcripts of this project')
    .option('--since <when>', 'only sessions that went on after it: 2026-01-05, "3 weeks"')
    .option('--deepen <count>', 'have a model look at the newest sessions, within the budget', '0')
    .option('--as-mine', 'an export or a database of your own: it comes back as your words; asks you')
    .option('--dry-run', 'only say what would be read')
    .option('-y, --yes', 'do not ask')
    .option('--json', 'as JSON; does not ask')
    .addHelpText('after', IMPORT_HELP)
    .action(importPast);
  program
    .command('export [file]')
    .description('write all memories to a file (JSON Lines), or `-` for the screen; `import` reads it')
    .option('--project [name]', 'only this project, or another one')
    .option('--since <when>', 'only what came after it: 2026-01-05, "3 weeks"')
    .option('--force', 'also if the file is there already')
    .option('--decisions <dir>', 'the decisions of a project as Markdown instead, a file for each topic')
    .option('--json', 'what came of it, as JSON')
    .addHelpText('after', EXPORT_HELP)
    .action(exportMemory);
  program
    .command('rebuild')
    .description('make again what is derived from the records of turns: what search knows, and what rules make of them')
    .option('--project [name]', 'only this project, or another one')
    .option('--from-transcripts', 'first make the records that are missing, where transcripts still exist')
    .option('--dry-run', 'only say what there is to do')
    .option('--json', 'what came of it, as JSON')
    .addHelpText('after', REBUILD_HELP)
    .action(rebuild);
  program
    .command('vacuum')
    .description('give back the disk that erased and expired memories took')
    .option('--json', 'what came of it, as JSON')
    .action(vacuum);
  const jobs = program
    .command('jobs')
    .description('what the worker was asked to do, and how far it is')
    .option('--json', 'as JSON')
    .action(listJobs);
  jobs
    .command('cancel <id>')
    .description('end one; what it did stays, and the same command goes on from there')
    .option('--json', 'as JSON')
    .action((id, _, command) => cancelJob(id, command.optsWithGlobals()));
}

const IMPORT_HELP = `
Without a source it reads every transcript that Claude Code, Codex and Gemini CLI keep on this machine. What is known already is
not stored again, so it can be repeated and interrupted at any time. No model is asked unless you say --deepen.

Examples:
  claude-mem import                                everything there is
  claude-mem import --project shop --since "2 months"
  claude-mem import ~/old-laptop/.claude/projects
  claude-mem import memories.jsonl                 what somebody's \`claude-mem export\` wrote; --as-mine: what yours wrote
  claude-mem import ~/.claude-mem/claude-mem.db    another claude-mem's database; it is only read`;

const REBUILD_HELP = `
It runs beside everything else, in a process of its own, and goes on where it was after an interruption. What is as it should be stays; so do pins,
edits, marks and deletions. A memory whose turn has no record is only indexed. Repeating it changes nothing.

Examples:
  claude-mem rebuild --dry-run
  claude-mem rebuild --project shop
  claude-mem rebuild --from-transcripts            after an update from 0.1.0, which kept no records`;

const EXPORT_HELP = `
The file is as private as the memory itself, and not encrypted. docs/export.md describes the format.

Examples:
  claude-mem export memories.jsonl
  claude-mem export - --project shop --since "1 month" | gzip > shop.jsonl.gz
  claude-mem export --decisions docs/decisions --project       for git: one file for each topic`;

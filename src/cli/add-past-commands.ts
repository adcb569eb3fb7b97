// The commands about the past: importing it, and what the worker was asked to do.
import type { Command } from 'commander';
import { importPast } from './commands/import.ts';
import { cancelJob, listJobs } from './commands/jobs.ts';

export function addPastCommands(program: Command): void {
  program
    .command('import [source]')
    .description('read the past: transcripts of past sessions, an export, or the database of another claude-mem')
    .option('--agent <name>', 'only transcripts of this agent: claude-code, codex or gemini')
    .option('--project <name>', 'only transcripts of this project')
    .option('--since <when>', 'only sessions that went on after it: 2026-01-05, "3 weeks"')
    .option('--deepen <count>', 'have a model look at the newest sessions, within the budget', '0')
    .option('--dry-run', 'only say what would be read')
    .option('-y, --yes', 'do not ask')
    .option('--json', 'as JSON; does not ask')
    .addHelpText('after', IMPORT_HELP)
    .action(importPast);
  const jobs = program
    .command('jobs')
    .description('what the worker was asked to do, and how far it is')
    .option('--json', 'as JSON')
    .action(listJobs);
  jobs
    .command('cancel <id>')
    .description('end one; what it did stays, and the same command goes on from there')
    .option('--json', 'as JSON')
    .action(cancelJob);
}

const IMPORT_HELP = `
Without a source it reads every transcript that Claude Code, Codex and Gemini CLI keep on this machine. What is known already is
not stored again, so it can be repeated and interrupted at any time. No model is asked unless you say --deepen.

Examples:
  claude-mem import                                everything there is
  claude-mem import --project shop --since "2 months"
  claude-mem import ~/old-laptop/.claude/projects
  claude-mem import memories.jsonl                 what \`claude-mem export\` wrote
  claude-mem import ~/.claude-mem/claude-mem.db    another claude-mem's database; it is only read`;

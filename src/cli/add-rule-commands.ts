// The commands about rules of the user: what sessions are always given of what they said.
import type { Command } from 'commander';
import { changeRules, listRules } from './commands/rules.ts';

export function addRuleCommands(program: Command): void {
  const rules = program
    .command('rules')
    .description('List what you asked for in this project and everywhere, and what could be a rule')
    .option('--global', 'Only the rules of every project')
    .option('--project <name>', 'Another project')
    .option('--json', 'as JSON')
    .addHelpText('after', HELP)
    .action(listRules);
  rules
    .command('accept <ids...>')
    .description('Make something you said a rule: every session gets it')
    .option('--json', 'as JSON')
    .action((ids, _, command) => changeRules('accept', ids, command.optsWithGlobals()));
  rules
    .command('remove <ids...>')
    .description('Remove a rule. It stays searchable, but no session gets it')
    .option('--json', 'as JSON')
    .action((ids, _, command) => changeRules('remove', ids, command.optsWithGlobals()));
  rules
    .command('promote <ids...>')
    .description('Make a rule apply in every project')
    .option('--json', 'as JSON')
    .action((ids, _, command) => changeRules('promote', ids, command.optsWithGlobals()));
}

const HELP = `
Rules are what you told an agent for good ("always …", "never …", "we use … here"), in your own words. Each new session gets them
first; they never expire. What may be meant so is offered here.

Examples:
  claude-mem rules
  claude-mem rules remove 123
  claude-mem rules promote 123
  claude-mem rules accept 130
  claude-mem rules --global`;

// The commands about projects: which there are, which are one, and what they are called.
import type { Command } from 'commander';
import { listProjects, mergeProjects, renameProject } from './commands/projects.ts';

export function addProjectCommands(program: Command): void {
  const projects = program
    .command('projects')
    .description('the projects there are, the latest used first')
    .option('--json', 'as JSON')
    .action(listProjects);
  projects
    .command('merge <from> <into>')
    .description('two projects are one: all of the first goes to the second')
    .option('--yes', 'without asking')
    .option('--json', 'as JSON')
    .addHelpText('after', HELP)
    .action((from, into, _, command) => mergeProjects(from, into, command.optsWithGlobals()));
  projects
    .command('rename <project> <name>')
    .description('call a project by another name')
    .option('--json', 'as JSON')
    .action((project, name, _, command) => renameProject(project, name, command.optsWithGlobals()));
}

const HELP = `
A project is given by its name, its key or its folder. What its sessions were is part of the other from then on, and so are the
sessions that come: it cannot be undone.

Examples:
  claude-mem projects merge ~/work/shop-old shop
  claude-mem projects merge github.com/dev/shop github.com/team/shop`;

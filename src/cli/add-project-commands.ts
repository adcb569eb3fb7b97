// The commands about projects: which there are, which are one, and what they are called.
import type { Command } from 'commander';
import { listProjects, mergeProjects, renameProject, separateFolder } from './commands/projects.ts';

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
    .command('separate <folder>')
    .description('a folder that joined a project is one of its own again')
    .option('--yes', 'without asking')
    .option('--json', 'as JSON')
    .addHelpText('after', SEPARATE_HELP)
    .action((folder, _, command) => separateFolder(folder, command.optsWithGlobals()));
  projects
    .command('rename <project> <name>')
    .description('call a project by another name')
    .option('--json', 'as JSON')
    .action((project, name, _, command) => renameProject(project, name, command.optsWithGlobals()));
}

const SEPARATE_HELP = `
A folder joins a project when it has the same remote and its history holds a commit that is known of the project. To separate it
takes the sessions that worked there along, with what is remembered of them; its commits are read anew, and those that were read for
the project stay there, too. It does not join again by itself: \`claude-mem projects merge\` undoes it.

Example:
  claude-mem projects separate ~/work/shop-copy`;

const HELP = `
A project is given by its name, its key or its folder. What its sessions were is part of the other from then on, and so are the
sessions that come: it cannot be undone.

Examples:
  claude-mem projects merge ~/work/shop-old shop
  claude-mem projects merge github.com/dev/shop github.com/team/shop`;

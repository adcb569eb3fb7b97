// `claude-mem projects`: which there are; two that are one; another name.
import type { ProjectRow } from '../../core/shapes/project.ts';
import { quoteWord, sayCount } from '../../core/text.ts';
import { askPerson } from '../ask.ts';
import { CORRECTS, command, misuse } from '../command.ts';
import { openAllMemory, spellProject } from '../options.ts';
import { type Column, listed, renderTable, whenColumn } from '../print.ts';
import { waitFor } from '../watch-job.ts';

const PAGE = 200;

const merge = command({
  name: 'merge <from> <into>',
  about: 'Merge two projects: all of the first goes to the second',
  options: { '--yes': 'Do not ask' },
  help:
    'A project is given by its name, its key or its folder. Its sessions become part of the other one, and so do those that ' +
    'come later. It cannot be undone.',
  examples: ['claude-mem projects merge ~/work/shop-old shop', 'claude-mem projects merge github.com/dev/shop github.com/team/shop'],
  who: CORRECTS,
  async run(saidFrom, saidInto, { yes }) {
    const [from, into] = [spellProject(saidFrom), spellProject(saidInto)];
    if (!yes && !(await confirm(from, into))) return 'Nothing was merged.';
    const answer = await waitFor('Merging', openAllMemory().mergeProjects({ from, into }));
    const { sessions, observations, summaries } = answer.moved;
    const moved = [sayCount(sessions, 'sessions'), sayCount(observations, 'observations'), sayCount(summaries, 'summaries')].join(', ');
    return { answer, text: () => `${answer.from} is part of ${answer.project} (${answer.key}) now: ${moved}.` };
  },
});

async function confirm(from: string, into: string): Promise<boolean> {
  const isMeant = ({ key, project, root, aliases }: ProjectRow) =>
    [from, into].some((said) => [key, root, ...aliases].includes(said) || project.toLowerCase() === said.toLowerCase());
  const named = (await readProjects()).filter(isMeant);
  const table = named.length > 0 ? `${renderTable(COLUMNS, named)}\n` : '';
  return askPerson(`${table}Make all of ${from} part of ${into}? It cannot be undone. [y/N] `);
}

const separate = command({
  name: 'separate <folder>',
  about: 'Make a folder that joined a project one of its own again',
  options: { '--yes': 'Do not ask' },
  help:
    'A folder joins a project when it has the same remote and its history contains a commit that is known of the project. ' +
    'Separated, it keeps the sessions that worked there, with their memories; its commits are read again, and those that were read ' +
    'for the project stay there, too. It does not join again: `claude-mem projects merge` undoes it.',
  examples: ['claude-mem projects separate ~/work/shop-copy'],
  who: CORRECTS,
  async run(said, { yes }) {
    // A folder, also where it could be a name.
    const folder = spellProject(/^[./~]/.test(said) ? said : `./${said}`);
    const question = `Make ${folder} a project of its own, with what was done there? [y/N] `;
    if (!yes && !askPerson(question)) return 'Nothing was separated.';
    const answer = await openAllMemory().separateFolder({ folder });
    const moved = `${sayCount(answer.moved.sessions, 'sessions')} and ${sayCount(answer.moved.observations, 'observations')}`;
    return { answer, text: () => `${answer.key} is a project of its own now, with ${moved} that were part of ${answer.from}.` };
  },
});

const rename = command({
  name: 'rename <project> <name>',
  about: 'Rename a project',
  who: CORRECTS,
  async run(project, name) {
    if (name.trim() === '') throw misuse('The new name is empty. Say one: claude-mem projects rename <project> <name>');
    const answer = await openAllMemory().renameProject({ project: spellProject(project), name });
    return { answer, text: () => `${answer.before} is called ${answer.project} now.` };
  },
});

export const projectsCommand = command({
  name: 'projects',
  about: 'List the projects, the latest used first',
  who: 'owner',
  commands: [merge, separate, rename],
  async run() {
    const projects = await readProjects();
    const offers = projects.flatMap(({ key, maybe }) => (maybe ? [[key, maybe.key]] : []));
    const notes = offers.map(
      ([key = '', other = '']) => `If ${key} is the same as ${other}: claude-mem projects merge ${quoteWord(key)} ${quoteWord(other)}`,
    );
    return listed(COLUMNS, projects, { answer: { projects }, none: 'Nothing is remembered of any project yet.', notes });
  },
});

async function readProjects(): Promise<ProjectRow[]> {
  const projects: ProjectRow[] = [];
  for (let offset = 0; ; offset += PAGE) {
    const { items, total } = await openAllMemory().listProjects({ limit: PAGE, offset });
    projects.push(...items);
    if (items.length === 0 || projects.length >= total) return projects;
  }
}

const COLUMNS: Column<ProjectRow>[] = [
  { heading: 'project', style: 'bold', cell: ({ project }) => project },
  { heading: 'sessions', isNumber: true, cell: ({ sessions }) => String(sessions) },
  { heading: 'memories', isNumber: true, cell: ({ observations }) => String(observations) },
  whenColumn('last used', ({ updatedAt }) => updatedAt),
  { heading: 'where', isFlexible: true, cell: describePlace },
];

function describePlace({ key, root, isGone, aliases, maybe }: ProjectRow): string {
  const isGlobal = key === '*';
  const place = isGlobal ? 'every project' : root === '' ? 'not on this machine' : `${root}${isGone ? ' (gone)' : ''}`;
  const names = key === root || isGlobal ? '' : ` ${key}`;
  const others = aliases.length > 0 ? `; also ${aliases.join(', ')}` : '';
  return `${place}${names}${others}${maybe ? `; may be the same as ${maybe.key}` : ''}`;
}

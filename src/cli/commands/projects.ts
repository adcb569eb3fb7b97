// `claude-mem projects`: which there are; two that are one; another name.
import { askWorker } from '../../client/api.ts';
import { createMemoryApi, withQuery } from '../../client/memory-api.ts';
import type { ProjectRow } from '../../core/shapes/project.ts';
import { quoteWord, sayCount } from '../../core/text.ts';
import { formatMoment } from '../../core/time.ts';
import { findPaths } from '../../paths.ts';
import { askPerson } from '../ask.ts';
import { CORRECTS, command } from '../command.ts';
import { spellProject } from '../options.ts';
import { type CellOf, drawTable, findTerminal, printJson, printTable } from '../print.ts';

const PAGE = 200;

const merge = command({
  name: 'merge <from> <into>',
  about: 'two projects are one: all of the first goes to the second',
  options: { '--yes': 'without asking', '--json': 'as JSON' },
  help: `A project is given by its name, its key or its folder. What its sessions were is part of the other from then on, and so are the
sessions that come: it cannot be undone.`,
  examples: ['claude-mem projects merge ~/work/shop-old shop', 'claude-mem projects merge github.com/dev/shop github.com/team/shop'],
  who: CORRECTS,
  async run(from, into, { yes, json }) {
    const api = createMemoryApi(findPaths());
    const both = { from: spellProject(from), into: spellProject(into) };
    if (!yes && !(await confirm(both))) return console.log('Nothing was merged.');
    const answer = await api.mergeProjects(both);
    if (json) return printJson(answer);
    const { sessions, observations, summaries } = answer.moved;
    const moved = [sayCount(sessions, 'sessions'), sayCount(observations, 'observations'), sayCount(summaries, 'summaries')];
    console.log(`${answer.from} is part of ${answer.project} (${answer.key}) now: ${moved.join(', ')}.`);
  },
});

const separate = command({
  name: 'separate <folder>',
  about: 'a folder that joined a project is one of its own again',
  options: { '--yes': 'without asking', '--json': 'as JSON' },
  help: `A folder joins a project when it has the same remote and its history holds a commit that is known of the project. To separate it
takes the sessions that worked there along, with what is remembered of them; its commits are read anew, and those that were read for
the project stay there, too. It does not join again by itself: \`claude-mem projects merge\` undoes it.`,
  examples: ['claude-mem projects separate ~/work/shop-copy'],
  who: CORRECTS,
  async run(folder, { yes, json }) {
    // A folder, also where it could be a name.
    const path = spellProject(/^[./~]/.test(folder) ? folder : `./${folder}`);
    const question = `Make ${path} a project of its own, with what was done there? [y/N] `;
    if (!yes && !(await askPerson(question))) return console.log('Nothing was separated.');
    const answer = await createMemoryApi(findPaths()).separateFolder({ folder: path });
    if (json) return printJson(answer);
    const { sessions, observations } = answer.moved;
    console.log(
      `${answer.key} is a project of its own now, with ${sayCount(sessions, 'sessions')} and ` +
        `${sayCount(observations, 'observations')} that were part of ${answer.from}.`,
    );
  },
});

const rename = command({
  name: 'rename <project> <name>',
  about: 'call a project by another name',
  options: { '--json': 'as JSON' },
  who: CORRECTS,
  async run(project, name, { json }) {
    if (name.trim() === '') throw new Error('The new name is empty. Say one: claude-mem projects rename <project> <name>');
    const answer = await createMemoryApi(findPaths()).renameProject({ project: spellProject(project), name });
    if (json) return printJson(answer);
    console.log(`${answer.before} is called ${answer.project} now.`);
  },
});

export const projectsCommand = command({
  name: 'projects',
  about: 'the projects there are, the latest used first',
  options: { '--json': 'as JSON' },
  who: 'owner',
  commands: [merge, separate, rename],
  async run({ json }) {
    const projects = await readProjects();
    if (json) return printJson({ projects });
    if (projects.length === 0) return console.log('Nothing is remembered of any project yet.');
    printTable(columnsOf(projects), projects);
    for (const { key, maybe } of projects)
      if (maybe)
        process.stderr.write(
          `If ${key} is the same as ${maybe.key}: claude-mem projects merge ${quoteWord(key)} ${quoteWord(maybe.key)}
`,
        );
  },
});

async function readProjects(): Promise<ProjectRow[]> {
  const api = createMemoryApi(findPaths());
  const projects: ProjectRow[] = [];
  for (let offset = 0; ; offset += PAGE) {
    const { items, total } = await api.listProjects({ limit: PAGE, offset });
    projects.push(...items);
    if (items.length === 0 || projects.length >= total) return projects;
  }
}

const columnsOf = (projects: ProjectRow[]): CellOf<ProjectRow>[] => [
  { heading: 'project', style: 'bold', cell: (project) => nameAmong(project, projects) },
  { heading: 'sessions', isNumber: true, cell: ({ sessions }) => String(sessions) },
  { heading: 'memories', isNumber: true, cell: ({ observations }) => String(observations) },
  {
    heading: 'last used',
    style: 'dim',
    cell: ({ updatedAt }) => (updatedAt === null ? 'never' : formatMoment(updatedAt)),
  },
  { heading: 'where', isFlexible: true, cell: describePlace },
];

/** Two of one name are told apart by the folder above, and where that is the same, too, by their keys. */
function nameAmong({ project, root, key }: ProjectRow, all: ProjectRow[]): string {
  const twins = all.filter((other) => other.project === project);
  if (twins.length < 2) return project;
  const folder = (path: string) => path.split('/').at(-2) ?? '';
  const isAlone = twins.filter((other) => folder(other.root) === folder(root)).length === 1;
  return `${project} (${isAlone && folder(root) !== '' ? folder(root) : key})`;
}

function describePlace({ key, root, isGone, aliases, maybe }: ProjectRow): string {
  const place = root === '' ? 'every project' : `${root}${isGone ? ' (gone)' : ''}`;
  const names = key === root || root === '' ? '' : ` ${key}`;
  const others = aliases.length > 0 ? `; also ${aliases.join(', ')}` : '';
  return `${place}${names}${others}${maybe ? `; may be the same as ${maybe.key}` : ''}`;
}

async function confirm({ from, into }: { from: string; into: string }): Promise<boolean> {
  const projects = await readProjects();
  for (const said of [from, into]) await requireKnown(projects, said);
  const [one, other] = [from, into].map((said) => projects.find((project) => isCalled(project, said))?.key ?? said);
  if (one === other) throw new Error(`"${from}" is that project already. Give two.`);
  const named = projects.filter((project) => [from, into].some((said) => isCalled(project, said)));
  if (named.length > 0) process.stderr.write(`${drawTable(columnsOf(projects), named, findTerminal())}\n`);
  return askPerson(`Make all of ${from} part of ${into}? It cannot be undone. [y/N] `);
}

const isCalled = ({ key, project, root, aliases }: ProjectRow, said: string) =>
  [key, root, ...aliases].includes(said) || project.toLowerCase() === said.toLowerCase();

/** Whoever is asked must not find out afterwards that there is nothing to decide. */
async function requireKnown(projects: ProjectRow[], said: string): Promise<void> {
  if (projects.filter((project) => isCalled(project, said)).length === 1) return;
  const isFolder = said.startsWith('/');
  const scope = isFolder ? { cwd: said } : { project: said };
  // A name that is nobody's, or of several, is refused there; of a folder it tells whether anything is known.
  const { total } = (await askWorker(findPaths(), withQuery('/api/sessions', { ...scope, limit: 1 }))) as {
    total: number;
  };
  if (isFolder && total === 0) throw new Error(`Nothing is remembered of ${said}. \`claude-mem projects\` lists what is.`);
}

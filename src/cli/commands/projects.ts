// `claude-mem projects`: which there are; two that are one; another name.
import { createMemoryApi } from '../../client/memory-api.ts';
import { formatDate, formatTime } from '../../core/local-time.ts';
import type { ProjectRow } from '../../core/project.ts';
import { findPaths } from '../../paths.ts';
import { askPerson } from '../ask-person.ts';
import { printJson } from '../memory-options.ts';
import { requirePerson } from '../only-person.ts';
import { readProject } from '../project-option.ts';
import { type Column, renderTable } from '../table.ts';
import { findTerminal, type Terminal } from '../terminal.ts';

const PAGE = 200;

export async function listProjects({ json }: { json?: boolean }): Promise<void> {
  const projects = await readProjects();
  if (json) return printJson({ projects });
  if (projects.length === 0) return console.log('Nothing is remembered of any project yet.');
  const terminal = findTerminal();
  if (terminal.isTerminal) return console.log(renderProjects(projects, terminal));
  const shown = projects.map((project) => columnsOf(projects).map(({ cell }) => terminal.line(cell(project), 4096)));
  console.log(shown.map((cells) => cells.join('\t')).join('\n'));
}

async function readProjects(): Promise<ProjectRow[]> {
  const api = createMemoryApi(findPaths());
  const projects: ProjectRow[] = [];
  for (let offset = 0; ; offset += PAGE) {
    const { items, total } = await api.listProjects({ limit: PAGE, offset });
    projects.push(...items);
    if (items.length === 0 || projects.length >= total) return projects;
  }
}

type Shown = Column & { cell: (project: ProjectRow) => string };

function renderProjects(projects: ProjectRow[], terminal: Terminal): string {
  const columns = columnsOf(projects);
  const rows = projects.map((project) => columns.map(({ cell }) => terminal.line(cell(project), 400)));
  return renderTable(columns, rows, terminal);
}

const columnsOf = (projects: ProjectRow[]): Shown[] => [
  { heading: 'project', style: 'bold', cell: (project) => nameAmong(project, projects) },
  { heading: 'sessions', isNumber: true, cell: ({ sessions }) => String(sessions) },
  { heading: 'memories', isNumber: true, cell: ({ observations }) => String(observations) },
  { heading: 'last used', style: 'dim', cell: ({ updatedAt }) => formatMoment(updatedAt) },
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

const formatMoment = (at: number | null) => (at === null ? 'never' : `${formatDate(at)} ${formatTime(at)}`);

function describePlace({ key, root, isGone, aliases }: ProjectRow): string {
  const place = root === '' ? 'every project' : `${root}${isGone ? ' (gone)' : ''}`;
  const names = key === root || root === '' ? '' : ` ${key}`;
  return `${place}${names}${aliases.length > 0 ? `; also ${aliases.join(', ')}` : ''}`;
}

export type MergeOptions = { yes?: boolean; json?: boolean };

export async function mergeProjects(from: string, into: string, { yes, json }: MergeOptions): Promise<void> {
  requirePerson();
  const api = createMemoryApi(findPaths());
  const merge = { from: spell(from), into: spell(into) };
  if (!yes && !(await confirm(merge))) return console.log('Nothing was merged.');
  const answer = await api.mergeProjects(merge);
  if (json) return printJson(answer);
  const { sessions, observations, summaries } = answer.moved;
  const moved = [
    count(sessions, 'session'),
    count(observations, 'observation'),
    count(summaries, 'summary', 'summaries'),
  ];
  console.log(`${answer.from} is part of ${answer.project} (${answer.key}) now: ${moved.join(', ')}.`);
}

const count = (value: number, one: string, many = `${one}s`) => `${value} ${value === 1 ? one : many}`;

export async function renameProject(project: string, name: string, { json }: { json?: boolean }): Promise<void> {
  requirePerson();
  const answer = await createMemoryApi(findPaths()).renameProject({ project: spell(project), name });
  if (json) return printJson(answer);
  console.log(`${answer.before} is called ${answer.project} now.`);
}

/** A folder by its whole path. */
function spell(said: string): string {
  const project = readProject(said);
  return project.kind === 'folder' ? project.path : project.name;
}

async function confirm({ from, into }: { from: string; into: string }): Promise<boolean> {
  if (!process.stdin.isTTY)
    throw new Error('There is nobody to ask, and nothing was merged. Run it in a terminal, or add --yes.');
  const projects = await readProjects();
  const terminal = findTerminal();
  const named = projects.filter(({ key, project, root, aliases }) =>
    [from, into].some((said) => [key, root, ...aliases].includes(said) || project.toLowerCase() === said.toLowerCase()),
  );
  process.stderr.write(`${named.length > 0 ? `${renderProjects(named, terminal)}\n` : ''}`);
  return askPerson(`Make all of ${from} part of ${into}? It cannot be undone. [y/N] `);
}

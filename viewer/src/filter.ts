// Which memories are shown: kept in the address, given to the API, and told of what comes live.
import type { Memory } from '../../src/core/shapes/memory.ts';
import { startOfDay } from './format.ts';
import { projects } from './projects.ts';
import { place, setQuery } from './router.ts';

export type Filter = {
  project: string;
  types: readonly string[];
  /** Days as the browser's own date field has them: `2025-03-01`. */
  since: string;
  until: string;
  /** The end of a path. */
  file: string;
};

export function readFilter(): Filter {
  const { query } = place.value;
  const text = (name: string) => query.get(name) ?? '';
  return {
    project: text('project'),
    types: text('type').split(',').filter(Boolean),
    since: text('since'),
    until: text('until'),
    file: text('file'),
  };
}

export function changeFilter({ types, ...texts }: Partial<Filter>): void {
  setQuery({ ...texts, ...(types ? { type: types.join(',') } : {}) });
}

export const NO_FILTER: Filter = { project: '', types: [], since: '', until: '', file: '' };

export const isFiltered = ({ project, types, since, until, file }: Filter) =>
  types.length > 0 || [project, since, until, file].some(Boolean);

/** As parameters of the API; what is empty is left out there. Days are the reader's: the worker may have another zone. */
export const toQuery = ({ project, types, since, until, file }: Filter) => ({
  project,
  type: types.join(','),
  since: toMoment(dayStart(since), since),
  until: toMoment(dayEnd(until) - 1, until),
  file,
});

/** What is no day goes as it stands: the worker says what it takes. */
const toMoment = (at: number, day: string) => (Number.isNaN(at) ? day : new Date(at).toISOString());

const DAY_MS = 86_400_000;

/** Whether something that comes live belongs to what is shown. */
export function isMeant(memory: Memory, { project, types, since, until, file }: Filter): boolean {
  if (types.length > 0 && !types.includes(memory.type)) return false;
  if (project && memory.project !== nameOf(project)) return false;
  if (since && memory.at < dayStart(since)) return false;
  if (until && memory.at >= dayEnd(until)) return false;
  return !file || [...memory.filesModified, ...memory.filesRead].some((path) => endsWithPath(path, file));
}

const dayStart = (day: string) => new Date(`${day}T00:00`).getTime();
/** Not every day has 24 hours. */
const dayEnd = (day: string) => startOfDay(dayStart(day) + 1.5 * DAY_MS);

/** A key stands for a project of which there are several of that name; the name is before the key. */
const nameOf = (value: string) => projects.value.find((one) => one.value === value)?.name.split(' (')[0] ?? value;

const endsWithPath = (path: string, end: string) => path === end || path.endsWith(`/${end.replace(/^\/+/, '')}`);

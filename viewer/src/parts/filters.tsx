// Filters of memories: what is chosen stands in the address, and each can be taken off again.
import { useEffect, useId } from 'preact/hooks';
import { changeFilter, type Filter, isFiltered, NO_FILTER } from '../filter.ts';
import { followProjects, projects } from '../projects.ts';
import { MEMORY_TYPES } from '../types.ts';
import { TypeMark } from './icon.tsx';
import '../styles/filters.css';
import '../styles/line.css';

export function ProjectChoice({ filter: { project } }: { filter: Filter }) {
  useEffect(followProjects, []);
  const known = projects.value;
  const isUnknown = project !== '' && !known.some(({ value }) => value === project);
  return (
    <select aria-label="Project" value={project} onChange={({ currentTarget }) => changeFilter({ project: currentTarget.value })}>
      <option value="">All projects</option>
      {isUnknown && <option value={project}>{project}</option>}
      {known.map(({ value, name }) => (
        <option key={value} value={value}>
          {name}
        </option>
      ))}
    </select>
  );
}

export type FiltersProps = {
  filter: Filter;
  /** Otherwise only what is chosen is shown, each with a way to take it off. */
  isOpen: boolean;
};

export function Filters({ filter, isOpen }: FiltersProps) {
  return isOpen ? <FilterFields filter={filter} /> : <FilterChips filter={filter} />;
}

function FilterFields({ filter }: { filter: Filter }) {
  const { types, since, until, file } = filter;
  const id = useId();
  const toggle = (type: string) => changeFilter({ types: types.includes(type) ? types.filter((one) => one !== type) : [...types, type] });
  return (
    <div class="filters">
      <fieldset class="filter-types">
        <legend class="hidden-text">Types</legend>
        {MEMORY_TYPES.map((type) => (
          <button key={type} type="button" aria-pressed={types.includes(type)} onClick={() => toggle(type)}>
            <TypeMark type={type} />
            {type}
          </button>
        ))}
      </fieldset>
      <div class="filter-fields">
        <label for={`${id}-since`}>From</label>
        <input
          id={`${id}-since`}
          type="date"
          value={since}
          max={until}
          onChange={({ currentTarget }) => changeFilter({ since: currentTarget.value })}
        />
        <label for={`${id}-until`}>to</label>
        <input
          id={`${id}-until`}
          type="date"
          value={until}
          min={since}
          onChange={({ currentTarget }) => changeFilter({ until: currentTarget.value })}
        />
        <label for={`${id}-file`}>File</label>
        <input
          id={`${id}-file`}
          class="mono"
          dir="auto"
          placeholder="src/cart.ts"
          spellcheck={false}
          value={file}
          onChange={({ currentTarget }) => changeFilter({ file: currentTarget.value.trim() })}
        />
        {isFiltered(filter) && <Clear />}
      </div>
    </div>
  );
}

function FilterChips({ filter }: { filter: Filter }) {
  if (!isFiltered(filter)) return null;
  const { project, types, since, until, file } = filter;
  const chips: [string, Partial<Filter>][] = [
    ...(project ? [[`in ${project}`, { project: '' }] as [string, Partial<Filter>]] : []),
    ...types.map((type): [string, Partial<Filter>] => [type, { types: types.filter((one) => one !== type) }]),
    ...(since ? [[`from ${since}`, { since: '' }] as [string, Partial<Filter>]] : []),
    ...(until ? [[`to ${until}`, { until: '' }] as [string, Partial<Filter>]] : []),
    ...(file ? [[file, { file: '' }] as [string, Partial<Filter>]] : []),
  ];
  return (
    <ul class="filter-chips" aria-label="Filters">
      {chips.map(([text, without]) => (
        <li key={text}>
          <button type="button" aria-label={`Take off the filter ${text}`} onClick={() => changeFilter(without)}>
            {text} <span aria-hidden="true">×</span>
          </button>
        </li>
      ))}
      <li>
        <Clear />
      </li>
    </ul>
  );
}

const Clear = () => (
  <button type="button" class="quiet" onClick={() => changeFilter(NO_FILTER)}>
    Clear
  </button>
);

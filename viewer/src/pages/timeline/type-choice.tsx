// Which types stand on the line; none chosen means all.
import { changeFilter, type Filter } from '../../filter.ts';
import { TypeMark } from '../../parts/icon.tsx';
import { MEMORY_TYPES } from '../../types.ts';
import '../../styles/filters.css';

export function TypeChoice({ filter: { types } }: { filter: Filter }) {
  return (
    <fieldset class="filter-types">
      <legend class="hidden-text">Types</legend>
      {MEMORY_TYPES.map((type) => (
        <button
          key={type}
          type="button"
          aria-pressed={types.includes(type)}
          onClick={() => changeFilter({ types: types.includes(type) ? types.filter((one) => one !== type) : [...types, type] })}
        >
          <TypeMark type={type} />
          {type}
        </button>
      ))}
    </fieldset>
  );
}

// The head of a page with a list of memories: its name, whose memories, and the filters behind a button.
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Filter } from '../filter.ts';
import { Filters, ProjectChoice } from './filters.tsx';

export type FilterHeadProps = {
  title: string;
  filter: Filter;
  /** Between the name and the filters. */
  children?: ComponentChildren;
  /** In the line of the name: it comes and goes, and moves nothing. */
  now?: ComponentChildren;
  /** After the filters. */
  end?: ComponentChildren;
};

export function FilterHead({ title, filter, children, now, end }: FilterHeadProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <header>
        <h1>{title}</h1>
        {now}
        <div class="row">
          <ProjectChoice filter={filter} />
          <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            Filter
          </button>
          {end}
        </div>
      </header>
      {children}
      <Filters filter={filter} isOpen={isOpen} />
    </>
  );
}

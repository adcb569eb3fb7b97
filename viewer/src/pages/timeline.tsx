// The page "Timeline": what happened just before and after a memory, a time, or the best hit for some words.
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { useCardKeys } from '../card-keys.ts';
import { readFilter } from '../filter.ts';
import { formatDay, startOfDay } from '../format.ts';
import { Empty } from '../parts/empty.tsx';
import { Problem } from '../parts/problem.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { followProjects, projects } from '../projects.ts';
import { place, setQuery } from '../router.ts';
import { sameWords } from '../same-words.ts';
import type { PageProps } from './index.ts';
import { ProjectChoice } from './preview/project-choice.tsx';
import { AroundField } from './timeline/around-field.tsx';
import { TimelineRow } from './timeline/timeline-row.tsx';
import { TypeChoice } from './timeline/type-choice.tsx';
import { readId, useOwnProject } from './timeline/use-own-project.ts';
import { type Timeline, useTimeline } from './timeline/use-timeline.ts';
import '../styles/timeline.css';

export function TimelinePage({ rest }: PageProps) {
  useCardKeys();
  useEffect(followProjects, []);
  const { query } = place.value;
  const filter = readFilter();
  const anchor = rest || query.get('anchor') || query.get('at') || '';
  const words = query.get('q') ?? '';
  const isEverywhere = query.has('all');
  const own = useOwnProject(filter.project || isEverywhere ? null : readId(anchor));
  const project = filter.project || own || '';
  const isReady = own !== null;
  const type = filter.types.join(',');
  const around = { anchor: isReady ? anchor : '', query: isReady ? words : '', type, project };
  const { data, error, isAsked, isAsking, again, earlier, later } = useTimeline(around);
  return (
    <div class="page timeline">
      <header>
        <h1>Timeline</h1>
        <ProjectChoice
          projects={projects.value.map(({ value, name }) => ({ key: value, project: name }))}
          chosen={project}
          withAll
          onChoose={(key) => setQuery({ project: key, all: key === '' && readId(anchor) ? 'true' : null })}
        />
      </header>
      <div class="stack timeline-choice">
        <AroundField around={anchor || words} />
        <TypeChoice filter={filter} />
      </div>
      {error && <Problem error={error} onRetry={again} />}
      {isReady && !isAsked && (
        <Empty title="What happened around something">
          <p>Give the id of a memory, a time, or words to look for. Every memory leads here, too.</p>
        </Empty>
      )}
      {(isAsked || !isReady) && !data && !error && <Skeleton rows={6} />}
      {isAsked && data && !error && (
        <>
          {data.note && <p class="note">{data.note}</p>}
          <Line data={data} isAsking={isAsking} earlier={earlier} later={later} withProject={!project} />
        </>
      )}
    </div>
  );
}

type LineProps = { data: Timeline; isAsking: boolean; earlier: () => void; later: () => void; withProject: boolean };

function Line({ data, isAsking, earlier, later, withProject }: LineProps) {
  const ref = useRef<HTMLDivElement>(null);
  const shown = withoutRepeats(data);
  useStayInPlace(ref, shown[0]?.id ?? '');
  useShowAnchor(ref, data.anchor);
  const days = [...Map.groupBy(shown, ({ at }) => startOfDay(at))];
  if (data.items.length === 0) return null;
  return (
    <div ref={ref} class="stack" aria-busy={isAsking}>
      <button type="button" class="further" disabled={!data.hasEarlier || isAsking} onClick={earlier}>
        {data.hasEarlier ? 'Earlier' : 'Nothing earlier'}
      </button>
      {days.map(([day, those]) => (
        <section key={day} aria-label={formatDay(day)}>
          <h2 class="day">{formatDay(day)}</h2>
          <ol class="moments">
            {those.map((row, at) => (
              <TimelineRow
                key={row.id}
                row={row}
                isAnchor={row.id === data.anchor}
                withProject={withProject && row.project !== those[at - 1]?.project}
              />
            ))}
          </ol>
        </section>
      ))}
      <button type="button" class="further" disabled={!data.hasLater || isAsking} onClick={later}>
        {data.hasLater ? 'Later' : 'Nothing later'}
      </button>
    </div>
  );
}

/** A summary that is called like the prompt above it says no more in a row: the panel of the prompt has it. */
function withoutRepeats({ items, anchor }: Timeline) {
  const asked = items.flatMap(({ kind, title }) => (kind === 'prompt' ? title : []));
  return items.filter(({ id, kind, title }) => kind !== 'summary' || id === anchor || !asked.some((prompt) => sameWords(prompt, title)));
}

/** What is put in above must not push away what somebody reads. */
function useStayInPlace(ref: { current: HTMLElement | null }, first: string): void {
  const last = useRef({ first, top: 0 });
  useLayoutEffect(() => {
    const topOf = (id: string) => {
      const row = ref.current?.querySelector(`[data-memory-row="${CSS.escape(id)}"]`);
      return row ? row.getBoundingClientRect().top + scrollY : null;
    };
    const now = topOf(last.current.first);
    if (now !== null && first !== last.current.first) scrollBy({ top: now - last.current.top, behavior: 'instant' });
    last.current = { first, top: topOf(first) ?? 0 };
  });
}

function useShowAnchor(ref: { current: HTMLElement | null }, anchor: string | null): void {
  useEffect(() => {
    ref.current?.querySelector('[data-anchor="true"]')?.scrollIntoView({ block: 'center', behavior: 'instant' });
  }, [anchor]);
}

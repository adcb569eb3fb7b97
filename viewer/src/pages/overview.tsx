// The first page: what the memory did, when there was work, what is left to do, and how it is.
import { useState } from 'preact/hooks';
import type { MemoryRow } from '../../../src/core/shapes/memory.ts';
import type { Overview } from '../../../src/core/shapes/pages.ts';
import type { Status } from '../../../src/core/shapes/worker.ts';
import { useCardKeys } from '../card-keys.ts';
import { readFilter } from '../filter.ts';
import { filePage } from '../links.ts';
import { ProjectChoice } from '../parts/filters.tsx';
import { MemoryLine } from '../parts/memory-line.tsx';
import { Problem } from '../parts/problem.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { place, setQuery } from '../router.ts';
import { useAnswer } from '../use-answer.ts';
import { HealthLine } from './health/health-line.tsx';
import type { PageProps } from './index.ts';
import { Did } from './overview/did.tsx';
import { Heatmap } from './overview/heatmap.tsx';
import { OpenSteps } from './overview/open-steps.tsx';
import { useNews } from './session/use-news.ts';
import { FirstRun } from './welcome/first-run.tsx';
import '../styles/overview.css';
import '../styles/health.css';

const RANGES = [
  [7, '7 days'],
  [30, '30 days'],
  [90, '90 days'],
] as const;
/** Seventeen weeks fit beside another box, each day large enough to press. */
const SHOWN_DAYS = 119;
const NEWS = ['observation', 'removed', 'session', 'reset'] as const;
const SETTLE_MS = 2000;

export function OverviewPage(_: PageProps) {
  useCardKeys();
  const filter = readFilter();
  const days = RANGES.find(([count]) => String(count) === place.value.query.get('days'))?.[0] ?? 7;
  const { data, error, again } = useAnswer<Overview>('/api/overview', { days, shown: SHOWN_DAYS, project: filter.project });
  const status = useAnswer<Status>('/api/status');
  const look = () => {
    again();
    status.again();
  };
  useNews({ types: NEWS, look, waitMs: SETTLE_MS });
  const isEmpty = filter.project === '' && status.data?.observations === 0;
  return (
    <div class="page overview">
      <header>
        <h1>Overview</h1>
        <div class="row">
          <fieldset class="segments" aria-label="Range">
            {RANGES.map(([count, name]) => (
              <button
                key={count}
                type="button"
                class="quiet"
                aria-pressed={days === count}
                onClick={() => setQuery({ days: count === 7 ? null : String(count) })}
              >
                {name}
              </button>
            ))}
          </fieldset>
          <ProjectChoice filter={filter} />
        </div>
      </header>
      {status.data && <HealthLine status={status.data} processing={null} />}
      {error && !data && <Problem error={error} onRetry={again} />}
      {!data && !error && <Skeleton rows={8} />}
      {isEmpty && <Start />}
      {data && !isEmpty && <Filled data={data} days={days} project={filter.project} again={again} />}
    </div>
  );
}

function Start() {
  return (
    <section class="start">
      <h2>Nothing is remembered yet</h2>
      <p class="lead">
        Work with your coding agent as before: these three steps tick themselves. Or <a href="/view/data">import past sessions</a> from this
        machine, which costs nothing.
      </p>
      <FirstRun />
    </section>
  );
}

type FilledProps = { data: Overview; days: number; project: string; again: () => void };

function Filled({ data, days, project, again }: FilledProps) {
  return (
    <div class="overview-grid">
      <Did data={data} days={days} />
      <Heatmap days={data.days} range={days} project={project} />
      <OpenSteps steps={data.steps} total={data.openSteps} onChanged={again} />
      <TopFiles files={data.files.slice(0, Math.max(FEWEST_FILES, data.steps.length))} withProject={project === ''} />
      <Latest project={project} />
    </div>
  );
}

/** As many as there are steps beside them. */
const FEWEST_FILES = 5;

function TopFiles({ files, withProject }: { files: Overview['files']; withProject: boolean }) {
  if (files.length === 0) return null;
  const most = Math.max(...files.map(({ changed, read }) => changed + read));
  return (
    <section class="box" aria-labelledby="top-files">
      <h2 id="top-files">Files worked on most</h2>
      <ol class="top-files">
        {files.map(({ file, project, changed, read }) => (
          <li key={`${project} ${file}`}>
            <a class="mono" href={filePage(file)} title={file}>
              {file}
            </a>
            {withProject && <span class="faint tiny">{project}</span>}
            <span class="top-bar" aria-hidden="true">
              <span style={{ width: `${((changed + read) / most) * 100}%` }} />
            </span>
            <span class="faint tiny number">{sayTouched(changed, read)}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}

/** What its bar is as long as. */
const sayTouched = (changed: number, read: number) =>
  [changed > 0 ? `changed ${changed}×` : '', read > 0 ? `read ${read}×` : ''].filter(Boolean).join(', ');

/** As many as the window has room for below the boxes. */
const countLatest = () => Math.max(8, Math.floor((innerHeight - 560) / 29));

function Latest({ project }: { project: string }) {
  const [limit] = useState(countLatest);
  const { data, again } = useAnswer<{ items: MemoryRow[] }>('/api/observations', {
    type: 'decision,bugfix,discovery',
    project,
    limit,
  });
  useNews({ types: NEWS, look: again, waitMs: SETTLE_MS });
  const rows = data?.items ?? [];
  if (rows.length === 0) return null;
  return (
    <section class="box wide" aria-labelledby="latest">
      <div class="row spread">
        <h2 id="latest">Latest decisions, fixes and discoveries</h2>
        <a class="small" href="/view/feed">
          Feed
        </a>
      </div>
      <div class="lines">
        {rows.map((row) => (
          <MemoryLine key={row.id} row={row} withProject={project === ''} />
        ))}
      </div>
    </section>
  );
}

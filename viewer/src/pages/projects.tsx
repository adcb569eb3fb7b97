// The page "Projects": which there are, how active, how large; and what can be done with one.
import { useState } from 'preact/hooks';
import type { ProjectRow, ProjectsAnswer } from '../../../src/core/shapes/project.ts';
import { formatAgo, formatCount, formatDateTime, formatNumber, formatSize } from '../format.ts';
import { Empty } from '../parts/empty.tsx';
import { Icon } from '../parts/icon.tsx';
import { Problem } from '../parts/problem.tsx';
import { ShowMore } from '../parts/show-more.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { place, setQuery } from '../router.ts';
import { silences } from '../silences.ts';
import type { PageProps } from './index.ts';
import { ManageProject } from './projects/manage.tsx';
import { usePages } from './sessions/use-pages.ts';
import '../styles/data.css';

export function ProjectsPage(_: PageProps) {
  const { items, answer, error, isAsking, more, again } = usePages<ProjectRow, ProjectsAnswer>(
    '/api/projects',
    { sizes: true },
    (page) => page.items,
  );
  const opened = place.value.query.get('project');
  const [words, setWords] = useState('');
  // One that was deleted is known only so that what stays in its place is known.
  const there = items.filter(({ sessions, observations }) => sessions + observations > 0);
  const shown = there.filter(({ project, root }) => `${project} ${root}`.toLowerCase().includes(words.toLowerCase()));
  return (
    <div class="page projects">
      <header>
        <h1>Projects</h1>
        <input
          type="search"
          aria-label="Find a project"
          placeholder="Find a project"
          value={words}
          onInput={({ currentTarget }) => setWords(currentTarget.value)}
        />
      </header>
      {error && <Problem error={error} onRetry={again} />}
      {!answer && !error && <Skeleton rows={6} />}
      {answer && there.length === 0 && (
        <Empty title="No project yet">
          <p>
            A project is the git repository, or the folder, that a session works in. The first session brings the first one. Past ones:{' '}
            <a href="/view/data">import them</a>.
          </p>
        </Empty>
      )}
      {answer && there.length > 0 && shown.length === 0 && (
        <Empty title={`No project has “${words}” in its name`}>
          <p>Names and folders are searched.</p>
        </Empty>
      )}
      {shown.length > 0 && (
        <table class="projects-table">
          <thead>
            <tr>
              <th scope="col">Project</th>
              <th scope="col">Last 28 days</th>
              <th scope="col">Last session</th>
              <th scope="col" class="figure-cell">
                Sessions
              </th>
              <th scope="col" class="figure-cell">
                Memories
              </th>
              <th scope="col" class="figure-cell">
                Size
              </th>
              <th scope="col">Agents</th>
              <td />
            </tr>
          </thead>
          <tbody>
            {shown.map((row) => (
              <Project key={row.key} row={row} others={there} isOpen={opened === row.key} onChanged={again} />
            ))}
          </tbody>
        </table>
      )}
      <ShowMore shown={items.length} total={answer?.total ?? 0} isAsking={isAsking} onMore={more} />
    </div>
  );
}

type ProjectProps = { row: ProjectRow; others: readonly ProjectRow[]; isOpen: boolean; onChanged: () => void };

const COLUMNS = 8;

function Project({ row, others, isOpen, onChanged }: ProjectProps) {
  const { key, project, root, sessions, observations, characters, agents, updatedAt, isGone, maybe } = row;
  const isPaused = silences.value.some(({ scope, name, kind }) => scope === 'project' && kind === 'paused' && name === project);
  return (
    <>
      <tr>
        <td>
          <span>
            <a class="project-name" href={`/view/decisions?project=${encodeURIComponent(key)}`}>
              {project}
            </a>{' '}
            {isPaused && <span class="tag">paused</span>} {isGone && <span class="tag">folder deleted</span>}
            {maybe && <span class="tag" title={maybe.key}>{`same remote as ${maybe.project}`}</span>}
            <span class="project-root mono" title={root}>
              {root || key}
            </span>
          </span>
        </td>
        <td data-name="Last 28 days">
          <Spark days={row.days} />
        </td>
        <td data-name="Last session">
          {updatedAt === null ? 'none' : <span title={formatDateTime(updatedAt)}>{formatAgo(updatedAt)}</span>}
        </td>
        <td class="figure-cell" data-name="Sessions">
          {formatNumber(sessions)}
        </td>
        <td class="figure-cell" data-name="Memories">
          {formatNumber(observations)}
        </td>
        <td class="figure-cell" data-name="Size">
          {characters === null ? '' : formatSize(characters)}
        </td>
        <td data-name="Agents">{agents.join(', ')}</td>
        <td>
          <button
            type="button"
            aria-expanded={isOpen}
            aria-label={`Manage ${project}`}
            onClick={() => setQuery({ project: isOpen ? null : key })}
          >
            <Icon name="settings" /> Manage
          </button>
        </td>
      </tr>
      {isOpen && (
        <tr>
          <td colSpan={COLUMNS}>
            <ManageProject row={row} others={others.filter((one) => one.key !== key)} isPaused={isPaused} onChanged={onChanged} />
          </td>
        </tr>
      )}
    </>
  );
}

function Spark({ days }: { days: readonly number[] }) {
  const most = Math.max(1, ...days);
  const total = days.reduce((sum, count) => sum + count, 0);
  return (
    <span class="spark" role="img" aria-label={`${formatCount(total, 'memory')} in ${days.length} days`}>
      {days.map((count, at) => (
        <span key={at} data-none={count === 0 || undefined} style={{ height: `${(count / most) * 100}%` }} />
      ))}
    </span>
  );
}

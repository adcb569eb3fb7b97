// The page "File history": every memory that read or changed a file, under any of its names.

import type { FileHistoryAnswer } from '../../../src/core/shapes/memory.ts';
import { readFilter } from '../filter.ts';
import { formatCount } from '../format.ts';
import { filePage } from '../links.ts';
import { Empty } from '../parts/empty.tsx';
import { ProjectChoice } from '../parts/filters.tsx';
import { Problem } from '../parts/problem.tsx';
import { ShowMore } from '../parts/show-more.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { place } from '../router.ts';
import { FileRows } from './files/file-rows.tsx';
import { PathField } from './files/path-field.tsx';
import type { PageProps } from './index.ts';
import { usePages } from './sessions/use-pages.ts';
import '../styles/files.css';

export function FilesPage(_: PageProps) {
  const filter = readFilter();
  const path = place.value.query.get('path') ?? '';
  const { items, answer, error, isAsking, more, again } = usePages<FileHistoryAnswer['results'][number], FileHistoryAnswer>(
    path ? '/api/observations/by-file' : null,
    { path, project: filter.project, all: whereToLook(path, filter.project) },
    (page) => page.results,
  );
  const total = answer?.total ?? 0;
  return (
    <div class="page files">
      <header>
        <h1>File history</h1>
        <ProjectChoice filter={filter} />
      </header>
      <PathField path={path} project={filter.project} />
      {error && <Problem error={error} onRetry={again} />}
      {path === '' && (
        <Empty title="Of which file?">
          <p>Give a path, or the end of one. Every file named in a row leads here.</p>
        </Empty>
      )}
      {path !== '' && !answer && !error && <Skeleton />}
      {path !== '' && answer && !error && (
        <>
          <p class="faint small number">
            {total === 0 ? 'No memory read or changed it. The end of the path of a file is enough.' : formatCount(total, 'memory')}
          </p>
          {answer.earlierNames.length > 0 && <EarlierNames names={answer.earlierNames} />}
          <FileRows rows={items} withProject={filter.project === ''} />
          <ShowMore shown={items.length} total={total} isAsking={isAsking} onMore={more} />
        </>
      )}
    </div>
  );
}

/** An absolute path says by itself in which project to look. */
const whereToLook = (path: string, project: string) => (project || path.startsWith('/') ? undefined : true);

const EarlierNames = ({ names }: { names: readonly string[] }) => (
  <p class="small">
    Earlier names, as git knows them:{' '}
    {names.map((name, at) => (
      <span key={name}>
        {at > 0 && ', '}
        <a class="mono" href={filePage(name)}>
          {name}
        </a>
      </span>
    ))}
  </p>
);

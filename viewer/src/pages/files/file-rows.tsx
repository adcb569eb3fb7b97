// The memories about a file, by day, the newest first: each says whether it changed the file or only read it.
import type { FileHistoryAnswer } from '../../../../src/core/shapes/memory.ts';
import { formatDay, startOfDay } from '../../format.ts';
import { MemoryLine } from '../../parts/memory-line.tsx';

/** Of all projects, each row says whose it is: the same path is in many a repository. */
export type FileRowsProps = { rows: FileHistoryAnswer['results']; withProject: boolean };

export function FileRows({ rows, withProject }: FileRowsProps) {
  const days = [...Map.groupBy(rows, ({ at }) => startOfDay(at))];
  return (
    <>
      {days.map(([day, those]) => (
        <section key={day} aria-label={formatDay(day)}>
          <h2 class="day">{formatDay(day)}</h2>
          <ul class="file-rows">
            {those.map((row) => (
              <li key={row.id}>
                <span class="file-did" data-did={row.did}>
                  {row.did}
                </span>
                <MemoryLine row={{ ...row, file: null }} withProject={withProject} />
              </li>
            ))}
          </ul>
        </section>
      ))}
    </>
  );
}

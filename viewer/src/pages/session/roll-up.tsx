// What came of a session: done, decided, left open.
import type { RollUp as RollUpAnswer } from '../../../../src/core/shapes/memory.ts';
import { formatId } from '../../format.ts';
import { memoryPage } from '../../links.ts';
import { MemoryLine } from '../../parts/memory-line.tsx';

export function RollUp({ rollUp: { done, decided, open } }: { rollUp: RollUpAnswer }) {
  if (done.length + decided.length + open.length === 0) return null;
  return (
    <section class="roll-up" aria-label="What came of it">
      {(
        [
          ['Done', done],
          ['Decided', decided],
        ] as const
      ).map(
        ([name, rows]) =>
          rows.length > 0 && (
            <section key={name}>
              <h2>{name}</h2>
              {rows.map((row) => (
                <MemoryLine key={row.id} row={row} />
              ))}
            </section>
          ),
      )}
      {open.length > 0 && (
        <section>
          <h2>Left open</h2>
          <ul>
            {open.map(({ id, text }) => (
              <li key={`${id} ${text}`} dir="auto">
                {text}{' '}
                <a class="mono small" href={memoryPage(id)}>
                  {formatId(id)}
                </a>
              </li>
            ))}
          </ul>
        </section>
      )}
    </section>
  );
}

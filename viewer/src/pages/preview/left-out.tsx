// What was left out, by the reason.
import type { LeftOut } from '../../../../src/core/shapes/context.ts';
import { formatNumber } from '../../format.ts';
import { memoryPage } from '../../links.ts';
import { sayLeftOut } from './words.ts';

export function LeftOutList({ leftOut }: { leftOut: readonly LeftOut[] }) {
  if (leftOut.length === 0) return null;
  const groups = [...Map.groupBy(leftOut, ({ reason }) => reason)].sort(([, one], [, other]) => other.length - one.length);
  return (
    <section class="left-out stack" aria-labelledby="left-out">
      <h2 id="left-out">Left out</h2>
      {groups.map(([reason, those]) => (
        <details key={reason}>
          <summary>
            {sayLeftOut(reason)} <span class="faint number">{formatNumber(those.length)}</span>
          </summary>
          <ul>
            {those.map(({ id, title }) => (
              <li key={id}>
                <a class="mono" href={memoryPage(id)}>
                  #{id}
                </a>{' '}
                {title}
              </li>
            ))}
          </ul>
        </details>
      ))}
    </section>
  );
}

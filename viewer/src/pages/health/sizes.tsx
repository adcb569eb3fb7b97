// What the data dir takes of the disk, part by part.

import type { Stats } from '../../../../src/core/shapes/worker.ts';
import { formatSize } from '../../format.ts';

type SizesOf = Stats['sizes'];

const PARTS: { name: keyof SizesOf; words: string; color: string }[] = [
  { name: 'database', words: 'database', color: '--type-decision' },
  { name: 'wal', words: 'its write-ahead log', color: '--type-refactor' },
  { name: 'index', words: 'search index', color: '--type-feature' },
  { name: 'spool', words: 'offline queue', color: '--type-bugfix' },
  { name: 'logs', words: 'logs', color: '--type-change' },
];

export function Sizes({ sizes, dataDir }: { sizes: SizesOf; dataDir: string }) {
  const parts = PARTS.map((part) => ({ ...part, bytes: sizes[part.name] })).filter(({ bytes }) => bytes > 0);
  const total = parts.reduce((sum, { bytes }) => sum + bytes, 0);
  return (
    <section class="figure">
      <h2>Disk</h2>
      <p class="faint small">
        {formatSize(total)} in <code>{dataDir}</code>
      </p>
      <div class="sizes-bar" aria-hidden="true">
        {parts.map(({ name, color, bytes }) => (
          <span key={name} style={{ flexGrow: bytes, background: `var(${color})` }} />
        ))}
      </div>
      <dl class="legend small">
        {parts.map(({ name, words, color, bytes }) => (
          <div key={name}>
            <dt>
              <span class="swatch" style={{ background: `var(${color})` }} />
              {words}
            </dt>
            <dd class="number">{formatSize(bytes)}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

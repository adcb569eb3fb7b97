// Memories that say what their row says: the type of each beside it is enough, and opens it.
import type { Memory } from '../../../../src/core/shapes/memory.ts';
import { formatId } from '../../format.ts';
import { memoryPage } from '../../links.ts';
import { latestRow } from '../../memories.ts';
import { openPanel } from '../../panel.ts';
import { TypeIcon } from '../../parts/icon.tsx';
import { isCommit } from './rows.ts';

export const Folded = ({ rows }: { rows: readonly Memory[] }) => rows.map((row) => <FoldedMemory key={row.id} row={row} />);

function FoldedMemory({ row: asked }: { row: Memory }) {
  const row = latestRow(asked);
  if (!row) return null;
  return (
    <a
      class="folded"
      data-type={row.type}
      href={memoryPage(row.id)}
      title={`${row.type} ${formatId(row.id)}: ${row.title}`}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey) return;
        event.preventDefault();
        openPanel(row.id);
      }}
    >
      <TypeIcon type={row.type} />
      <span class="hidden-text">{formatId(row.id)}</span>
      <span aria-hidden="true">
        {row.isWrong ? 'incorrect' : row.replacedBy?.isCertain ? 'replaced' : isCommit(asked) ? 'commit' : row.type}
      </span>
    </a>
  );
}

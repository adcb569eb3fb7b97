// Forgetting memories: what goes with them, hidden or deleted permanently, and then what was removed.
import { useState } from 'preact/hooks';
import type { ListAnswer, MemoryRow, Receipt } from '../../../src/core/shapes/memory.ts';
import { ApiError } from '../api.ts';
import { erase, hide } from '../correct.ts';
import { formatCount, formatId } from '../format.ts';
import { clearSelected } from '../selection.ts';
import { useAnswer } from '../use-answer.ts';
import { Dialog } from './dialog.tsx';
import { ForgetReceipt } from './forget-receipt.tsx';
import { PlainLine } from './plain-line.tsx';
import { Problem } from './problem.tsx';

export type ForgetDialogProps = { rows: readonly MemoryRow[]; onClose: () => void };

export function ForgetDialog({ rows, onClose }: ForgetDialogProps) {
  const [receipt, setReceipt] = useState<Receipt | null>(null);
  if (receipt) {
    return (
      <Dialog title="Deleted permanently" onClose={onClose}>
        <ForgetReceipt receipt={receipt} onClose={onClose} />
      </Dialog>
    );
  }
  return (
    <Dialog title={`Forget ${rows.length > 1 ? formatCount(rows.length, 'memory') : formatId(rows[0]?.id ?? '')}?`} onClose={onClose}>
      <Choice rows={rows} onClose={onClose} onErased={setReceipt} />
    </Dialog>
  );
}

type ChoiceProps = ForgetDialogProps & { onErased: (receipt: Receipt) => void };

function Choice({ rows, onClose, onErased }: ChoiceProps) {
  const ids = rows.map(({ id }) => id);
  const related = useAnswer<ListAnswer>(`/api/observations/${ids.join(',')}/related`);
  const beside = related.data?.memories ?? [];
  const [withRelated, setWithRelated] = useState(false);
  const [isErasing, setErasing] = useState(false);
  const [problem, setProblem] = useState<ApiError | null>(null);
  const eraseIt = async () => {
    setErasing(true);
    try {
      onErased(await erase(ids, { withRelated }));
      clearSelected();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      setProblem(error);
      setErasing(false);
    }
  };
  const hideIt = () => {
    onClose();
    void hide(withRelated ? [...rows, ...beside] : rows);
    clearSelected();
  };
  return (
    <>
      <div class="lines">
        {rows.map((row) => (
          <PlainLine key={row.id} row={row} />
        ))}
      </div>
      {beside.length > 0 && (
        <section class="stack forget-related">
          <h3>Made of the same events</h3>
          <p class="faint small">They may say the same in other words.</p>
          <div class="lines">
            {beside.map((row) => (
              <PlainLine key={row.id} row={row} />
            ))}
          </div>
          <label class="row">
            <input type="checkbox" checked={withRelated} onChange={() => setWithRelated(!withRelated)} />
            {beside.length === 1 ? 'Forget this one, too' : `Forget these ${beside.length}, too`}
          </label>
        </section>
      )}
      {problem && <Problem error={problem} />}
      {related.error && <Problem error={related.error} onRetry={related.again} />}
      <dl class="forget-ways">
        <div>
          <dt>
            <button type="button" data-first onClick={hideIt}>
              Hide
            </button>
          </dt>
          <dd>Not found and not added to a context any more. Still on disk; it can be shown again.</dd>
        </div>
        <div>
          <dt>
            <button type="button" class="danger solid" disabled={isErasing || related.isAsking} onClick={eraseIt}>
              {isErasing ? 'Deleting' : 'Delete permanently'}
            </button>
          </dt>
          <dd>Text, embeddings and raw events are removed from database, index, logs and backups. This cannot be undone.</dd>
        </div>
      </dl>
    </>
  );
}

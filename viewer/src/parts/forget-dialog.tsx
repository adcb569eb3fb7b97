// Forgetting a memory: what goes with it, hidden or erased, and then what was removed.
import { useState } from 'preact/hooks';
import type { ListAnswer, Memory, Receipt } from '../../../src/core/shapes/memory.ts';
import { ApiError } from '../api.ts';
import { erase, hide } from '../correct.ts';
import { formatDay, formatId } from '../format.ts';
import { useAnswer } from '../use-answer.ts';
import { Dialog } from './dialog.tsx';
import { ForgetReceipt } from './forget-receipt.tsx';
import { MemoryLine } from './memory-line.tsx';
import { Problem } from './problem.tsx';

export type ForgetDialogProps = { memory: Memory; onClose: () => void };

export function ForgetDialog({ memory, onClose }: ForgetDialogProps) {
  const [receipt, setReceipt] = useState<Receipt | null>(null);
  if (receipt) {
    return (
      <Dialog title="Erased" onClose={onClose}>
        <ForgetReceipt receipt={receipt} onClose={onClose} />
      </Dialog>
    );
  }
  return (
    <Dialog title={`Forget ${formatId(memory.id)}?`} onClose={onClose}>
      <Choice memory={memory} onClose={onClose} onErased={setReceipt} />
    </Dialog>
  );
}

type ChoiceProps = ForgetDialogProps & { onErased: (receipt: Receipt) => void };

function Choice({ memory, onClose, onErased }: ChoiceProps) {
  const related = useAnswer<ListAnswer>(`/api/observations/${memory.id}/related`);
  const beside = related.data?.memories ?? [];
  const [withRelated, setWithRelated] = useState(false);
  const [isErasing, setErasing] = useState(false);
  const [problem, setProblem] = useState<ApiError | null>(null);
  const eraseIt = async () => {
    setErasing(true);
    try {
      onErased(await erase([memory.id], { withRelated }));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      setProblem(error);
      setErasing(false);
    }
  };
  const hideIt = () => {
    onClose();
    void hide(withRelated ? [memory, ...beside] : [memory]);
  };
  return (
    <>
      <div class="lines">
        <MemoryLine row={memory} when={formatDay(memory.at)} />
      </div>
      {beside.length > 0 && (
        <section class="stack forget-related">
          <h3>Made of the same events</h3>
          <p class="faint small">They may tell the same again, in other words.</p>
          <div class="lines">
            {beside.map((row) => (
              <MemoryLine key={row.id} row={row} when={formatDay(row.at)} />
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
          <dd>Found and told no more. Still on disk, and can be shown again.</dd>
        </div>
        <div>
          <dt>
            <button type="button" class="danger solid" disabled={isErasing || related.isAsking} onClick={eraseIt}>
              {isErasing ? 'Erasing' : 'Erase for good'}
            </button>
          </dt>
          <dd>Words, vectors and raw events are removed from the files. There is no way back.</dd>
        </div>
      </dl>
    </>
  );
}

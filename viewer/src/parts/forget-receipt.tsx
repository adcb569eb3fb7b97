// What an erasure removed, in counts, and who still says it.
import { useEffect, useState } from 'preact/hooks';
import type { BatchAnswer, Receipt } from '../../../src/core/search.ts';
import { ApiError, ask } from '../api.ts';
import { erase } from '../correct.ts';
import { formatCount, formatDay, formatId, formatNumber } from '../format.ts';
import { MemoryLine } from './memory-line.tsx';
import { Problem } from './problem.tsx';

export type ForgetReceiptProps = { receipt: Receipt; onReceipt: (receipt: Receipt) => void; onClose: () => void };

const COUNTS = [
  ['observations', 'Observations'],
  ['summaries', 'Summaries'],
  ['prompts', 'Prompts'],
  ['events', 'Events'],
  ['words', 'Indexed texts'],
  ['vectors', 'Vectors'],
  ['remains', 'Pieces still in a file'],
] as const;

export function ForgetReceipt({ receipt, onReceipt, onClose }: ForgetReceiptProps) {
  const counts = COUNTS.filter(([name]) => receipt[name] > 0 || name === 'remains');
  return (
    <div class="stack">
      <p>
        {receipt.ids.map(formatId).join(', ')} will not come back
        {receipt.remains === 0 ? ', and nothing of it is left in the files.' : '.'}
      </p>
      <dl class="counts">
        {counts.map(([name, label]) => (
          <div key={name}>
            <dt>{label}</dt>
            <dd class="number">{formatNumber(receipt[name])}</dd>
          </div>
        ))}
      </dl>
      {receipt.remains > 0 && (
        <p class="note warn">
          {formatCount(receipt.remains, 'piece')} of the text could not be removed yet. <code>claude-mem vacuum</code>{' '}
          takes up what is left.
        </p>
      )}
      {receipt.alsoSaidBy.length > 0 && <AlsoSaid ids={receipt.alsoSaidBy} onReceipt={onReceipt} />}
      <p>
        <button type="button" class="primary" onClick={onClose}>
          Done
        </button>
      </p>
    </div>
  );
}

type AlsoSaidProps = { ids: readonly string[]; onReceipt: (receipt: Receipt) => void };

/** Each stays until somebody forgets it, too. */
function AlsoSaid({ ids, onReceipt }: AlsoSaidProps) {
  const [memories, setMemories] = useState<BatchAnswer['memories']>([]);
  const [problem, setProblem] = useState<ApiError | null>(null);
  const keep = (error: unknown) => setProblem(error instanceof ApiError ? error : new ApiError(0, String(error), ''));
  const key = ids.join(',');
  useEffect(() => {
    ask<BatchAnswer>('/api/observations/batch', { method: 'POST', body: { ids } }).then(
      (answer) => setMemories(answer.memories),
      keep,
    );
  }, [key]);
  return (
    <section class="stack">
      <h3>Also said by</h3>
      <div class="lines">
        {memories.map((memory) => (
          <MemoryLine key={memory.id} row={memory} when={formatDay(memory.at)} />
        ))}
      </div>
      {problem && <Problem error={problem} />}
      <p>
        <button type="button" class="danger" onClick={() => erase(ids).then(onReceipt, keep)}>
          Erase {ids.length === 1 ? 'this one' : `these ${ids.length}`}, too
        </button>
      </p>
    </section>
  );
}

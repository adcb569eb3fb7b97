// The deletion report: what was removed, in counts, and who still says it.
import { useEffect, useState } from 'preact/hooks';
import type { BatchAnswer, Memory, Receipt } from '../../../src/core/shapes/memory.ts';
import { ask } from '../api.ts';
import { sayProblem } from '../correct.ts';
import { formatCount, formatId, formatNumber } from '../format.ts';
import { openForget } from '../opened-memory.ts';
import { PlainLine } from './plain-line.tsx';

export type ForgetReceiptProps = { receipt: Receipt; onClose: () => void };

const COUNTS = [
  ['observations', 'Observations'],
  ['summaries', 'Summaries'],
  ['prompts', 'Prompts'],
  ['records', 'Records of turns'],
  ['paragraphs', 'Paragraphs of records'],
  ['events', 'Events'],
  ['words', 'Entries of the search index'],
  ['vectors', 'Embeddings'],
  ['backups', 'Backups it was removed from'],
  ['remains', 'Pieces still in a file'],
] as const;

export function ForgetReceipt({ receipt, onClose }: ForgetReceiptProps) {
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
          {formatCount(receipt.remains, 'piece')} of the text {receipt.remains === 1 ? 'is' : 'are'} still in {receipt.remainsIn.join(', ')}
          . <code>claude-mem vacuum</code> rewrites the databases; logs expire after a week.
        </p>
      )}
      {receipt.alsoSaidBy.length > 0 && <AlsoSaid ids={receipt.alsoSaidBy} onClose={onClose} />}
      <p>
        <button type="button" class="primary" onClick={onClose}>
          Done
        </button>
      </p>
    </div>
  );
}

/** Each stays until somebody forgets it, too; whether it says the same is for a person to judge. */
function AlsoSaid({ ids, onClose }: { ids: readonly string[]; onClose: () => void }) {
  const [memories, setMemories] = useState<readonly Memory[]>([]);
  const key = ids.join(',');
  useEffect(() => {
    ask<BatchAnswer>('/api/observations/batch', { method: 'POST', body: { ids } }).then(
      (answer) => setMemories(answer.memories),
      sayProblem,
    );
  }, [key]);
  const forget = (memory: Memory) => {
    onClose();
    openForget(memory);
  };
  return (
    <section class="stack forget-related">
      <h3>May say it, too</h3>
      <p class="faint small">These have words of it and stay until you forget them.</p>
      <div class="lines">
        {memories.map((memory) => (
          <PlainLine key={memory.id} row={memory}>
            <button type="button" class="quiet" onClick={() => forget(memory)}>
              Forget
            </button>
          </PlainLine>
        ))}
      </div>
    </section>
  );
}

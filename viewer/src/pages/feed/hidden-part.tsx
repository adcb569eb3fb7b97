// What is hidden and waits for a person: shown again, or deleted permanently.
import { useEffect, useState } from 'preact/hooks';
import type { HiddenAnswer, Receipt } from '../../../../src/core/shapes/memory.ts';
import { ApiError } from '../../api.ts';
import { erase, unhide } from '../../correct.ts';
import { formatAgo, formatCount, formatDateTime, formatId } from '../../format.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { ForgetReceipt } from '../../parts/forget-receipt.tsx';
import { TypeMark } from '../../parts/icon.tsx';
import { Problem } from '../../parts/problem.tsx';
import { listen } from '../../stream.ts';
import { useAnswer } from '../../use-answer.ts';

type Hidden = HiddenAnswer['memories'][number];

export function HiddenPart() {
  const { data, again } = useAnswer<HiddenAnswer>('/api/memory/hidden');
  const [receipt, setReceipt] = useState<Receipt | null>(null);
  const [problem, setProblem] = useState<ApiError | null>(null);
  useEffect(() => {
    const stops = [listen('removed', again), listen('changed', again), listen('reset', again)];
    return () => {
      for (const stop of stops) stop();
    };
  }, []);
  const memories = data?.memories ?? [];
  const show = (ids: string[]) => unhide(ids).then(again);
  const eraseAll = (ids: string[]) =>
    erase(ids).then(
      (answer) => {
        setReceipt(answer);
        again();
      },
      (error) => setProblem(error instanceof ApiError ? error : new ApiError(0, String(error), '')),
    );
  return (
    <>
      {receipt && (
        <Dialog title="Deleted permanently" onClose={() => setReceipt(null)}>
          <ForgetReceipt receipt={receipt} onClose={() => setReceipt(null)} />
        </Dialog>
      )}
      {memories.length > 0 && (
        <details class="hidden-part">
          <summary>{formatCount(memories.length, 'hidden memory')} waiting for you</summary>
          <p class="faint small">Not found and not added to a context any more; on disk until you decide.</p>
          {problem && <Problem error={problem} />}
          <ul>
            {memories.map((row) => (
              <HiddenRow key={row.id} row={row} onShow={() => show([row.id])} onErase={() => eraseAll([row.id])} />
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

function HiddenRow({ row, onShow, onErase }: { row: Hidden; onShow: () => void; onErase: () => void }) {
  const [isSure, setSure] = useState(false);
  const at = new Date(row.hiddenAt).getTime();
  return (
    <li>
      <TypeMark type={row.type} />
      <span class="hidden-title">
        <bdi>{row.title || 'Untitled'}</bdi>{' '}
        <span class="faint tiny" title={formatDateTime(at)}>
          {formatId(row.id)}, {row.project}, hidden {formatAgo(at)}
        </span>
      </span>
      <span class="row">
        <button type="button" onClick={onShow}>
          Show again
        </button>
        <button type="button" class={isSure ? 'danger solid' : 'danger'} onClick={isSure ? onErase : () => setSure(true)}>
          {isSure ? 'Delete permanently' : 'Delete'}
        </button>
      </span>
    </li>
  );
}

// What is done to all that is selected, at the foot of the window.
import { correctAll } from '../correct.ts';
import { formatCount } from '../format.ts';
import { openForgetAll } from '../opened-memory.ts';
import { clearSelected, selected } from '../selection.ts';
import { Icon } from './icon.tsx';

export function BulkBar() {
  const rows = [...selected.value.values()];
  if (rows.length === 0) return null;
  const observations = rows.filter(({ kind }) => kind === 'observation');
  const all = (change: { pinned?: boolean; wrong?: boolean }, done: string) => {
    void correctAll(observations, change, done);
    clearSelected();
  };
  const none = observations.length === 0;
  return (
    <section class="bulk" aria-label="Selected memories">
      <strong class="number">{formatCount(rows.length, 'memory')} selected</strong>
      <button type="button" disabled={none} onClick={() => all({ pinned: true }, 'Pinned')}>
        Pin
      </button>
      <button type="button" disabled={none} onClick={() => all({ pinned: false }, 'Unpinned')}>
        Unpin
      </button>
      <button type="button" disabled={none} onClick={() => all({ wrong: true }, 'Marked as incorrect:')}>
        Mark as incorrect
      </button>
      <button type="button" onClick={() => openForgetAll(rows)}>
        Forget
      </button>
      <button type="button" class="quiet" aria-label="Clear the selection" onClick={clearSelected}>
        <Icon name="close" />
      </button>
    </section>
  );
}

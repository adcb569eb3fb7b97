// The best first, or the newest.
import { setQuery } from '../../router.ts';

export type Order = 'relevance' | 'date';

const ORDERS: readonly [Order, string][] = [
  ['relevance', 'Best'],
  ['date', 'Newest'],
];

export function OrderChoice({ order }: { order: Order }) {
  return (
    <fieldset class="segments" aria-label="Order">
      {ORDERS.map(([one, name]) => (
        <button
          key={one}
          type="button"
          class="quiet"
          aria-pressed={one === order}
          onClick={() => setQuery({ order: one === 'relevance' ? null : one })}
        >
          {name}
        </button>
      ))}
    </fieldset>
  );
}

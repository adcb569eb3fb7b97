// The end of a list of which there is more: how much is shown, and a button for the rest.
import { formatNumber } from '../format.ts';

export type ShowMoreProps = { shown: number; total: number; isAsking: boolean; onMore: () => void };

export function ShowMore({ shown, total, isAsking, onMore }: ShowMoreProps) {
  if (shown >= total) return null;
  return (
    <p class="row">
      <button type="button" onClick={onMore} disabled={isAsking}>
        Show more
      </button>
      <span class="faint small number">
        {formatNumber(shown)} of {formatNumber(total)}
      </span>
    </p>
  );
}

// What no longer applies: old and new as one text with what went and what came, folded.
import type { DecisionsAnswer } from '../../../../src/core/shapes/pages.ts';
import { sayNotReplaced } from '../../correct.ts';
import { formatDate, formatId, formatNumber } from '../../format.ts';
import { latestRow } from '../../memories.ts';
import { openPanel } from '../../panel.ts';
import { WordDiff } from '../../parts/word-diff.tsx';

export function Replaced({ pairs }: { pairs: DecisionsAnswer['replaced'] }) {
  const shown = pairs.filter(({ older }) => latestRow(older)?.replacedBy);
  return (
    <details class="replaced-part">
      <summary>
        Replaced <span class="faint number">{formatNumber(shown.length)}</span>
      </summary>
      {shown.map(({ older, newer }) => (
        <div key={older.id} class="replaced">
          <WordDiff older={older.title} newer={newer.title} />
          <p class="decision-foot">
            <span>
              {formatId(older.id)}, {formatDate(older.at)} → {formatId(newer.id)}, {formatDate(newer.at)}
              {older.replacedBy && `: ${older.replacedBy.why}`}
            </span>
            <button type="button" class="quiet" onClick={() => openPanel(older.id)}>
              Old
            </button>
            <button type="button" class="quiet" onClick={() => openPanel(newer.id)}>
              New
            </button>
            <button type="button" class="quiet" onClick={() => sayNotReplaced(older)}>
              Not replaced
            </button>
          </p>
        </div>
      ))}
    </details>
  );
}

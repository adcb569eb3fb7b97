// The context word for word, entry by entry, with what each costs in the margin.
import type { PreviewAnswer, ToldRecord } from '../../../../src/core/shapes/context.ts';
import { formatNumber, formatShare } from '../../format.ts';
import { splitTold } from './split-told.ts';
import { Why } from './why.tsx';

export type ToldTextProps = {
  answer: PreviewAnswer;
  /** The record that is explained. */
  shown: ToldRecord | null;
  /** Stays explained while others are passed over. */
  isHeld: boolean;
  onShow: (record: ToldRecord) => void;
  onHold: (record: ToldRecord) => void;
};

export function ToldText(props: ToldTextProps) {
  const { answer } = props;
  return (
    <ol class="told" aria-label="Session context">
      {splitTold(answer.text, answer.records).map(({ text, record }, at) =>
        record ? (
          <Record key={at} {...props} text={text} record={record} />
        ) : (
          <li key={at} class="told-around">
            <pre>{text}</pre>
          </li>
        ),
      )}
    </ol>
  );
}

type RecordProps = ToldTextProps & { text: string; record: ToldRecord };

function Record({ answer, shown, isHeld, onShow, onHold, text, record }: RecordProps) {
  const isShown = shown === record;
  const whole = answer.occasion === 'start' ? answer.budgetTokens : answer.tokens;
  const isPinned = record.why.includes('pinned');
  return (
    <li class="told-record" data-shown={isShown} onMouseEnter={() => onShow(record)}>
      <button
        type="button"
        class="quiet told-cost number"
        aria-expanded={isShown && isHeld}
        onFocus={() => onShow(record)}
        onClick={() => onHold(record)}
      >
        <span>
          {formatNumber(record.tokens)}
          <span class="hidden-text"> tokens, </span>
        </span>
        <span class="tiny">
          {formatShare(record.tokens / whole)}
          <span class="hidden-text"> of the {answer.occasion === 'start' ? 'budget' : 'note'}. Why?</span>
        </span>
      </button>
      <div>
        {isPinned && <span class="tag pinned">pinned</span>}
        <pre>{text}</pre>
        {isShown && isHeld && (
          <div class="why-inline">
            <Why record={record} />
          </div>
        )}
      </div>
    </li>
  );
}

// How much of the budget is used, and by which section.
import type { PreviewAnswer } from '../../../../src/core/shapes/context.ts';
import { formatNumber } from '../../format.ts';
import { nameSection } from './words.ts';

export function BudgetBar({ answer }: { answer: PreviewAnswer }) {
  const { tokens, budgetTokens, occasion } = answer;
  const shares = measureSections(answer);
  const free = occasion === 'start' ? Math.max(0, budgetTokens - tokens) : 0;
  return (
    <figure class="budget">
      <figcaption>
        <strong class="number">{formatNumber(tokens)}</strong>{' '}
        <span class="faint">
          {occasion === 'start' ? `of ${formatNumber(budgetTokens)} tokens` : 'tokens'}, {formatNumber(answer.characters)} characters
        </span>
      </figcaption>
      <div class="budget-bar" aria-hidden="true">
        {shares.map(({ name, tokens: cost }, at) => (
          <span key={name} data-shade={name === FRAME ? 'frame' : at} style={{ flexGrow: cost }} title={`${name}: ${formatNumber(cost)}`} />
        ))}
        <span class="budget-free" style={{ flexGrow: free }} />
      </div>
      <ul class="budget-legend">
        {shares.map(({ name, tokens: cost }, at) => (
          <li key={name}>
            <span class="swatch" data-shade={name === FRAME ? 'frame' : at} />
            {name} <span class="number faint">{formatNumber(cost)}</span>
          </li>
        ))}
        {free > 0 && (
          <li>
            <span class="swatch" />
            Free <span class="number faint">{formatNumber(free)}</span>
          </li>
        )}
      </ul>
    </figure>
  );
}

const FRAME = 'Headings and frame';

/** What stands around the records costs, too: the greeting, the headings. */
function measureSections({ records, tokens }: PreviewAnswer): { name: string; tokens: number }[] {
  const groups = Map.groupBy(records, ({ section }) => nameSection(section));
  const sections = [...groups].map(([name, those]) => ({
    name,
    tokens: those.reduce((sum, record) => sum + record.tokens, 0),
  }));
  const around = tokens - sections.reduce((sum, section) => sum + section.tokens, 0);
  return around > 0 ? [...sections, { name: FRAME, tokens: around }] : sections;
}

// What the memory did in these days: only what was counted, in the order of what a person gains.
import type { Overview } from '../../../../src/core/shapes/pages.ts';
import { formatNumber, formatTokens } from '../../format.ts';

type Figure = { count: number; one: string; many: string; title: string };

export function Did({ data: { given, made, sessions, spent }, days }: { data: Overview; days: number }) {
  const figures: Figure[] = [
    {
      count: given.sessions,
      one: 'session got context',
      many: 'sessions got context',
      title: 'Sessions that were given memories at their start, with a prompt, before an edit or after an error',
    },
    { count: given.memories, one: 'memory given', many: 'memories given', title: 'Each counted once for a session' },
    {
      count: given.opened,
      one: 'whose file was then worked on',
      many: 'whose files were then worked on',
      title: 'The same session went on to read or change a file that the memory is about',
    },
    {
      count: given.errors,
      one: 'known error recognised',
      many: 'known errors recognised',
      title: 'An error that an earlier session had seen',
    },
    { count: made.decisions, one: 'decision kept', many: 'decisions kept', title: 'Made in these days' },
    { count: made.fixes, one: 'fix kept', many: 'fixes kept', title: 'Made in these days' },
    { count: sessions, one: 'session at work', many: 'sessions at work', title: 'Sessions of an agent in these days' },
  ];
  const shown = figures.filter(({ count }) => count > 0);
  return (
    <section class="box" aria-labelledby="did">
      <h2 id="did">What memory did in the last {days} days</h2>
      <ul class="did">
        {shown.map(({ count, one, many, title }) => (
          <li key={many} title={title}>
            <strong class="number">{formatNumber(count)}</strong>
            <span>{count === 1 ? one : many}</span>
          </li>
        ))}
        <li title="On models, to summarise. Extraction by rules costs nothing.">
          <strong class="number">{spent.tokens === 0 ? '0' : formatTokens(spent.tokens).split(' ')[0]}</strong>
          <span>{spent.tokens === 0 ? 'tokens spent: rules only' : `tokens spent in ${formatNumber(spent.calls)} calls`}</span>
        </li>
      </ul>
      {given.sessions === 0 && (
        <p class="faint small">
          No session was given context in these days. <a href="/view/preview">See what the next one gets</a>
        </p>
      )}
    </section>
  );
}

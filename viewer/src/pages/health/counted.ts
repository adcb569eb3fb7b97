// The worker's counters, in words: what was kept out, and what was odd.

export type Counted = { words: string; count: number };

const WORDS: [pattern: RegExp, words: string][] = [
  [/^secrets-scrubbed$/, 'secrets scrubbed'],
  [/^dropped:excluded$/, 'left out: their path is excluded'],
  [/^dropped:paused$/, 'left out: in a pause'],
  [/^dropped:off$/, 'left out: memory was off'],
  [/^dropped:private/, 'left out: private'],
  [/^dropped:forgotten/, 'left out: forgotten before'],
  [/^dropped:/, 'left out for another reason'],
  [/^duplicate$/, 'came twice and were kept once'],
  [/^expired:/, 'expired, as the settings say'],
  [/^bad-input:/, 'could not be read'],
  [/^ignored:/, 'from an agent that is not known'],
  [/^unknown-event:/, 'of a kind that is not known, kept as they are'],
  [/^forged-observation$/, 'answers of the model that claimed what was not so'],
  [/^partial-answer$/, 'answers of the model that were cut off'],
  [/^not-deepened$/, 'turns that were not summarised with a model'],
  [/^damaged-row$/, 'damaged rows'],
  [/^sync:unreadable$/, 'records from a hub that could not be read'],
  [/^sync:refused$/, 'changes that a hub refused'],
];

/** What has no words of its own is told by its name: nothing that was refused goes untold. */
export function sayCounters(counters: Record<string, number>): Counted[] {
  const sums = new Map<string, number>();
  for (const [name, count] of Object.entries(counters)) {
    const words = WORDS.find(([pattern]) => pattern.test(name))?.[1] ?? name;
    sums.set(words, (sums.get(words) ?? 0) + count);
  }
  const order = WORDS.map(([, words]) => words);
  const rank = (words: string) => (order.includes(words) ? order.indexOf(words) : order.length);
  return [...sums].map(([words, count]) => ({ words, count })).sort((a, b) => rank(a.words) - rank(b.words));
}

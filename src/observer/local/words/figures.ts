// Figures before and after: "11.2 s down to 2.1 s", "1.21 GB → 214 MB".

const QUANTITY =
  /\d[\d.,]{0,12}\s?(?:(?:ms|µs|us|s|secs?|seconds?|mins?|minutes?|h|hours?|[KMGT]i?B|kb|bytes|fps|x|rps|queries|requests|allocations|chunks)\b|%)/gi;
const FROM_TO = /→|->|=>|\b(?:to|instead|from|was|were|before|now|vs\.?|down|used|rather|needed|took)\b|\($/i;

/** The two quantities of a gain, as written; null when the text compares nothing. */
export function readGain(text: string): { from: string; to: string } | null {
  const found = [...text.slice(0, 600).matchAll(QUANTITY)].slice(0, 6);
  for (const [at, one] of found.entries()) {
    const next = found[at + 1];
    if (!next) return null;
    const between = text.slice(one.index + one[0].length, next.index);
    if (between.length > 60 || !FROM_TO.test(between)) continue;
    const [from, to] = [one[0].trim(), next[0].trim()];
    return /\b(?:instead of|before|was|were|used|needed|rather)\b/i.test(between)
      ? { from: to, to: from }
      : { from, to };
  }
  return null;
}

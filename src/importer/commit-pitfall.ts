// Whether a commit tells of a trap that the code does not show: what was tried in vain, what was not as it seemed, what did harm.

/** A bug that was fixed is none by itself: only harm that has a cause, a surprise, or an attempt that failed. */
export function isPitfall({ subject, body }: { subject: string; body: string }): boolean {
  const sentences = [subject, ...body.split(/(?<=[.!?])\s+|\n\s*\n/)].map((text) => text.replace(/\s+/g, ' '));
  return sentences.some((sentence) => PITFALLS.some((pattern) => pattern.test(sentence)));
}

const HARM =
  "(?:deadlock|crash|fail(?:ed|s|ure)|hung|hangs?|hanging|leak|corrupt|los[est]|lost|race condition|data loss|twice|duplicat|infinite|time[ds]? out|timeouts?|too slow|broke|breaks|outage|overload|overflow|exhaust|segfault|never (?:finish|return)|did not work|didn['’]t work|does not work|doesn['’]t work|flak[ey])";

const PITFALLS = [
  // `A lock table was tried first and deadlocked.`
  new RegExp(
    `\\b(?:was|were|been|we|I|had|first) tried\\b.{0,100}\\b(?:and|but|which|it|however)\\b.{0,60}\\b${HARM}`,
    'i',
  ),
  new RegExp(`\\btried (?:first|before|to|using|with)\\b.{0,100}\\b(?:and|but|which|however)\\b.{0,60}\\b${HARM}`, 'i'),
  /\b(?:turned out|turns out|as it turned out) (?:to be|that|not|it|the|this)\b/i,
  // `Retrying without a key caused double charges.`
  new RegExp(`\\b(?:caus(?:ed|es)|led to|resulted in)\\b.{0,60}\\b(?:${HARM}|double[- ]?\\w+|outages?)`, 'i'),
  // `It charged customers twice.`
  /\b(?:charged|billed|refunded|paid|e?mailed|notified|delivered|shipped|inserted|counted|wrote|sent)(?: \w+){1,4} (?:twice|several times|more than once)\b/i,
  /\b(?:beware|watch out|gotcha|pitfall|caveat|surprisingly|counter-?intuitively)\b/i,
];

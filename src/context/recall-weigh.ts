// How much a sentence answers a prompt as a conclusion: what was settled, about what was asked, rather late than early.
import type { KnownWords } from '../search/known-words.ts';
import { stemWord } from '../search/query-words.ts';
import { isStopWord } from '../search/stop-words.ts';
import type { Sentence } from './recall-sentences.ts';

export type Weighed = Sentence & {
  value: number;
  /** How much it speaks of what was asked and of what the session is about. */
  relevance: number;
  stems: Set<string>;
};

export type Scales = { known: KnownWords; prompt: string };

/** Best first. */
export function weighSentences(sentences: Sentence[], { known, prompt }: Scales): Weighed[] {
  const read = sentences.map((sentence) => ({ ...sentence, stems: stemsOf(sentence.text) }));
  const asked = stemsOf(prompt);
  const topic = findTopic(read);
  const weigh = (stems: Set<string>, within: (stem: string) => boolean) =>
    sum([...stems].filter(within).map(known.weight)) / Math.sqrt(stems.size || 1);
  const about = share(read.map(({ stems }) => weigh(stems, (stem) => asked.has(stem))));
  const central = share(read.map(({ stems }) => weigh(stems, (stem) => topic.has(stem))));
  const lastTurn = read.reduce((last, { turn }) => Math.max(last, turn), 1);
  return read
    .filter((sentence) => isConclusion(sentence.text) && !(isReport(sentence) && lastTurn > 1))
    .map((sentence) => {
      const at = read.indexOf(sentence);
      const relevance = ABOUT * (about[at] ?? 0) + TOPIC * (central[at] ?? 0);
      return { ...sentence, relevance, value: relevance + LATE * (sentence.turn / lastTurn) + concludes(sentence) };
    })
    .sort((one, other) => other.value - one.value || other.turn - one.turn);
}

const ABOUT = 2;
const TOPIC = 2;
const LATE = 1.5;

export function stemsOf(text: string): Set<string> {
  const words =
    text
      .slice(0, 6000)
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  return new Set(words.filter((word) => !isStopWord(word)).map(stemWord));
}

/** What more than one turn speaks of: an aside is not taken up again. */
function findTopic(read: { turn: number; stems: Set<string> }[]): Set<string> {
  const turns = new Map<string, Set<number>>();
  for (const { turn, stems } of read)
    for (const stem of stems) {
      const seen = turns.get(stem);
      if (seen) seen.add(turn);
      else turns.set(stem, new Set([turn]));
    }
  const fewest = new Set(read.map(({ turn }) => turn)).size > 1 ? 2 : 1;
  return new Set([...turns].filter(([, seen]) => seen.size >= fewest).map(([stem]) => stem));
}

const sum = (values: number[]) => values.reduce((all, value) => all + value, 0);

function share(values: number[]): number[] {
  const most = Math.max(...values, Number.MIN_VALUE);
  return values.map((value) => value / most);
}

const PLAN =
  /^(?:(?:so|then|now|next|first|finally|okay|ok|and|will do|understood|got it)[,.]? )*(?:I['’]?ll\b|I will\b|I['’]m (?:going|making|about)|let me\b|let['’]?s\b|can you\b|could you\b|please\b|here(?:['’]s| is)\b|running\b)|\b(?:my|the|our) (?:goal|objective|aim|plan)\b/i;

/** Neither a question nor a plan. */
const isConclusion = (text: string) => !/[?:]["')\]]*$/.test(text.trim()) && !PLAN.test(text);

/** A session begins with what is wrong. */
const isReport = ({ kind, turn, isUser, text }: Sentence) =>
  turn === 1 && isUser && (kind === 'asked' || !RULE.test(text));

/** "Settled: …", "Recap of the contract: …", "Amended rule, superseding the original: …". */
export const RECAP =
  /^(?:(?:so|then|ok(?:ay)?|right|got it|understood|great|perfect)[,:.!—–-]*\s+)*(?:settled|agreed|decided|confirmed|in (?:short|summary)|for the record|to (?:be (?:explicit|clear)|sum(?: it)? up|summari[sz]e|recap)|(?:the |our )?(?:(?:final|full|quick|amended|amendment|updated|revised|corrected|new|agreed|definitive) ?)+(?:\w+)?|recap)\b[^:.?!]{0,90}:\s/i;
const RULE =
  /\b(?:exactly|always|never|must|only|ever|first|then|before|after|unconditional(?:ly)?|regardless|whatever|instead|rather than|reject\w*|raises?|stays?|means|deliberately|no longer|not)\b/i;
const CALLED = /\b(?:rule|policy|contract|standard|convention|agreed|signed off)\b/i;
/** It is named as what holds. */
const NAMED =
  /\b(?:is|are|should be|must be|stays?|means) exactly\b|\bthe (?:[\w-]+ ){0,3}(?:rule|policy|contract|map|mapping|set|order|sequence|budget|limit|standard|overrides?)\b[^.?!:]{0,50}? (?:is|are)\b/i;
/** What it says hangs on the sentence before it. */
export const hangsOn = (text: string) =>
  /^(?:this|that|it|these|those|they|hold on|neither|correct|exactly|only those)\b/i.test(text);
const EXACT = /\d|->|→|=|\b[A-Z][A-Z_]{2,}\b|`|\w_\w/;
const UNSURE =
  /\b(?:might|maybe|perhaps|probably|seems?|sounds? like|suggests?|suspect|I think|apologies|sorry|could)\b|^I['’]d\b/i;

const ANSWERED = { agreed: 1, objected: -4 };

function concludes({ text, kind, isUser, answer }: Sentence): number {
  return (
    (RECAP.test(text) ? 3 : 0) +
    (kind === 'decided' ? 1 : 0) +
    (RULE.test(text) ? 1 : 0) +
    (EXACT.test(text) ? 0.5 : 0) +
    (answer ? ANSWERED[answer] : 0) +
    (isUser && kind !== 'asked' ? 0.3 : 0) +
    (NAMED.test(text) ? 1.5 : 0) +
    (CALLED.test(text) ? 0.7 : 0) +
    (hangsOn(text) ? -0.7 : 0) +
    (UNSURE.test(text) ? -1.5 : 0)
  );
}

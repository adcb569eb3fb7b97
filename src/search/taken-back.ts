// Whether a text takes back what another said. A rule that stays, or that goes for one case alone, is not taken back.
import { listQualifiers, listStems, stemsOf } from './title-words.ts';

const LONGEST = 4000;
const FEWEST = 2;

/** `title` is all that the older one is known by; of the newer, its title stands before all sentences. */
export function takesBack(title: string, newer: { title: string; text: string }): boolean {
  const rule = stemsOf(title);
  if (rule.size < FEWEST) return false;
  return newer.text
    .slice(0, LONGEST)
    .split(/\n|(?<=[.!?])\s+/)
    .some((sentence) => {
      const isTitle = newer.title.includes(sentence.trim());
      if (isDoubtful(isTitle ? sentence : `${newer.title}\n${sentence}`, title)) return false;
      return WAYS.some((isSo) => isSo({ rule, title, sentence, context: isTitle ? '' : newer.title }));
    });
}

/** What says that the rule goes on, that something is like it, or that nothing is settled. */
const DOUBT =
  /\b(?:still|stay(?:s|ed)?|remain\w*|keep(?:s|ing)?|kept|unchanged|also|like|unlike|same|as (?:in|for|with|on|before)|except\w*|only|both|consider\w*|might|could|maybe|perhaps|propos\w+|suggest\w*|tried)\b/gi;

const isDoubtful = (text: string, title: string) =>
  [...text.matchAll(DOUBT)].some(([word]) => !title.toLowerCase().includes(word.toLowerCase()));

type Said = { rule: Set<string>; title: string; sentence: string; context: string };

const INSTEAD =
  /\b(?:instead of|rather than|in place of|replac(?:e|es|ed|ing)|switch(?:ed|ing)? (?:away )?from|mov(?:e|ed|ing) away from)\b/i;
const UNDONE = /\b(?:revert(?:s|ed|ing)?|drop(?:s|ped)|remov(?:e|es|ed|ing)|undid|undone)\b/i;
const NO_LONGER = /\b(?:no longer(?! than)|not any ?more)\b/i;
const FROM_NOW_ON =
  /\b(?:from now on|as of now|going forward|after all|chang\w+ (?:our|my|their) minds?|reconsider\w*)\b/i;
const NEGATION = /\b(?:not|no|never|nobody|none|nothing|without|cannot|\w+n['’]t)\b/i;

const WAYS: ((said: Said) => boolean)[] = [
  /** `Postgres instead of SQLite for the job queue`: all of the rule is spoken of, and no other case. */
  (said) => {
    const cut = cutAt(said.sentence, INSTEAD);
    return cut !== null && isPartOf(said, cut) && namesRule(said, cut);
  },
  /** `Reverted the cap on retries`: what is undone begins the rule or ends it, else it is only one of its words. */
  (said) => {
    const cut = cutAt(said.sentence, UNDONE);
    if (cut === null || !isPartOf(said, cut) || !namesRule(said, cut)) return false;
    const words = listStems(said.title);
    return objectOf(cut.after).some((stem) => stem === words[0] || stem === words.at(-1));
  },
  /** `The endpoint is no longer cached`: it says the rule, whole, and nothing else. */
  ({ rule, sentence }) => {
    const cut = cutAt(sentence, NO_LONGER);
    return cut !== null && isWithin(rule, cut) && covers(cut, rule);
  },
  /** `From now on nobody deploys on Fridays`: it denies what was allowed, or allows what was denied. */
  ({ rule, title, sentence }) => {
    const cut = cutAt(sentence, FROM_NOW_ON);
    if (cut === null || NEGATION.test(title) === NEGATION.test(sentence)) return false;
    return isWithin(rule, cut) && saidIn(cut).filter((stem) => rule.has(stem)).length >= FEWEST;
  },
];

type Cut = { before: string; after: string };

/** The words before and after, up to where something else begins. */
function cutAt(sentence: string, phrase: RegExp): Cut | null {
  const found = phrase.exec(sentence);
  if (!found) return null;
  const after = sentence.slice(found.index + found[0].length).replace(/^\s*,/, '');
  return { before: sentence.slice(0, found.index), after: after.split(ELSE)[0] ?? '' };
}
const ELSE = /[,;—]|\s-\s|\b(?:but|because|since|so that)\b/;

const saidIn = ({ before, after }: Cut) => listStems(`${before} ${after}`);
const FILLER = new Set(listStems('nobody may must shall cannot nothing none anymore ever allowed want need'));

const isWithin = (rule: Set<string>, cut: Cut) => saidIn(cut).every((stem) => rule.has(stem) || FILLER.has(stem));
const covers = (cut: Cut, rule: Set<string>) => {
  const said = new Set(saidIn(cut));
  return [...rule].every((stem) => said.has(stem));
};

/** What is taken back is in the rule, and nobody says that it is not. */
function isPartOf({ rule }: Said, cut: Cut): boolean {
  const object = objectOf(cut.after);
  return object.length > 0 && object.every((stem) => rule.has(stem)) && !NEGATION.test(cut.before);
}

/** The first words after a verb, up to a preposition: `SQLite | for the job queue`. */
export function objectOf(after: string): string[] {
  const [first = ''] = after
    .replace(/^\s*(?:by|in|on|to|with|at)\s+/i, '')
    .split(/\b(?:that|which|who|with|to|by|for|in|on|as|at|of|from|over|under|when|if|before|after|and|or)\b|:/i);
  return listStems(first);
}

function namesRule({ rule, title, context }: Said, cut: Cut): boolean {
  const scope = { before: `${context}\n${cut.before}`, after: cut.after };
  if (!covers(scope, rule)) return false;
  const added = listQualifiers(`${scope.before} ${scope.after}`).filter(({ stem }) => !rule.has(stem));
  if (added.length === 0) return true;
  // `Sessions are stored in Redis`: there the place is what is taken back, and one other comes instead.
  const object = objectOf(cut.after);
  const place = listQualifiers(title).find(({ stem }) => object.includes(stem));
  return place !== undefined && added.length === 1 && added[0]?.lead === place.lead;
}

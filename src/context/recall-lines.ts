// A few sentences of a session that together tell what came of it: each says something new, in the words in which it was said.
import type { MemoryRef } from '../core/memory.ts';
import type { KnownWords } from '../search/known-words.ts';
import type { SessionMemories } from '../store/sessions/session-memories.ts';
import { hangsOn, RECAP, stemsOf, type Weighed } from './recall-weigh.ts';

export type Told = { main: Weighed; title: string; lines: string[] };

const MOST_LINES = 5;
/** A sentence is worth telling beside the best if it is at least so good, of the matter, and so much of it is new. */
const GOOD = 0.4;
const LEAST_BESIDE = 2.5;
const RELEVANT = 0.6;
const RELEVANT_BESIDE = 0.2;
const RELEVANT_OF_USER = 1;
const RELEVANT_RULE = 0.4;
const NEW = 0.35;
const FEWEST_WORDS = 4;
const TITLE = 160;
const MOST_WHERE = 3;
const REJECTED = 220;

type Room = { known: KnownWords; room: number };

/** The best of them and what goes with it; `weighed` is best first. */
export function tellConclusions(weighed: Weighed[], memories: SessionMemories, { known, room }: Room): Told | null {
  const main = weighed.find(({ text, value }) => value >= LEAST && !hangsOn(text));
  if (!main) return null;
  const others = weighed.filter((one) => one !== main);
  const { title, rest } = nameIt(main.text);
  const left = room - title.length - (rest?.length ?? 0) - FOR_REST;
  const chosen = chooseMore(main, others, { known, room: left });
  const told = [main, ...chosen].map(({ text }) => text).join('\n');
  const lines = [
    ...(rest ? [rest] : []),
    ...chosen.map(({ text, isUser }) => `${isUser ? 'User: ' : ''}${withoutOpener(text)}`),
    ...listRejected(memories, told),
    ...listPlaces(memories, told),
  ];
  return { main, title, lines };
}

/** Less is talk. */
const LEAST = 2;
/** For what was rejected, and where. */
const FOR_REST = 120;

/** "Amended rule, superseding uniform-binary: …": what announces a rule is its title. What is long goes on below the title. */
function nameIt(text: string): { title: string; rest: string | null } {
  const said = withoutOpener(text);
  const colon = said.indexOf(': ');
  if (RECAP.test(said) && colon > 0 && colon <= TITLE && said.slice(0, colon).split(' ').length >= 3)
    return { title: said.slice(0, colon), rest: said.slice(colon + 2) };
  if (said.length <= TITLE) return { title: said, rest: null };
  const clause = Math.max(...[', ', '; ', ': ', ' - ', ' — '].map((mark) => said.lastIndexOf(mark, TITLE)));
  const end = clause > TITLE / 3 ? clause + 1 : said.lastIndexOf(' ', TITLE);
  return { title: `${said.slice(0, end).trim()} …`, rest: `… ${said.slice(end).trim()}` };
}

/** Without the nod before it. A name keeps its spelling. */
function withoutOpener(text: string): string {
  const opener =
    /^(?:got it|understood|right|ok(?:ay)?|perfect|excellent|great|done|yes|exactly|correct|so)\s*(?:[,.:!—–]|-(?=\s))\s*(?:so,? )?/i;
  const rest = text.replace(opener, '');
  if (rest.length < 12) return text;
  return /^[a-z]+(?:\s|,)/.test(rest) ? rest.charAt(0).toUpperCase() + rest.slice(1) : rest;
}

/**
 * Best first into the room that there is. Told after the main one are the others of its memory, then the newest turn first. What the
 * agent said before may have been overruled, unless the user agreed to it; what the user said was not.
 */
function chooseMore(main: Weighed, others: Weighed[], { known, room }: Room): Weighed[] {
  const told = new Set(main.stems);
  const chosen: Weighed[] = [];
  let left = room;
  for (const one of others) {
    if (chosen.length === MOST_LINES || one.value < Math.max(LEAST_BESIDE, main.value * GOOD)) break;
    const cost = one.text.length + LINE_COST;
    const relevance = one.relevance + WITH_MAIN * (1 - novelty(one, main.stems, known));
    if (cost > left || !isWorthALine({ ...one, relevance }, main) || novelty(one, told, known) < NEW) continue;
    chosen.push(one);
    left -= cost;
    for (const stem of one.stems) told.add(stem);
  }
  const isBeside = ({ ref }: Weighed) => Number(isSameMemory(ref, main.ref));
  return chosen.sort(
    (one, other) =>
      isBeside(other) - isBeside(one) || other.turn - one.turn || others.indexOf(one) - others.indexOf(other),
  );
}

/** What speaks of the same as the main conclusion is of the matter, whatever the prompt calls it. */
const WITH_MAIN = 2;

function isWorthALine({ text, kind, ref, stems, relevance, isUser, turn, answer }: Weighed, main: Weighed): boolean {
  if (stems.size < FEWEST_WORDS || (isUser && POINTS.test(text))) return false;
  if (isUser)
    return (
      relevance >= (REFUSES.test(text) || (kind === 'decided' && STRICT.test(text)) ? RELEVANT_RULE : RELEVANT_OF_USER)
    );
  if (isSameMemory(ref, main.ref)) return relevance >= RELEVANT_BESIDE;
  const isOverruled = turn < main.turn && !(kind === 'decided' && answer === 'agreed');
  return relevance >= RELEVANT && !isOverruled && !hangsOn(text);
}

const isSameMemory = (one: MemoryRef, other: MemoryRef) => one.kind === other.kind && one.id === other.id;

/** It says that something else is right. */
const POINTS = /^(?:that['’]?s|those|these|this is)\b/i;
const STRICT = /\b(?:must|never|always|only|exactly|not|ever)\b/i;
const REFUSES = /^(?:no|not|never|don['’]?t|do not)\b/i;

/** The break, two spaces, and who said it. */
const LINE_COST = 9;

/** How much of what a sentence tells was not told yet. */
function novelty({ stems }: Weighed, told: Set<string>, known: KnownWords): number {
  let [all, fresh] = [0, 0];
  for (const stem of stems) {
    const weight = known.weight(stem);
    all += weight;
    if (!told.has(stem)) fresh += weight;
  }
  return all === 0 ? 0 : fresh / all;
}

/** What was given up, and what a decision names as not chosen. A bare word says nothing. */
function listRejected({ observations }: SessionMemories, told: string): string[] {
  const about = stemsOf(told);
  const rejected = observations.flatMap(({ type, outcome, title, facts }) => {
    if (outcome === 'ruled-out') return facts.find((fact) => title && fact.startsWith(title)) ?? title ?? [];
    if (type !== 'decision') return [];
    return facts.flatMap((fact) => /^Rejected: (.+?)\.?$/s.exec(fact)?.[1] ?? []);
  });
  const telling = [...new Set(rejected)].reverse().filter((text) => {
    const stems = [...stemsOf(text)];
    return !NO_THING.test(text) && stems.length >= 2 && stems.some((stem) => about.has(stem)) && !told.includes(text);
  });
  const [first, ...more] = telling;
  if (!first) return [];
  const both = [first, ...more.slice(0, 2)].join('; ');
  return [`Rejected: ${both.length <= REJECTED ? both : first}`];
}

/** Half a sentence is no name for what was rejected. */
const NO_THING = /^(?:in|on|at|by|per|with|from|as|via|for|to|is|are|was|were|just|only|so|even|that|\d)\b/i;

const PATH =
  /(?:[\w@.-]+\/)+[\w@.-]*\.\w{1,6}\b|\b[\w-]+\.(?:py|tsx?|jsx?|mjs|go|rs|java|rb|cpp|cs|php|swift|kt|scala|sh|sql|ya?ml|toml|json|md|css|html|vue|svelte)\b/g;

/** The files that were changed, and those that the conversation names, most often first. */
function listPlaces({ observations, prompts }: SessionMemories, told: string): string[] {
  const counts = new Map<string, number>();
  const count = (path: string, weight: number) => counts.set(path, (counts.get(path) ?? 0) + weight);
  for (const { filesModified, title, narrative, facts } of observations) {
    for (const path of filesModified) count(path, CHANGED);
    for (const [path] of [title, narrative, ...facts].join('\n').matchAll(PATH)) count(path, 1);
  }
  for (const { text } of prompts) for (const [path] of text.slice(0, PROMPT_READ).matchAll(PATH)) count(path, 1);
  const paths = [...counts].sort(([, one], [, other]) => other - one).map(([path]) => path);
  const whole = paths.filter((path) => !paths.some((other) => other !== path && other.endsWith(`/${path}`)));
  const places = whole.filter((path) => !told.includes(path)).slice(0, MOST_WHERE);
  return places.length > 0 ? [`Where: ${places.join(', ')}`] : [];
}

const CHANGED = 3;
const PROMPT_READ = 6000;

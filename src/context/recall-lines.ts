// A few sentences of a session that together tell what came of it: each says something new, in the words in which it was said.
import { splitSentences } from '../core/sentences.ts';
import type { KnownWords } from '../search/known-words.ts';
import type { SessionMemories } from '../store/session-memories.ts';
import { RECAP, stemsOf, type Weighed } from './recall-weigh.ts';

export type Told = { main: Weighed; title: string; lines: string[] };

const MOST_LINES = 6;
/** A sentence is worth telling beside the best if it is at least so good, and so much of it is new. */
const GOOD = 0.5;
const NEW = 0.4;
const TITLE = 150;
const MOST_WHERE = 3;
const REJECTED_LENGTH = 200;

/** Null when nothing was concluded. */
export function tellConclusions(
  weighed: Weighed[],
  memories: SessionMemories,
  { known, room }: { known: KnownWords; room: number },
): Told | null {
  const [main] = weighed;
  if (!main || main.value < LEAST) return null;
  const { title, rest } = nameIt(main.text);
  const chosen = chooseMore(weighed, main, { known, room: room - title.length - (rest?.length ?? 0) - FOR_REST });
  const told = [main, ...chosen].map(({ text }) => text).join('\n');
  const lines = [
    ...(rest ? [rest] : []),
    ...chosen.map(({ text, isUser }) => (isUser ? `User: ${text}` : withoutOpener(text))),
    ...listRejected(memories, told),
    ...listPlaces(memories, told),
  ];
  return { main, title, lines };
}

/** Less is talk. */
const LEAST = 2;
/** For what was rejected, and where. */
const FOR_REST = 120;

/** What a sentence announces is its title, where there is such a thing: "Amended rule, superseding uniform-binary: …". */
function nameIt(text: string): { title: string; rest: string | null } {
  const said = withoutOpener(text);
  const at = said.indexOf(': ');
  if (RECAP.test(said) && at > 0 && at <= TITLE && said.slice(0, at).split(' ').length >= 3)
    return { title: said.slice(0, at), rest: said.slice(at + 2) };
  if (said.length <= TITLE) return { title: said, rest: null };
  const end = Math.max(
    said.lastIndexOf(', ', TITLE_CUT),
    said.lastIndexOf('; ', TITLE_CUT),
    said.lastIndexOf(': ', TITLE_CUT),
  );
  return { title: end > 30 ? said.slice(0, end) : `${said.slice(0, said.lastIndexOf(' ', TITLE_CUT))} …`, rest: said };
}
const TITLE_CUT = 90;

const withoutOpener = (text: string) => {
  const rest = text.replace(
    /^(?:got it|understood|right|ok(?:ay)?|perfect|excellent|great|done|so)\s*(?:[,.:!—–]|-(?=\s))\s*(?:so,? )?/i,
    '',
  );
  return rest.length >= 12 ? rest : text;
};

/** Best first into the room that there is; then in the order of the conversation, the newest turn first. */
function chooseMore(
  weighed: Weighed[],
  main: Weighed,
  { known, room }: { known: KnownWords; room: number },
): Weighed[] {
  const told = new Set(main.stems);
  const chosen: Weighed[] = [];
  let left = room;
  const novelty = ({ stems }: Weighed) => {
    const weights = [...stems].map((stem) => [stem, known.weight(stem)] as const);
    const all = weights.reduce((sum, [, weight]) => sum + weight, 0) || 1;
    return weights.reduce((sum, [stem, weight]) => sum + (told.has(stem) ? 0 : weight), 0) / all;
  };
  for (const one of weighed.slice(1)) {
    if (chosen.length === MOST_LINES || one.value < main.value * GOOD) break;
    if (one.text.length + 10 > left || novelty(one) < NEW) continue;
    chosen.push(one);
    left -= one.text.length + 10;
    for (const stem of one.stems) told.add(stem);
  }
  return chosen.sort((one, other) => other.turn - one.turn || weighed.indexOf(one) - weighed.indexOf(other));
}

/** What was given up, and what a decision names as not chosen. A bare word says nothing. */
function listRejected({ observations }: SessionMemories, told: string): string[] {
  const about = stemsOf(told);
  const rejected = observations.flatMap(({ type, outcome, title, facts }) => {
    if (outcome === 'ruled-out') return title ? [title] : [];
    if (type !== 'decision') return [];
    return facts.flatMap((fact) => /^Rejected: (.+?)\.?$/s.exec(fact)?.[1] ?? []);
  });
  const telling = [...new Set(rejected)].filter((text) => {
    const stems = [...stemsOf(text)];
    return stems.length >= 2 && stems.some((stem) => about.has(stem)) && !told.includes(text);
  });
  const line = telling.slice(-3).reverse().join('; ');
  return line && line.length <= REJECTED_LENGTH ? [`Rejected: ${line}.`] : [];
}

const PATH =
  /(?:[\w@.-]+\/)+[\w@.-]*\.\w{1,6}\b|\b[\w-]+\.(?:py|tsx?|jsx?|mjs|go|rs|java|rb|cpp|cs|php|swift|kt|scala|sh|sql|ya?ml|toml|json|md|css|html|vue|svelte)\b/g;

/** The files that were changed, and those that the conversation names, most often first. */
function listPlaces({ observations, prompts }: SessionMemories, told: string): string[] {
  const counts = new Map<string, number>();
  const count = (path: string, weight: number) => counts.set(path, (counts.get(path) ?? 0) + weight);
  for (const { filesModified, title, narrative, facts } of observations) {
    for (const path of filesModified) count(path, 3);
    for (const [path] of [title, narrative, ...facts].join('\n').matchAll(PATH)) count(path, 1);
  }
  for (const { text } of prompts) for (const [path] of text.slice(0, 6000).matchAll(PATH)) count(path, 1);
  const paths = [...counts].sort(([, one], [, other]) => other - one).map(([path]) => path);
  const whole = paths.filter((path) => !paths.some((other) => other !== path && other.endsWith(`/${path}`)));
  const places = whole.filter((path) => !told.includes(path)).slice(0, MOST_WHERE);
  return places.length > 0 ? [`Where: ${places.join(', ')}`] : [];
}

/** For a search for what came later: what the session concluded, in a few sentences. */
export const conclusionText = ({ main, lines }: Told) =>
  [main.text, ...lines.flatMap((line) => splitSentences(line))].join(' ').slice(0, CONCLUSION);
const CONCLUSION = 600;

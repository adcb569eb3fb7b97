// How good the memories are that a case leaves: found truths, false ones, claims that must not be made, reversals, open steps.

import { callApi } from '../../src/client/api.ts';
import type { Memory, RecapAnswer } from '../../src/core/shapes/memory.ts';
import { type Case, holds, holdsAll, type Placed, plain } from './case.ts';
import type { Played } from './play.ts';

export type MemoryScore = {
  truths: number;
  found: number;
  /** Of those found: of the kind that the case names. */
  ofKind: number;
  observations: number;
  /** They match no truth and nothing that is fine, too. */
  unmatched: number;
  wrongClaims: number;
  /** Given as current though it is no longer so. */
  stale: number;
  staleOf: number;
  /** Titles with a word of what the memory is about. */
  named: number;
  /** Said plainly, of what was remembered: what nobody remembers cannot be given as current. */
  reversals: number;
  replaced: number;
  /** Decided again in other words. */
  reworded: number;
  rewordedReplaced: number;
  /** Memories with a mark of replacement, certain or maybe; of these, what was reversed or is no longer so. */
  marked: number;
  markedRight: number;
  /** Decisions that hold and are remembered; of these, all memories are marked as replaced for sure. */
  current: number;
  hidden: number;
  open: number;
  openRight: number;
  wantedOpen: number;
  foundOpen: number;
};

const ZERO: MemoryScore = {
  truths: 0,
  found: 0,
  ofKind: 0,
  observations: 0,
  unmatched: 0,
  wrongClaims: 0,
  stale: 0,
  staleOf: 0,
  named: 0,
  reversals: 0,
  replaced: 0,
  reworded: 0,
  rewordedReplaced: 0,
  marked: 0,
  markedRight: 0,
  current: 0,
  hidden: 0,
  open: 0,
  openRight: 0,
  wantedOpen: 0,
  foundOpen: 0,
};

export type MemoryResult = { english: MemoryScore; others: MemoryScore; missed: string[] };

export async function scoreMemories(cases: Case[], played: Played): Promise<MemoryResult> {
  const result: MemoryResult = { english: { ...ZERO }, others: { ...ZERO }, missed: [] };
  for (const one of cases) {
    const score = result[one.language === 'en' ? 'english' : 'others'];
    // A case of questions alone says nothing of what is to be remembered, one of endings alone only what is left open.
    if (one.truths.length > 0) {
      const all = await readObserved(played, one);
      scoreTruths(one, all, score, result.missed);
      scoreClaims(one, all, score);
      scoreReversals(one, all, score);
    }
    if (one.truths.length + one.openSteps.length > 0) await scoreSteps(one, played, score, result.missed);
  }
  return result;
}

/** `told`: its title and facts; `said`: all of its words. `isCurrent`: given without any mark, neither certain nor maybe. */
type Observed = Omit<Memory, 'turn'> & { said: string; told: string; turn: number; isCurrent: boolean };

/** Every observation of a case's project, with its turn counted over all of its sessions. */
async function readObserved(played: Played, one: Case): Promise<Observed[]> {
  const cwd = played.places.get(one.name)?.root ?? '';
  const ids: string[] = [];
  for (let offset = 0; ; offset += 100) {
    const page = await played.api.search({ query: '', cwd, type: TYPES, limit: 100, offset });
    ids.push(...page.results.map(({ id }) => id));
    if (page.results.length < 100) break;
  }
  const { memories } = await played.api.readMemories(ids);
  const sessions = [...new Set(memories.toSorted((a, b) => a.at - b.at).flatMap(({ session }) => session ?? []))];
  const before = sessionOffsets(one, sessions);
  return memories.map((memory) => ({
    ...memory,
    told: plain([memory.title, ...memory.facts].join('\n')),
    said: plain([memory.title, memory.subtitle, memory.narrative, ...memory.facts].filter(Boolean).join('\n')),
    turn: (before.get(memory.session ?? '') ?? 0) + (memory.promptNumber ?? 0),
    isCurrent: memory.replacedBy === null && memory.outcome !== 'ruled-out',
  }));
}

const TYPES = ['decision', 'bugfix', 'feature', 'refactor', 'discovery', 'change'];

/** How many turns came in earlier sessions. Scripted sessions are numbered in their ids (play.ts). */
function sessionOffsets(one: Case, sessions: string[]): Map<string, number> {
  const counts = (one.sessions ?? []).map(({ turns }) => turns.length);
  return new Map(
    sessions.map((session) => {
      const at = one.sessions ? Number(session.slice(-12)) - 1 : 0;
      return [session, counts.slice(0, at).reduce((sum, count) => sum + count, 0)];
    }),
  );
}

function scoreTruths(one: Case, all: Observed[], score: MemoryScore, missed: string[]): void {
  score.truths += one.truths.length;
  for (const truth of one.truths) {
    const matching = all.filter((memory) => isTruth(memory, truth));
    score.found += Number(matching.length > 0);
    score.ofKind += Number(matching.some(({ type }) => type === truth.kind));
    if (matching.length === 0) missed.push(`${one.name}: no memory of turn ${truth.turn}: ${JSON.stringify(truth.words)}`);
  }
  score.observations += all.length;
  const fine: Placed[] = [...one.truths, ...one.alsoFine, ...one.reversals.map((reversal) => reversal.old)];
  for (const memory of all) {
    const isFine = fine.some((other) => isMatch(memory, other));
    score.unmatched += Number(!isFine);
    if (!isFine) missed.push(`${one.name}: turn ${memory.turn}, not asked for: ${memory.title}`);
    score.named += Number(namesSubject(memory));
  }
}

/** All of its words in title or facts of one observation, about its file if it names one. */
function isTruth({ told, filesModified, filesRead }: Observed, { words, file }: Case['truths'][number]): boolean {
  const isAbout = file === undefined || [...filesModified, ...filesRead].some((path) => path.endsWith(file) || file.endsWith(path));
  return isAbout && holdsAll(told, words);
}

/** All of its words, or most of them in the very turn. */
function isMatch({ said, turn }: Observed, { words, turn: wanted }: Placed): boolean {
  return holdsAll(said, words) || ((wanted === undefined || wanted === turn) && holdsMost(said, words));
}

/** Two of three; of two words both. */
const holdsMost = (text: string, words: Placed['words']): boolean =>
  words.filter((word) => holds(text, word)).length >= Math.ceil((words.length * 2) / 3);

/** A word of some length that its facts or files have, too. Where a script has no blanks, a run of Han or of katakana is a word. */
function namesSubject({ title, facts, narrative, filesModified, filesRead }: Observed): boolean {
  const about = plain([...facts, narrative ?? '', ...filesModified, ...filesRead].join('\n'));
  const words = plain(title).match(WORDS) ?? [];
  return words.length >= 2 && (about === '' || words.some((word) => about.includes(word)));
}

const WORDS =
  /(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])[\p{L}\p{N}_.-]){4,}|\p{Script=Han}{2,}|[\p{Script=Katakana}ー]{2,}/gu;

/** `KEEP = 72 (was 24)`: a fact that names the old value so does not give it as current. */
const WAS = /\(was [^()]*(?:\([^()]*\))?[^()]*\)/g;

function scoreClaims(one: Case, all: Observed[], score: MemoryScore): void {
  for (const { words, current } of one.mustNot) {
    const claiming = all.filter((memory) => memory.isCurrent && holdsAll(memory.said.replace(WAS, ''), words));
    if (current) {
      score.staleOf++;
      score.stale += Number(claiming.length > 0);
    } else score.wrongClaims += claiming.length;
  }
}

function scoreReversals(one: Case, all: Observed[], score: MemoryScore): void {
  for (const { old, plain: isPlain } of one.reversals) {
    const olds = all.filter(({ said, turn }) => turn === old.turn && holdsAll(said, old.words));
    if (olds.length === 0) continue;
    const isReplaced = olds.every(({ isCurrent }) => !isCurrent);
    score[isPlain ? 'reversals' : 'reworded']++;
    score[isPlain ? 'replaced' : 'rewordedReplaced'] += Number(isReplaced);
  }
  const isOver = (memory: Observed) =>
    one.reversals.some(({ old }) => old.turn === memory.turn && holdsMost(memory.said, old.words)) ||
    one.mustNot.some(({ words, current }) => current && holdsAll(memory.said, words));
  const marked = all.filter(({ replacedBy }) => replacedBy !== null);
  score.marked += marked.length;
  score.markedRight += marked.filter(isOver).length;
  const replacedTurns = new Set(one.reversals.map(({ old }) => old.turn));
  for (const truth of one.truths.filter(({ turn, kind }) => kind === 'decision' && !replacedTurns.has(turn))) {
    const matching = all.filter((memory) => isTruth(memory, truth));
    score.current += Number(matching.length > 0);
    score.hidden += Number(matching.length > 0 && matching.every(({ replacedBy }) => replacedBy?.isCertain));
  }
}

async function scoreSteps(one: Case, played: Played, score: MemoryScore, missed: string[]): Promise<void> {
  const cwd = played.places.get(one.name)?.root ?? '';
  const query = new URLSearchParams({ cwd, since: '2000-01-01' });
  const recap = (await callApi(played.paths, `/api/recap?${query}`, { timeoutMs: 15_000 })) as RecapAnswer;
  const open = recap.projects.flatMap((project) => project.open.map(({ text }) => plain(text)));
  const isWanted = (text: string) => one.openSteps.some(({ words }) => holdsMost(text, words));
  score.open += open.length;
  score.openRight += open.filter(isWanted).length;
  score.wantedOpen += one.openSteps.length;
  const isFound = ({ words }: Placed) => open.some((text) => holdsMost(text, words));
  score.foundOpen += one.openSteps.filter(isFound).length;
  for (const { turn, words } of one.openSteps.filter((step) => !isFound(step)))
    missed.push(`${one.name}: open since turn ${turn}, not told: ${JSON.stringify(words)}`);
  for (const text of open.filter((text) => !isWanted(text))) missed.push(`${one.name}: not open: ${text.slice(0, 100)}`);
}

const share = (part: number, all: number) => (all === 0 ? '   –' : (part / all).toFixed(2).padStart(4));

export function describeMemories(name: string, score: MemoryScore): string[] {
  const row = (what: string, part: number, all: number) => `  ${what.padEnd(50)}${share(part, all)}  (${part} of ${all})`;
  return [
    `${name}`,
    row('truths found (recall)', score.found, score.truths),
    row('of the kind named', score.ofKind, score.found),
    row('observations that are fine (precision)', score.observations - score.unmatched, score.observations),
    row('wrong claims', score.wrongClaims, score.observations),
    row('no longer so, given as current', score.stale, score.staleOf),
    row('titles that name their subject', score.named, score.observations),
    row('plain reversals of what was remembered, marked', score.replaced, score.reversals),
    row('decided again in other words', score.rewordedReplaced, score.reworded),
    row('marks of replacement on what is over', score.markedRight, score.marked),
    row('current decisions wrongly hidden', score.hidden, score.current),
    row('open steps that are open (precision)', score.openRight, score.open),
    row('open steps found (recall)', score.foundOpen, score.wantedOpen),
  ];
}

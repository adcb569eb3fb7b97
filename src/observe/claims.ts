// What a model says to be replaced or done by a turn, read from its kept answer each time: a rebuild asks nobody.
import type { Database } from 'bun:sqlite';
import type { MemoryRef } from '../core/memory.ts';
import { splitSentences } from '../core/text.ts';
import { contentWords } from '../memory/content-words.ts';
import { closeStep, readOpenStep, reopenSteps } from '../memory/open-steps.ts';
import { addReplacement, dropDerived } from '../memory/replacements.ts';
import { type ParsedClaim, parseAnswer } from '../model/answer.ts';
import { listKeptAnswers } from '../store/model-calls.ts';
import { readAll } from '../store/read.ts';
import { isUntrustedAt } from '../turns/record.ts';
import { hasOtherNumber } from './replaces.ts';
import type { Place } from './settle.ts';
import type { ObservedTurn } from './turn.ts';

/** Inside a transaction. Done again, it leaves the same rows; without a kept answer, those that are there. */
export function applyClaims(db: Database, place: Place, now: ObservedTurn): void {
  const answers = listKeptAnswers(db, place);
  if (answers.length === 0) return;
  const files = now.record.steps.flatMap((step) => (step.kind === 'edited' || step.kind === 'read' ? [step.file] : []));
  const turn: Turn = { ...place, files, ...hear(now) };
  dropDerived(db, place, 'model');
  reopenSteps(db, place, 'model');
  for (const { answer, decisions, steps } of answers) {
    const { replaced, closed } = parseAnswer(answer);
    for (const claim of replaced) if (decisions.includes(claim.id)) replace(db, turn, claim);
    for (const claim of closed) if (steps.includes(claim.id)) close(db, turn, claim);
  }
}

/** `said`: by the agent, about its work; nothing that may come from outside. */
type Turn = Place & { asked: Line[]; said: Line[]; files: string[] };

/** Output, pages and foreign tools are nobody's word: what stands there shows nothing. */
function hear({ prompt, record: { steps, closing } }: ObservedTurn): Pick<Turn, 'asked' | 'said'> {
  const [asked, said] = [[prompt], isUntrustedAt(steps, steps.length) ? [] : [closing]];
  for (const [at, step] of steps.entries()) {
    if (step.kind === 'asked') asked.push(step.answer);
    if (step.kind === 'planned' || step.kind === 'refused') asked.push(step.feedback);
    if (step.kind === 'said' && !isUntrustedAt(steps, at)) said.push(step.text);
    if (step.kind === 'committed') said.push(step.message);
    if (step.kind === 'ran' && step.isOk) said.push(step.command);
    if (step.kind === 'edited') said.push(step.diff.replace(/^[-+]/gm, ''));
  }
  return { asked: asked.flatMap(linesOf), said: said.flatMap(linesOf) };
}

/** A line, and its sentences. */
type Line = { text: string; sentences: string[] };

const linesOf = (text: string): Line[] =>
  text
    .split('\n')
    .map((line) => ({ text: plain(line), sentences: splitSentences(line).map(plain) }))
    .filter((line) => line.text !== '');

const plain = (text: string) =>
  text
    .replace(/[`*"“”«»]/g, '')
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase();

/** The sentences of the turn that the quoted words stand in; null when they stand nowhere in it. */
function findQuote(lines: Line[], words: string): string | null {
  const quoted = words
    .split('\n')
    .map((line) =>
      plain(line)
        .replace(/^…|(?:…|\.\.\.)$/g, '')
        .trim(),
    )
    .filter(Boolean);
  if (contentWords(quoted.join(' ')).size === 0) return null;
  const found = quoted.map((part) => {
    const line = lines.find(({ text }) => text.includes(part));
    return line && [part, ...line.sentences.filter((sentence) => sentence.includes(part))].join('\n');
  });
  return found.every((sentence) => sentence !== undefined) ? found.join('\n') : null;
}

type Older = { id: number; projectId: number; title: string; text: string; files: string; origin: string };

function replace(db: Database, turn: Turn, { id, words, isPart }: ParsedClaim): void {
  const older = readObservations(db, 'o.id = ?', [id])[0];
  if (!older) return;
  const byUser = findQuote(turn.asked, words);
  const quote = byUser ?? (older.origin === 'user' ? null : findQuote(turn.said, words));
  if (quote === null || !shares(older, quote, turn.files)) return;
  addReplacement(db, {
    older: { kind: 'observation', id },
    newer: findNewer(db, turn, older, quote),
    isCertain: !isPart && (byUser !== null || hasOtherNumber(words, [older.title])),
    why: 'model',
    words,
    madeBy: 'model',
    at: turn.at,
  });
}

function close(db: Database, turn: Turn, { id, words }: ParsedClaim): void {
  const step = readOpenStep(db, id);
  const quote = findQuote([...turn.asked, ...turn.said], words);
  if (!step || quote === null || !shares({ text: step.text, files: '[]' }, quote, turn.files)) return;
  closeStep(db, id, { sessionId: turn.sessionId, promptNumber: turn.promptNumber, how: 'model', at: turn.at });
}

/** A word, a number or a file: without any, the two are about different things. */
function shares({ text, files }: Pick<Older, 'text' | 'files'>, quote: string, touched: string[]): boolean {
  const words = contentWords(quote);
  const numbers = new Set(numbersOf(quote));
  return (
    [...contentWords(text)].some((word) => words.has(word)) ||
    numbersOf(text).some((number) => numbers.has(number)) ||
    touched.some((file) => files.includes(JSON.stringify(file)) || text.includes(file))
  );
}

const numbersOf = (text: string): string[] => text.match(/\d+(?:[.,]\d+)*/g) ?? [];

/** What the turn itself left about it; else the turn. */
function findNewer(db: Database, turn: Turn, older: Older, quote: string): MemoryRef {
  const own = readObservations(db, 'o.session_id = ? AND o.prompt_number = ? AND o.hidden_at IS NULL', [turn.sessionId, turn.promptNumber]);
  const words = contentWords(quote);
  const score = (one: Older) =>
    one.projectId === older.projectId ? [...contentWords(one.text)].filter((word) => words.has(word)).length : 0;
  const best = own.toSorted((one, other) => score(other) - score(one))[0];
  return best && score(best) > 1 ? { kind: 'observation', id: best.id } : { kind: 'prompt', id: turn.promptId };
}

const readObservations = (db: Database, where: string, values: number[]): Older[] => {
  const sql = `SELECT o.id, o.project_id AS projectId, coalesce(o.title, '') AS title, o.files_modified || o.files_read AS files, o.origin,
      coalesce(o.title, '') || ' ' || coalesce(CASE WHEN json_valid(o.facts) THEN
        (SELECT group_concat(json_extract(value, '$.text'), ' ') FROM json_each(o.facts)) END, '') AS text
    FROM observations o WHERE ${where} ORDER BY o.id`;
  return readAll<Older>(db, sql, ...values);
};

// What people say of an observation: that it matters, that it is not so, or what it should say. Each inside a transaction.
import type { Database } from 'bun:sqlite';
import { z } from 'zod';
import { readsLikeInstructions } from '../../core/instruction-like.ts';
import type { ObservationType } from '../../core/observation.ts';
import { estimateTokens } from '../../core/tokens.ts';
import { INJECTED_TRUST, TRUST } from '../../core/trust.ts';
import { scrubValue } from '../../secrets/scrub.ts';
import { keepModelAway } from '../forgetting/hide.ts';
import { unsayInSummaries } from '../forgetting/unsay.ts';
import { addDocument, removeDocument } from '../index/documents.ts';
import { renameSession } from '../sessions/session-words.ts';
import { isoTime } from '../time.ts';
import { hashContent, readableText, type StoredContent } from './observations.ts';

export function isCorrectable(db: Database, id: number): boolean {
  return db.query('SELECT 1 FROM observations WHERE id = ? AND hidden_at IS NULL').get(id) !== null;
}

export function pinObservation(db: Database, id: number, isPinned: boolean): void {
  db.query('UPDATE observations SET pinned = ? WHERE id = ?').run(Number(isPinned), id);
}

export function markWrong(db: Database, id: number, at: number | null): void {
  db.query('UPDATE observations SET wrong_at = ? WHERE id = ?').run(at === null ? null : isoTime(at), id);
}

/** A model that is still to look at its turn would replace what a person has decided about. */
export const settle = (db: Database, id: number) =>
  keepModelAway(db, { kind: 'observation', id }, 'a person corrected a memory of it');

export type NewWords = {
  type?: ObservationType | undefined;
  title?: string | undefined;
  subtitle?: string | null | undefined;
  narrative?: string | null | undefined;
  facts?: string[] | undefined;
};

/** The old words are kept nowhere. What stood below the title goes with a new title, unless the person says it anew. */
export function rewriteObservation(db: Database, id: number, given: NewWords, at: number): void {
  const words = scrubValue(given).value;
  const old = readStored(db, id);
  if (!old) return;
  const isReworded = [words.title, words.subtitle, words.narrative, words.facts].some((said) => said !== undefined);
  const facts = words.facts ? words.facts.map((text) => keepSources(text, old.parsedFacts)) : old.parsedFacts;
  const content: StoredContent = {
    ...old.content,
    type: words.type ?? old.content.type,
    title: words.title ?? old.content.title,
    subtitle: chooseSubtitle(words, old.content),
    narrative: words.narrative === undefined ? old.content.narrative : words.narrative,
    facts: JSON.stringify(facts),
  };
  const isAllNew = isNewThroughout(words, old.content);
  db.query(
    `UPDATE observations SET type = $type, title = $title, subtitle = $subtitle, narrative = $narrative, facts = $facts,
       tokens = $tokens, hash = $hash, edited_at = $at, trust = $trust, quarantined = $isQuarantined WHERE id = $id`,
  ).run({
    id,
    type: content.type,
    title: content.title,
    subtitle: content.subtitle,
    narrative: content.narrative,
    facts: content.facts,
    tokens: estimateTokens(readableText({ ...content, facts })),
    hash: hashContent(content),
    at: isoTime(at),
    trust: isReworded && (isAllNew || old.trust >= INJECTED_TRUST) ? Math.max(old.trust, TRUST.user) : old.trust,
    isQuarantined: Number(
      old.quarantined === 1 && !isAllNew && readsLikeInstructions(readableText({ ...content, facts })),
    ),
  });
  // What sessions were told in the old words is not shown again.
  const said = listTexts(content, facts);
  const unsaid = listTexts(old.content, old.parsedFacts).filter((text) => !said.includes(text));
  if (isReworded) {
    db.query('UPDATE injections SET text = NULL WHERE observation_id = ?').run(id);
    unsayInSummaries(db, { ...old.place, texts: unsaid });
  }
  removeDocument(db, { kind: 'observation', id });
  addDocument(db, { kind: 'observation', id });
  if (isReworded) renameSession(db, { kind: 'observation', id }, unsaid);
}

function chooseSubtitle({ title, subtitle, narrative }: NewWords, old: StoredContent): string | null {
  if (subtitle !== undefined) return subtitle;
  return title !== undefined || narrative !== undefined ? null : old.subtitle;
}

const Facts = z.array(z.object({ text: z.string(), sources: z.array(z.string()).default([]) }));
type StoredFact = z.output<typeof Facts>[number];

type Place = { sessionId: number; promptNumber: number | null };

const listTexts = ({ title, subtitle, narrative }: StoredContent, facts: StoredFact[]): string[] =>
  [title, subtitle, narrative, ...facts.map(({ text }) => text)].flatMap((text) => text ?? []);

function readStored(db: Database, id: number) {
  const row = db
    .query<StoredContent & Place & { trust: number; quarantined: number }, [number]>(
      `SELECT type, title, subtitle, narrative, facts, concepts, files_read AS filesRead, files_modified AS filesModified, outcome,
         trust, quarantined, session_id AS sessionId, prompt_number AS promptNumber FROM observations WHERE id = ?`,
    )
    .get(id);
  if (!row) return null;
  const { trust, quarantined, sessionId, promptNumber, ...content } = row;
  const parsedFacts = Facts.parse(JSON.parse(content.facts));
  return { content, trust, quarantined, place: { sessionId, promptNumber }, parsedFacts };
}

/** A sentence that stays still rests on what it was read from. */
const keepSources = (text: string, old: StoredFact[]): StoredFact =>
  old.find((fact) => fact.text === text) ?? { text, sources: [] };

/** Nothing is left of what somebody else said: only then are words from outside a person's own. */
const isNewThroughout = (words: NewWords, old: StoredContent) =>
  words.title !== undefined &&
  (words.narrative !== undefined || old.narrative === null) &&
  (words.facts !== undefined || old.facts === '[]');

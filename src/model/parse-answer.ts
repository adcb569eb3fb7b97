// Reads a model's answer, however badly written, into what it says. Never throws, in time that grows with the text alone.

import { cleanText } from './parse/clean-text.ts';
import { type Fields, type Found, readElements } from './parse/elements.ts';
import { readLine, readList, readNumbers, readText, readType } from './parse/read-values.ts';
import { readTokens } from './parse/tokens.ts';
import type { ParsedAnswer, ParsedClaim, ParsedObservation, ParsedSummary } from './parsed-answer.ts';

/** More than any answer that is asked for; of a longer one the head counts. */
const MOST_READ = 512 * 1024;
const MOST_OBSERVATIONS = 50;
const MOST_CLAIMS = 20;
const MOST_STEPS = 12;
const MOST_WORDS = 600;
const TITLE = 300;
const SUBTITLE = 500;
const NARRATIVE = 8000;
const SUMMARY_TEXT = 4000;
const FACTS = { count: 40, length: 1000, isOfNames: false };
const CONCEPTS = { count: 20, length: 60, isOfNames: true };
const FILES = { count: 100, length: 500, isOfNames: true };

export function parseAnswer(text: string): ParsedAnswer {
  const { tokens, isCut } = readTokens(text.slice(0, MOST_READ));
  const { found, isBroken, hasHalf } = readElements(tokens);
  const ofKind = (kind: Found['kind']) => found.filter((one) => one.kind === kind).map(({ fields }) => fields);
  const session = ofKind('session').find((fields) => !isBlank(fields)) ?? new Map();
  const skippedSummary = reasonOf(ofKind('skip'));
  const isReadable = found.some(isGrammar);
  return {
    observations: readObservations(ofKind('observation')),
    // As the seeds have it: a skip counts before anything else that is said about the turn.
    summary: skippedSummary === null ? readSummary(ofKind('summary')) : null,
    skippedSummary,
    nothingToRecord: reasonOf(ofKind('nothing')),
    replaced: ofKind('replaced').slice(0, MOST_CLAIMS).flatMap(readClaim),
    closed: ofKind('closed').slice(0, MOST_CLAIMS).flatMap(readClaim),
    sessionTitle: readLine(session, 'title', TITLE),
    sessionSubtitle: readLine(session, 'subtitle', SUBTITLE),
    isReadable,
    isPartial: isReadable && (isCut || isBroken || text.length > MOST_READ),
    isWhole: isReadable && !isCut && !hasHalf && text.length <= MOST_READ,
  };
}

/** `<summary>` is also a tag of HTML, and prose may name any of ours: only with a field of ours is it an element of ours. */
function isGrammar({ kind, fields }: Found): boolean {
  return kind === 'wrapper' || fields.size > 0;
}

function reasonOf(marks: Fields[]): string | null {
  const [mark] = marks;
  return mark ? (readLine(mark, 'reason', SUBTITLE) ?? '') : null;
}

function readObservations(elements: Fields[]): ParsedObservation[] {
  const observations: ParsedObservation[] = [];
  for (const fields of elements) {
    const observation = isBlank(fields) ? null : readObservation(fields);
    if (observation && hasContent(observation)) observations.push(observation);
    if (observations.length === MOST_OBSERVATIONS) break;
  }
  return observations;
}

function isBlank(fields: Fields): boolean {
  for (const values of fields.values()) if (values.some(({ text }) => text.trim() !== '')) return false;
  return true;
}

function readObservation(fields: Fields): ParsedObservation {
  const type = readType(fields);
  // The earliest format had a text and nothing else.
  const text = readText(fields, 'text', NARRATIVE);
  return {
    type,
    title: readLine(fields, 'title', TITLE) ?? (text === null ? null : firstSentence(text)),
    subtitle: readLine(fields, 'subtitle', SUBTITLE),
    narrative: readText(fields, 'narrative', NARRATIVE) ?? text,
    facts: readList(fields, 'facts', FACTS),
    concepts: readList(fields, 'concepts', CONCEPTS).filter((concept) => concept.toLowerCase() !== type),
    filesRead: readList(fields, 'filesRead', FILES),
    filesModified: readList(fields, 'filesModified', FILES),
    sources: readNumbers(fields, 'sources'),
    isUnverified: readLine(fields, 'outcome', 40)?.toLowerCase() === 'unverified',
  };
}

function firstSentence(text: string): string | null {
  const line = cleanText(text.split('\n', 1)[0] ?? '', NARRATIVE) ?? '';
  const end = line.search(/[.!?。](?:\s|$)/);
  return readLine(new Map([['title', [{ text: end > 0 ? line.slice(0, end) : line, isItem: true }]]]), 'title', 80);
}

function hasContent({ title, subtitle, narrative, facts, concepts, filesRead, filesModified }: ParsedObservation) {
  return (
    [title, subtitle, narrative].some((text) => text !== null) ||
    [facts, concepts, filesRead, filesModified].some((list) => list.length > 0)
  );
}

/** The first that says something; one with nothing but empty fields is still a summary. */
function readSummary(elements: Fields[]): ParsedSummary | null {
  const summaries = elements.filter((fields) => fields.size > 0).slice(0, MOST_OBSERVATIONS);
  const read = summaries.map(summaryOf);
  return read.find((summary) => Object.values(summary).some((value) => value?.length)) ?? read[0] ?? null;
}

function summaryOf(fields: Fields): ParsedSummary {
  return {
    request: readText(fields, 'request', SUMMARY_TEXT),
    investigated: readText(fields, 'investigated', SUMMARY_TEXT),
    learned: readText(fields, 'learned', SUMMARY_TEXT),
    completed: readText(fields, 'completed', SUMMARY_TEXT),
    nextSteps: readSteps(fields),
    filesRead: readList(fields, 'filesRead', FILES),
    filesEdited: readList(fields, 'filesEdited', FILES),
    notes: readText(fields, 'notes', SUMMARY_TEXT),
  };
}

/** A line for each that has a tag of its own; else as it stands there. */
function readSteps(fields: Fields): string | null {
  const steps = fields.get('nextSteps') ?? [];
  if (!steps.some(({ isItem }) => isItem)) return readText(fields, 'nextSteps', SUMMARY_TEXT);
  const lines = steps
    .slice(0, 100)
    .map(({ text }) => cleanText(text, TITLE)?.replace(/\s+/g, ' '))
    .filter(Boolean);
  return (
    lines
      .slice(0, MOST_STEPS)
      .map((line) => `- ${line}`)
      .join('\n') || null
  );
}

function readClaim(fields: Fields): ParsedClaim[] {
  const [id] = readNumbers(fields, 'id');
  const words = readText(fields, 'words', MOST_WORDS);
  // What is not said to be all of it is a part.
  return id === undefined || words === null
    ? []
    : [{ id, words, isPart: readLine(fields, 'part', 20)?.toLowerCase() !== 'whole' }];
}

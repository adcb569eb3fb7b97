// What may come in of what others made: the same checks as for what a hook brings, and nobody speaks as the user but the user.

import type { Database } from 'bun:sqlite';
import { isExcludedFile } from '../capture/exclusions.ts';
import type { CaptureSettings } from '../capture/judge.ts';
import { findSilence } from '../capture/silence.ts';
import { hashLongText, hashPrompt } from '../core/ids.ts';
import { isInjection } from '../core/instruction-like.ts';
import { type ObservationDraft, type Origin, type SummaryDraft, saysSomething, TRUST } from '../core/observation.ts';
import { cleanPayload } from '../core/payload.ts';
import { isWhollyPrivate } from '../core/privacy.ts';
import { type ProjectIdentity, settingsFor } from '../core/project.ts';
import type { ExportLine, Line } from '../core/shapes/export.ts';
import { withoutSentences } from '../core/text.ts';
import { isSaidBefore } from '../memory/hide.ts';
import { isForgottenObservation, readableText } from '../memory/observations.ts';
import { isForgottenSummary } from '../memory/summaries.ts';
import { GLOBAL_KEY } from '../projects/projects.ts';
import { scrubValue } from '../secrets/scrub.ts';
import { isObserverSession } from '../store/model-calls.ts';
import { isForgotten } from '../store/tombstones.ts';
import { mapTexts, type Step, type TurnRecord } from '../turns/record.ts';

export type MemoryPlace = {
  /** Its root is '' when nobody knows where it lies. */
  project: ProjectIdentity;
  /** The host's own id. */
  session: string;
  /** '' when it is not known. */
  cwd: string;
  /** When it happened, epoch ms: silences are judged by it, not by when it comes. */
  at: number;
};

export type Refusal = 'paused' | 'off' | 'excluded' | 'forgotten' | 'own-observer';

/** Null when it may come in; else why not (counted as dropped:<reason>). To be asked first: the others look at the words alone. */
export function refuseMemory(db: Database, place: MemoryPlace, settings: CaptureSettings): Refusal | null {
  if (isObserverSession(db, place.session)) return 'own-observer';
  if (isForgotten(db, 'session', place.session)) return 'forgotten';
  return findSilence(db, settings, place)?.kind ?? null;
}

/** Without what is private, secret or excluded. Null when that leaves nothing of it, or somebody wanted it forgotten (`isUnwanted`). */
export function admitObservation(
  db: Database,
  draft: ObservationDraft,
  place: MemoryPlace,
  settings: CaptureSettings,
  isUnwanted = isSaidBefore,
): ObservationDraft | null {
  const admitted = withoutExcluded({ ...draft, ...cleanWords(wordsOf(draft)) }, lookForExcluded(place, settings));
  if (!admitted) return null;
  const { title, subtitle, narrative, facts } = admitted;
  const texts = [narrative, subtitle, ...facts.map(({ text }) => text)].filter((text) => text !== null);
  if (!title && texts.length === 0) return null;
  return isForgottenObservation(db, admitted) || isUnwanted(db, { title, texts }) ? null : admitted;
}

export function admitSummary(db: Database, draft: SummaryDraft, place: MemoryPlace, settings: CaptureSettings): SummaryDraft | null {
  const isNamed = lookForExcluded(place, settings);
  const { filesRead, filesEdited, ...said } = cleanWords({ ...draft, at: null });
  const { at: _, ...texts } = said;
  const words = unnameAll(texts, isNamed);
  const isShown = (file: string) => !isNamed(file);
  const files = { filesRead: filesRead.filter(isShown), filesEdited: filesEdited.filter(isShown) };
  const admitted: SummaryDraft = { ...words, ...files, at: draft.at };
  if (!saysSomething(admitted) || isForgottenSummary(db, admitted)) return null;
  return isSaidBefore(db, { title: null, texts: Object.values(words).filter((text) => text !== null) }) ? null : admitted;
}

/** Without steps that touch an excluded path, and without paragraphs that are private, excluded or forgotten. Null when nothing is left. */
export function admitRecord(db: Database, record: TurnRecord, place: MemoryPlace, settings: CaptureSettings): TurnRecord | null {
  const isNamed = lookForExcluded(place, settings);
  const { steps, closing } = cleanWords(record);
  const admit = (text: string) => admitText(db, text, isNamed);
  const kept = steps
    .filter((step) => !touches(step, isNamed))
    .map((step) => mapTexts(step, admit))
    .filter((step) => step.kind !== 'said' || step.text !== '');
  const end = admit(closing);
  return kept.length === 0 && end === '' ? null : { steps: kept, closing: end };
}

/** What is left to do, without what is private, excluded or forgotten. */
export function admitSteps<Kept extends { text: string }>(
  db: Database,
  steps: Kept[],
  place: MemoryPlace,
  settings: CaptureSettings,
): Kept[] {
  const isNamed = lookForExcluded(place, settings);
  return cleanWords(steps).filter(({ text }) => text.trim() !== '' && admitText(db, text, isNamed) === text);
}

function touches(step: Step, isNamed: IsNamed): boolean {
  if (step.kind === 'edited' || step.kind === 'read') return isNamed(step.file);
  return step.kind === 'ran' && step.command !== '' && unname(step.command, isNamed) !== step.command;
}

/** Paragraph by paragraph: what was forgotten of a text takes no other along. */
function admitText(db: Database, text: string, isNamed: IsNamed): string {
  const hash = hashLongText(text);
  if (text === '' || (hash !== null && isForgotten(db, 'text', hash))) return '';
  const isKept = (part: string) => part.trim() === '' || !isSaidBefore(db, { title: null, texts: [part] });
  const paragraphs = text.split(/(\n{2,})/).filter(isKept);
  return unname(paragraphs.join(''), isNamed) ?? '';
}

/** A wholly private one leaves an empty marker. Null when it was forgotten, or is nothing but what a host put into it. */
export function admitPrompt(db: Database, text: string, place: MemoryPlace): { text: string; isPrivate: boolean } | null {
  const clean = cleanWords({ text }).text;
  if (isWhollyPrivate(text, clean)) return { text: '', isPrivate: true };
  if (clean.trim() === '') return null;
  const hashes = [hashPrompt(place.session, clean), hashLongText(clean)];
  if (hashes.some((hash) => hash !== null && isForgotten(db, 'text', hash))) return null;
  return { text: clean, isPrivate: false };
}

/** The same way that everything goes that a hook brings. The shape stays; only texts become shorter. */
export function cleanWords<Words extends object>(words: Words): Words {
  // What cleaning and scrubbing give back is the object that they were given, with other texts.
  return scrubValue(cleanPayload(words).value as Words).value;
}

const wordsOf = ({ title, subtitle, narrative, facts, concepts, keywords = null, filesRead, filesModified }: ObservationDraft) => ({
  title,
  subtitle,
  narrative,
  facts,
  concepts,
  keywords,
  filesRead,
  filesModified,
});

type IsNamed = (path: string) => boolean;

/** What it names is not said; when it was about nothing else, or is called after it, there is no memory. */
function withoutExcluded(draft: ObservationDraft, isNamed: IsNamed): ObservationDraft | null {
  const files = [...draft.filesModified, ...draft.filesRead];
  if (files.length > 0 && files.every(isNamed)) return null;
  const { title, subtitle, narrative, keywords = null } = draft;
  const words = unnameAll({ title, subtitle, narrative, keywords }, isNamed);
  if (title?.trim() && words.title === null) return null;
  return {
    ...draft,
    ...words,
    facts: draft.facts.filter(({ text }) => unname(text, isNamed) !== null),
    concepts: draft.concepts.filter((concept) => concept.trim() !== ''),
    filesRead: draft.filesRead.filter((file) => !isNamed(file)),
    filesModified: draft.filesModified.filter((file) => !isNamed(file)),
  };
}

const unnameAll = <Words extends Record<string, string | null>>(words: Words, isNamed: IsNamed): Words =>
  // The same names, with texts that are the same or shorter.
  Object.fromEntries(Object.entries(words).map(([name, text]) => [name, unname(text, isNamed)])) as Words;

/** The text without the sentences that name an excluded path. Null for one that says nothing. */
function unname(text: string | null, isNamed: IsNamed): string | null {
  if (text === null || text.trim() === '') return null;
  if (isNamed === NEVER) return text;
  const isOut = (part: string) =>
    part.split(BETWEEN_PATHS).some((word) => LOOKS_LIKE_PATH.test(word) && isNamed(word.replace(/[.:]+$/, '')));
  return isOut(text) ? withoutSentences(text, isOut) : text;
}

const BETWEEN_PATHS = /[\s"'`()<>[\]{},;|]+/;
/** A plain word in a sentence is a word, not a file. */
const LOOKS_LIKE_PATH = /[/.]/;
const NEVER: IsNamed = () => false;

function lookForExcluded({ project, cwd }: MemoryPlace, settings: CaptureSettings): IsNamed {
  const { excludePaths } = settingsFor(settings, project);
  if (excludePaths.length === 0) return NEVER;
  const root = project.root || '/';
  const place = { excludePaths, root, cwd: cwd || root };
  return (path) => (project.root ? [path] : [path, ...endsOf(path)]).some((spelled) => isExcludedFile(place, spelled));
}

/** Where nobody knows the root, any folder of the path may be it. */
function endsOf(path: string): string[] {
  const names = path.split('/').filter((name) => name !== '');
  return names.map((_, at) => names.slice(at).join('/'));
}

/**
 * Null for what would be the user's word here: a prompt, the summary of a session, what stands in the place of what, whom to
 * distrust, what to forget, and whatever holds in every project.
 */
export function asImported(line: ExportLine): ExportLine | null {
  switch (line.kind) {
    case 'project':
      // By its key alone: where it lies, and what else is the same project, is not for a file to say.
      return line.key === GLOBAL_KEY ? null : { ...line, root: '', remote: null, firstCommit: null, isRenamed: false, aliases: [] };
    case 'session':
      return line.project === GLOBAL_KEY ? null : { ...line, title: null, subtitle: null, firstPrompt: null, prompts: 0 };
    case 'observation':
      return line.project === GLOBAL_KEY ? null : withoutMarks(line);
    default:
      return null;
  }
}

/** What its person said of it is not said by ours. */
function withoutMarks(line: Line<'observation'>): Line<'observation'> {
  const origin = importedOrigin(line.origin);
  return {
    ...line,
    origin,
    trust: Math.min(line.trust, TRUST[origin]),
    isPinned: false,
    isKept: false,
    isRule: false,
    editedAt: null,
    isQuarantined: line.isQuarantined || isInjection(readableText(line)),
    commits: line.commits.map((commit) => ({ ...commit, isOwn: null })),
  };
}

const importedOrigin = (origin: Origin): Origin => (KNOWN_AS_OTHERS.includes(origin) ? origin : 'imported');
const KNOWN_AS_OTHERS: Origin[] = ['commit', 'web', 'mcp'];

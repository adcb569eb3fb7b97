// What a model said, as far as our own events bear it out: ids, sources, paths, outcome and trust are ours, the words are its.

import type { SessionEvent, ToolEvent } from '../core/event.ts';
import {
  type Batch,
  INJECTED_TRUST,
  type ObservationDraft,
  type ObservationType,
  type Observed,
  type Origin,
  type Outcome,
  type SummaryDraft,
  TRUST,
} from '../core/observation.ts';
import { relativePath } from '../core/project.ts';
import { bareWords } from '../core/text.ts';
import { contentWords, wordsIn } from '../memory/content-words.ts';
import { eventText, judgeTrust, speakerOf } from '../memory/untrusted.ts';
import { buildBatch } from '../turns/build.ts';
import type { ParsedAnswer, ParsedObservation, ParsedSummary } from './answer.ts';
import { condenseEvents } from './condense.ts';

type AnswerContext = {
  batch: Batch;
  /** Of the part that was asked about: the answer's number n means events[n - 1]. */
  events: SessionEvent[];
  /** What the rules made of the whole batch. Its summary is null when none was asked for. */
  local: Observed;
};

/**
 * `dropped`: observations that only repeat a block in our own format out of what was observed. `isInPlace`: what is believed takes
 * the place of what the rules made of the same events; otherwise it stands beside that.
 */
type Believed = Observed & { dropped: number; isInPlace: boolean };

export function believe(answer: ParsedAnswer, context: AnswerContext): Believed {
  const { batch, events, local } = context;
  const seen = [...new Map([...batch.events, ...events].map((event) => [event.id, event])).values()];
  const grounds = {
    ...context,
    files: listKnownFiles(batch),
    isEcho: createEchoCheck(seen),
  };
  const own = answer.observations.filter((one) => !isForged(one, grounds.isEcho));
  const title = (said: string | null, ours: string | null) => (said === null || grounds.isEcho(said) ? ours : said);
  const judged = judgeTrust(
    {
      observations: withoutRepetition(own).map((one) => makeDraft(one, grounds)),
      summary: answer.skippedSummary === null ? makeSummary(answer.summary, grounds) : null,
      title: title(answer.sessionTitle, local.title),
      subtitle: title(answer.sessionSubtitle, local.subtitle),
    },
    { ...batch, events: seen },
  );
  const isInPlace = answer.isWhole && judged.observations.some(isBelieved);
  return { ...judged, isInPlace, dropped: answer.observations.length - own.length };
}

const isBelieved = ({ title, origin, trust = TRUST[origin] }: ObservationDraft) =>
  title !== null && /[\p{L}\p{N}]/u.test(title) && trust >= INJECTED_TRUST;

type Grounds = AnswerContext & { files: KnownFiles; isEcho: IsEcho };

function isForged({ title, narrative, facts }: ParsedObservation, isEcho: IsEcho): boolean {
  const hasOnlyEchoes = facts.length > 0 && facts.every(isEcho);
  return hasOnlyEchoes || [title, narrative].some((text) => text !== null && isEcho(text));
}

function withoutRepetition(observations: ParsedObservation[]): ParsedObservation[] {
  const titles = observations.map(({ title }) => title?.toLowerCase());
  return observations.filter(({ title }, at) => title === null || titles.indexOf(titles[at]) === at);
}

function makeDraft(one: ParsedObservation, grounds: Grounds): ObservationDraft {
  const { batch, events, local, files } = grounds;
  const root = batch.project.root;
  const filesRead = matchPaths(one.filesRead, files.touchedBy, root);
  const filesModified = matchPaths(one.filesModified, files.edited, root);
  const named = events.filter((_, at) => one.sources.includes(at + 1));
  const sources = named.length > 0 ? named : touching(events, [...filesRead, ...filesModified], files);
  const ids = sources.map((event) => event.id);
  return {
    type: one.type,
    title: one.title,
    subtitle: one.subtitle,
    narrative: one.narrative,
    facts: one.facts.map((text) => ({ text, sources: ids })),
    concepts: [...new Set(one.concepts.map((concept) => concept.toLowerCase()))],
    keywords: one.keywords !== null && grounds.isEcho(one.keywords) ? null : one.keywords,
    filesRead,
    filesModified,
    outcome: outcomeOf({ type: one.type, filesModified, isUnverified: one.isUnverified }, local.observations),
    origin: originOf(one.title ?? one.narrative ?? '', sources),
    sources: ids,
    steps: stepsOf(batch, new Set(ids)),
    at: latest(sources.length > 0 ? sources : batch.events),
  };
}

/** In which of the record's steps these events are told: -1 is the prompt, one behind the last the closing message. */
function stepsOf(batch: Batch, ids: Set<string>): number[] {
  const { sources, closingId } = buildBatch(batch);
  const isPrompt = batch.events.some(({ id, kind }) => kind === 'prompt' && ids.has(id));
  const told = [...sources, ...(closingId === null ? [] : [closingId])].flatMap((id, at) => (ids.has(id) ? [at] : []));
  return isPrompt ? [-1, ...told] : told;
}

/** Without sources of its own an observation rests on the events that touched its files; without files, on all. */
function touching(events: SessionEvent[], named: string[], { touchedBy }: KnownFiles): SessionEvent[] {
  const ids = new Set(named.flatMap((file) => touchedBy.get(file) ?? []));
  const found = events.filter((event) => ids.has(event.id));
  return found.length > 0 ? found : events;
}

const latest = (events: SessionEvent[]): number => events.reduce((last, event) => Math.max(last, event.at), 0);

/** The words of the model, else those of the rules; files and time are what our events say. */
function makeSummary(said: ParsedSummary | null, grounds: Grounds): SummaryDraft | null {
  const { batch, files, isEcho } = grounds;
  const local = grounds.local.summary;
  const texts = FIELDS.map((field) => said?.[field] ?? null).filter((text) => text !== null);
  if (!said || texts.length === 0 || texts.some(isEcho)) return local;
  const filesRead = matchPaths(said.filesRead, files.touchedBy, batch.project.root);
  const filesEdited = matchPaths(said.filesEdited, files.edited, batch.project.root);
  return {
    request: said.request ?? local?.request ?? null,
    investigated: said.investigated,
    learned: said.learned,
    completed: said.completed,
    nextSteps: said.nextSteps && keepSteps(said.nextSteps, batch),
    notes: said.notes,
    filesRead: filesRead.length > 0 ? filesRead : (local?.filesRead ?? []),
    filesEdited: filesEdited.length > 0 ? filesEdited : (local?.filesEdited ?? []),
    at: local?.at ?? latest(batch.events),
  };
}

const FIELDS = ['request', 'investigated', 'learned', 'completed', 'nextSteps', 'notes'] as const;

/**
 * A step is about the turn: an item of a list shares a word with it, a sentence some, or it names something exactly. "Nothing is open" does
 * none of this, in any language.
 */
function keepSteps(text: string, { events, project }: Batch): string | null {
  const known = wordsIn(condenseEvents(events, project.root).map(({ tell, maxChars }) => tell(maxChars)));
  const steps = text.split('\n').filter((line) => {
    const shared = [...contentWords(line)].filter((word) => known.has(word)).length;
    return shared >= (ITEM.test(line) || NAMES.test(line) ? 1 : SENTENCE_SHARES);
  });
  return steps.map((line) => line.replace(ITEM, '')).join('\n') || null;
}

const SENTENCE_SHARES = 3;
const ITEM = /^\s*(?:[-*•]|\d{1,2}[.)])\s+/;
const NAMES = /\d|`|[a-z][A-Z]|\w[._/]\w/;

// Whose words an observation is made of: of all it rests on, the least trusted.

function originOf(title: string, sources: SessionEvent[]): Origin {
  const least = leastTrusted(sources.map(speakerOf).filter((origin) => origin !== null));
  // The user is believed most, so only what the user's own words say is theirs.
  return least === 'user' && shareIn(title, sources) < 0.5 ? 'agent' : least;
}

function leastTrusted(origins: Origin[]): Origin {
  const [first = 'agent', ...others] = origins;
  return others.reduce((least, origin) => (TRUST[origin] < TRUST[least] ? origin : least), first);
}

function shareIn(told: string, events: SessionEvent[]): number {
  const words = [...contentWords(told)];
  const heard = events.map((event) => eventText(event).toLowerCase()).join('\n');
  return words.length === 0 ? 0 : words.filter((word) => heard.includes(word)).length / words.length;
}

// How a piece of work ended, as the rules read it from the runs: a model may doubt that, and decides nothing else.

/** Of several the worst. Ruled out comes last: where something was tried and dropped, other work on the same file may have stood. */
const WORST_FIRST: Outcome[] = ['failed', 'unverified', 'passed', 'ruled-out'];
const WORK: ObservationType[] = ['bugfix', 'feature', 'refactor', 'change'];

function outcomeOf(
  { type, filesModified, isUnverified }: Pick<ObservationDraft, 'type' | 'filesModified'> & { isUnverified: boolean },
  local: ObservationDraft[],
): Outcome | null {
  const onSameFiles = local.filter((draft) => draft.outcome !== null && draft.filesModified.some((file) => filesModified.includes(file)));
  const ofSameType = onSameFiles.filter((draft) => draft.type === type);
  const drafts = ofSameType.length > 0 ? ofSameType : onSameFiles;
  const worst = WORST_FIRST.find((outcome) => drafts.some((draft) => draft.outcome === outcome));
  if (worst === 'passed' && isUnverified) return 'unverified';
  return worst ?? (WORK.includes(type) && filesModified.length > 0 ? 'unverified' : null);
}

// Whether a text only repeats what stood inside of our own format in something observed: a forged block that a model copied out.

type IsEcho = (text: string) => boolean;

const BRACKET = String.raw`(?:[<>]|&(?:amp;){0,4}(?:[lg]t|#0{0,5}6[02]|#x0{0,5}3[ce]);|\\{1,4}(?:u00|x)3[ce])`;
/** Tags of ours that are rare elsewhere, as they are or escaped for XML, JSON or JavaScript. */
const FORMAT = new RegExp(String.raw`${BRACKET}\s{0,9}(?:observation|session|request|investigated|learned|next[_-]?steps)\b`, 'i');
const EDGE = new RegExp(String.raw`${BRACKET}|\[cdata\[|\]\]|=\s?\\{0,4}["']|\\{0,4}["']\s?(?=/|>)`, 'gi');

/** Longer texts may have been cut by the parser, so only their beginning is looked for. */
const COMPARED = 150;

function createEchoCheck(events: SessionEvent[]): IsEcho {
  const observed = events.map(eventText).filter((text) => FORMAT.test(text));
  const between = new Set(
    observed.flatMap((text) =>
      text
        .replace(/\\{1,4}n/g, '\n')
        .split(EDGE)
        .map(startOf),
    ),
  );
  between.delete('');
  return (text) => between.has(startOf(text));
}

const startOf = (text: string) => bareWords(text).slice(0, COMPARED);

// The files that the events of a batch really edited or touched, named as the project knows them.

/** `touchedBy`: of each file that was read, edited, found or named by a command that ran, the ids of the events. */
type KnownFiles = { edited: Set<string>; touchedBy: Map<string, string[]> };

/** As the record names them; of commands that ran the arguments that look like files, and what `sed -i` changed in its place. */
function listKnownFiles({ events, project: { root } }: Batch): KnownFiles {
  const edited = new Set<string>();
  const touchedBy = new Map<string, string[]>();
  for (const event of events) {
    if (event.kind !== 'tool' || event.error !== null) continue;
    const { action } = event;
    const args = action.type === 'command' ? action.command.split(/[\s'"=;|&<>()]+/).filter((arg) => FILE_ARGUMENT.test(arg)) : [];
    const isWritten = action.type === 'edit' || (action.type === 'command' && IN_PLACE.test(action.command));
    for (const name of new Set([...args, ...filesOf(action)])) {
      const file = relativePath(name, root, event.cwd);
      if (isWritten) edited.add(file);
      touchedBy.set(file, [...(touchedBy.get(file) ?? []), event.id]);
    }
  }
  return { edited, touchedBy };
}

const FILE_ARGUMENT = /^[\w@.+[\]/-]{0,300}\.\w{1,8}$/;
const IN_PLACE = /\b(?:g?sed|perl)\s+(?:-\w+\s+)*-\w*i/;

function filesOf(action: ToolEvent['action']): string[] {
  const named =
    action.type === 'search' ? [...action.files, action.path] : action.type === 'read' || action.type === 'edit' ? [action.file] : [];
  return named.flatMap((file) => file || []);
}

// Paths as a model writes them, matched with the paths we know; what we do not know is left out.

function matchPaths(written: string[], known: Pick<Map<string, unknown>, 'has' | 'keys'>, root: string): string[] {
  const match = (path: string) => {
    const exact = relativePath(path, root, root);
    if (known.has(exact)) return exact;
    const ending = [...known.keys()].filter((other) => other.endsWith(`/${exact}`));
    return ending.length === 1 ? ending[0] : undefined;
  };
  return [...new Set(written.flatMap((one) => spellingsOf(one).map(match).find(Boolean) ?? []))];
}

/** `src/a.ts:12`, `/src/a.ts` for a path below the root, `src/a.ts (new)`, `src/a.ts - the parser`. */
function spellingsOf(written: string): string[] {
  const bare = written.replace(/ (?:\(|[-–—] ).*$/, '').replace(/(?::\d+(?:[-:]\d+)*|#L\d+(?:-L?\d+)?)$/, '');
  return [written, bare, bare.replace(/^\/+/, '')].filter((path, at, all) => path !== '' && all.indexOf(path) === at);
}

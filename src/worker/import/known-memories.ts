// Whether a memory that comes from elsewhere is here already: noted by us of the same session, or brought by an earlier import.
import type { Database } from 'bun:sqlite';
import { bareWords } from '../../core/bare-words.ts';
import { hashParts } from '../../core/ids.ts';
import type { ObservationDraft } from '../../core/observation.ts';
import type { SummaryDraft } from '../../core/summary.ts';
import { isNearlySame, stemsOf } from '../../search/alike.ts';
import { type Kept, listKept } from '../../store/transfer/imported.ts';

export type KnownMemories = {
  /** Notes it when it is not, so that the next one like it is. Inside the transaction that stores it. */
  isKnown: (memory: Candidate) => boolean;
};

export type Candidate = { sessionId: number; projectId: number } & (
  | { kind: 'observation'; draft: ObservationDraft }
  | { kind: 'summary'; draft: SummaryDraft }
);

export function createKnownMemories(db: Database): KnownMemories {
  const shelves = new Map<string, Shelf>();
  /** What was read before, in whatever session of its project: a session that was continued under another id repeats what it had. */
  const everywhere = new Set<string>();

  const shelfOf = ({ kind, sessionId }: Candidate): Shelf => {
    const name = `${kind} ${sessionId}`;
    const known = shelves.get(name);
    if (known) return known;
    const shelf = makeShelf(listKept(db, kind, sessionId));
    if (shelves.size >= MOST_SHELVES) shelves.clear();
    shelves.set(name, shelf);
    return shelf;
  };

  return {
    isKnown: (memory) => {
      const said = describe(memory);
      const shelf = shelfOf(memory);
      const mark = `${memory.projectId} ${marksOf(said).whole}`;
      const isLong = memory.kind === 'observation' && said.text.length + said.rest.length >= OWN_LENGTH;
      const isKnown = isOn(shelf, said) || (isLong && everywhere.has(mark));
      if (isLong) everywhere.add(mark);
      if (!isKnown) put(shelf, said);
      return isKnown;
    },
  };
}

/** Those of so many sessions are at hand; any other is looked up again. */
const MOST_SHELVES = 200;
/** What is shorter others may say, too. */
const OWN_LENGTH = 40;

type Shelf = { marks: Set<string>; ownTitles: { bare: string; stems: Set<string> }[] };

function makeShelf(kept: Kept[]): Shelf {
  const shelf: Shelf = { marks: new Set(), ownTitles: [] };
  for (const memory of kept) put(shelf, memory);
  return shelf;
}

function put({ marks, ownTitles }: Shelf, memory: Kept): void {
  for (const mark of Object.values(marksOf(memory))) marks.add(mark);
  if (memory.isOwn && memory.title !== '')
    ownTitles.push({ bare: bareWords(memory.title), stems: stemsOf(memory.title) });
}

function isOn({ marks, ownTitles }: Shelf, memory: Kept): boolean {
  const { whole, titled, told } = marksOf(memory);
  // The same moment and the same title or text: a person has changed the other one since it was brought.
  if (marks.has(whole) || (memory.title !== '' && marks.has(titled)) || (memory.text !== '' && marks.has(told)))
    return true;
  if (memory.title === '' || ownTitles.length === 0) return false;
  const [bare, stems] = [bareWords(memory.title), stemsOf(memory.title)];
  return ownTitles.some((own) => own.bare === bare || isNearlySame(own.stems, stems));
}

function marksOf({ title, text, rest, at }: Kept) {
  return {
    whole: hashParts([bareWords(title), bareWords(text), bareWords(rest)]).slice(0, 16),
    titled: hashParts([String(at), 'title', bareWords(title)]).slice(0, 16),
    told: hashParts([String(at), 'text', bareWords(text)]).slice(0, 16),
  };
}

/** In the same pieces as what is stored. */
function describe(memory: Candidate): Kept {
  if (memory.kind === 'observation') {
    const { title, narrative, subtitle, facts, at } = memory.draft;
    return {
      title: title ?? '',
      text: narrative ?? '',
      rest: join([subtitle, JSON.stringify(facts)]),
      at,
      isOwn: false,
    };
  }
  const { request, investigated, learned, completed, nextSteps, notes, at } = memory.draft;
  const text = join([investigated, learned, completed]);
  return { title: request ?? '', text, rest: join([nextSteps, notes]), at, isOwn: false };
}

const join = (parts: (string | null)[]) => parts.filter((part) => part !== null).join(' ');

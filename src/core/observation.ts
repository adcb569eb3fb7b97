// An observation: one thing worth remembering from a session, with where it came from and how far it is believed.

import type { SessionEvent, ToolEvent } from './event.ts';
import { COMMON_WORDS } from './same-words.ts';
import type { Line } from './shapes/export.ts';

export const OBSERVATION_TYPES = ['decision', 'bugfix', 'feature', 'refactor', 'discovery', 'change'] as const;
export type ObservationType = (typeof OBSERVATION_TYPES)[number];

/** passed/failed: a run said so afterwards. ruled-out: tried and given up. unverified: nothing said either way. */
export const OUTCOMES = ['passed', 'failed', 'ruled-out', 'unverified'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** Who said it; `imported`: a file that nobody called their own. The trust of a memory is that of its least trusted source. */
export const ORIGINS = ['user', 'agent', 'command', 'file', 'commit', 'imported', 'web', 'mcp'] as const;
export type Origin = (typeof ORIGINS)[number];

/** How the title of a plan begins that the user approved: it counts as the user's, but its words are the agent's. */
export const PLAN_APPROVED = 'Plan approved:';

/** One sentence that stands by itself, and the ids of the events it was read from. */
export type Fact = Line<'observation'>['facts'][number];

export type ObservationContent = Pick<
  Line<'observation'>,
  'type' | 'title' | 'subtitle' | 'narrative' | 'facts' | 'concepts' | 'filesRead' | 'filesModified' | 'outcome'
>;

/** What an observer makes, before the store gives it an id. Content may be null: partial data is kept, never dropped. */
export type ObservationDraft = ObservationContent & {
  origin: Origin;
  sources: string[];
  /** Epoch ms of the last event it was made from. */
  at: number;
  /** A rule of the user: it does not age. */
  isRule?: boolean;
  /** English words to find it by, whatever its language: one line, by a model. */
  keywords?: string | null;
  /** Of the record of its turn: the numbers of the steps it rests on. */
  steps?: number[];
  /** Of what it rests on, the least (memory/untrusted.ts). Without one, that of its origin. */
  trust?: number;
};

/** Null for what needs no word: it held, or nobody could tell. */
export function describeOutcome(outcome: Outcome | null, type: ObservationType): string | null {
  if (outcome === 'ruled-out') return 'ruled out';
  if (outcome === 'failed') return 'failed';
  return outcome === 'unverified' && CLAIMS.includes(type) ? 'unproven' : null;
}

/** They say that something works now. */
const CLAIMS: ObservationType[] = ['bugfix', 'feature'];

/**
 * 3: said by the user. 2: said by the agent or shown by a command, a file or a commit, or brought in from a file by a
 * person. 1: from outside. Only 2 and 3 are injected by themselves.
 */
export const TRUST: Record<Origin, number> = {
  user: 3,
  agent: 2,
  command: 2,
  file: 2,
  commit: 2,
  imported: 2,
  web: 1,
  mcp: 1,
};

/** Lowest trust that is told to a session by itself; what is below came from outside. */
export const INJECTED_TRUST = 2;

// A summary: what one turn of a session was about, in eight fields, and what it is called where it stands as one line.

export type SummaryWords = Pick<Line<'summary'>, 'request' | 'investigated' | 'learned' | 'completed' | 'nextSteps' | 'notes'>;

/** `at`: epoch ms of the event that ended the turn. */
export type SummaryDraft = SummaryWords & Pick<Line<'summary'>, 'filesRead' | 'filesEdited'> & { at: number };

/** A summary without any words is no memory, whoever brings it. */
export const saysSomething = ({ request, investigated, learned, completed, nextSteps, notes }: SummaryWords) =>
  [request, investigated, learned, completed, nextSteps, notes].some((text) => text?.trim());

/** What was asked is kept as a prompt: of a turn, a summary has to say what came of it. */
export const tellsMore = (summary: SummaryDraft) =>
  saysSomething({ ...summary, request: null }) || (saysSomething(summary) && summary.filesRead.length + summary.filesEdited.length > 0);

export function titleSummary({ request, completed, learned, investigated, nextSteps, notes }: SummaryWords): string | null {
  const asked = request?.trim() ?? '';
  if (countTelling(asked) >= TELLING_NEEDED) return asked;
  const came = [completed, learned].map(firstLine).find((text) => countTelling(text) > countTelling(asked));
  if (came || asked) return came ?? asked;
  return [completed, learned, investigated, nextSteps, notes].map(firstLine).find((text) => text !== '') ?? null;
}

/** "commit!" and "are you able to try it" name nothing. */
const TELLING_NEEDED = 3;

function countTelling(text: string): number {
  const words =
    text
      .slice(0, 2000)
      .toLowerCase()
      .match(/[\p{L}\p{N}_]+(?:[.'-][\p{L}\p{N}_]+)*/gu) ?? [];
  const telling = new Set(words.filter((word) => word.length > 2 && !COMMON_WORDS.has(word)));
  // Scripts without spaces: a character says about as much as half a word.
  const unspaced = text.match(/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]/gu)?.length ?? 0;
  return telling.size + Math.floor(unspaced / 2);
}

const firstLine = (text: string | null): string =>
  (text ?? '')
    .split('\n')
    .map((line) => line.replace(/^\s*(?:[-*•]|\d+[.)])\s+/, '').trim())
    .find((line) => line !== '') ?? '';

// A batch: the waiting events of one session that are observed together, and what came of it.

export type Batch = {
  project: { name: string; root: string };
  session: { firstPrompt: string | null; title: string | null };
  /** In the order they happened. Ends with a stop or end event when a turn ended. */
  events: SessionEvent[];
  /** Tool events of earlier turns of the same session, already observed: read for failures still open and todo items. */
  earlier: ToolEvent[];
  /** The turns right before it, the latest last: what was asked, and the text of the record. */
  before?: { prompt: string; record: string }[];
};

export type Observed = {
  observations: ObservationDraft[];
  summary: SummaryDraft | null;
  title: string | null;
  subtitle: string | null;
};

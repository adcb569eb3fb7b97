// What speaks for a memory besides its words: the code it is about as it was and as it is now, the errors behind it, whom it rests on.
import type { SessionEvent, ToolEvent } from './event.ts';
import { type ObservationDraft, TRUST } from './observation.ts';
import type { Line } from './shapes/export.ts';

export type Citation = Line<'observation'>['citations'][number];

export type Evidence = {
  head: string | null;
  branch: string | null;
  citations: Citation[];
  /** By what the errors are known again that it fixes or rules something out for. */
  errorMarks: string[];
  /** Of all that it rests on, the least. */
  trust: number;
  /** Words from outside that read like instructions. */
  isQuarantined: boolean;
};

/** The turn that a memory was made of; `earlier`: the tools of the session before it. */
export type EvidenceSource = { root: string; events: SessionEvent[]; earlier?: ToolEvent[] };

export type ReadEvidence = (draft: ObservationDraft, from: EvidenceSource) => Evidence;

/** Of what somebody said by hand, and where nobody looked: its files are named, and nothing is known of them. */
export function bareEvidence(draft: ObservationDraft): Evidence {
  const cite = (path: string, did: Citation['did']): Citation => ({ path, did, blob: null, before: null, added: [], removed: [] });
  const read = draft.filesRead.filter((path) => !draft.filesModified.includes(path));
  return {
    head: null,
    branch: null,
    citations: [...draft.filesModified.map((path) => cite(path, 'changed')), ...read.map((path) => cite(path, 'read'))],
    errorMarks: [],
    trust: draft.trust ?? TRUST[draft.origin],
    isQuarantined: false,
  };
}

/**
 * fresh: the files are as they were, or at least the lines it is about. changed: they are not. gone: the files are not there any
 * more. reverted: the change it tells of was taken back. elsewhere: it was made on another branch that is not part of this one.
 * unverified: nobody knows how the files were. uncited: it is about no file of the project.
 */
export type FreshnessWord = 'fresh' | 'changed' | 'gone' | 'reverted' | 'elsewhere' | 'unverified' | 'uncited';

export const FRESHNESS: Record<Exclude<FreshnessWord, 'uncited'>, string> = {
  fresh: 'up to date',
  changed: 'changed',
  gone: 'file deleted',
  reverted: 'reverted',
  elsewhere: 'other branch',
  unverified: 'cannot verify',
};

export type Freshness = {
  word: FreshnessWord;
  /** For `fresh` and `changed`: the names its files have now, where they were renamed. */
  renamed: { from: string; to: string }[];
};

/** What the code does not bear out any more. Told only where nothing newer is known. */
export const isOutdated = ({ word }: Pick<Freshness, 'word'>) => word === 'gone' || word === 'reverted';

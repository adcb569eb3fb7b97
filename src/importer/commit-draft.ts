// A commit as a memory: its subject, what it says of itself, and the files as it left them.
import type { Citation, Evidence } from '../core/evidence.ts';
import { readsLikeInstructions } from '../core/instruction-like.ts';
import type { ObservationDraft } from '../core/observation.ts';
import { oneLine } from '../core/one-line.ts';
import { withoutSentences } from '../core/sentences.ts';
import { TRUST } from '../core/trust.ts';
import type { Touch } from '../git/history.ts';
import type { LoggedCommit } from '../git/log.ts';
import { withoutTrailers } from './commit-message.ts';
import { isPitfall } from './commit-pitfall.ts';
import { isOneWord } from './commit-routine.ts';
import { typeOfCommit } from './commit-type.ts';

export type CommitMemory = { draft: ObservationDraft; evidence: Evidence };

export type Reading = {
  /** Secrets scrubbed, private text stripped. */
  clean: (text: string) => string;
  /** Of such a file not even the name is kept. */
  isExcluded: (path: string) => boolean;
};

const TITLE_LENGTH = 300;
const BODY_LENGTH = 8000;
const SHORTEST_NAME = 4;

/** Null for one that has nothing to say: a merge or a single word without more, or a change of excluded files alone. */
export function draftCommit(commit: LoggedCommit, { clean, isExcluded }: Reading): CommitMemory | null {
  // As a whole first: what is private may begin in the subject and end in the body.
  const [subject = '', ...others] = clean(`${commit.subject}\n\n${withoutTrailers(commit.body)}`).split('\n');
  const title = oneLine(subject, TITLE_LENGTH);
  const hidden = commit.touches.filter(({ path }) => isExcluded(path));
  // A name may hold a secret as well as a text.
  const named = commit.touches.filter((touch) => !hidden.includes(touch) && clean(touch.path) === touch.path);
  if (commit.touches.length > 0 && named.length === 0) return null;
  const isNamed = (text: string) => hidden.some(({ path }) => namesFile(text, path));
  if (isNamed(title)) return null;
  const whole = others.join('\n').trim().slice(0, BODY_LENGTH).toWellFormed();
  const body = hidden.length === 0 ? whole : (withoutSentences(whole, isNamed) ?? '');
  if (title === '' || (body === '' && (commit.parents.length > 1 || isOneWord(title)))) return null;
  const isMany = commit.touched > commit.touches.length;
  const touches = isMany ? [] : named;
  const draft: ObservationDraft = {
    type: typeOfCommit({ subject: title, body }),
    title,
    subtitle: null,
    narrative: body || null,
    facts: isMany ? [{ text: `Changed ${commit.touched} files.`, sources: [] }] : [],
    concepts: isPitfall({ subject: title, body }) ? ['gotcha'] : [],
    filesRead: [],
    filesModified: touches.map(({ path }) => path),
    outcome: null,
    origin: 'commit',
    sources: [],
    at: commit.authoredAt,
  };
  return { draft, evidence: judge(draft, commit.hash, touches) };
}

/** By its path or, where that tells it, by its name alone. */
function namesFile(text: string, path: string): boolean {
  const name = path.split('/').at(-1) ?? path;
  return text.includes(path) || (name.length >= SHORTEST_NAME && text.includes(name));
}

/** Anybody may have written it: what reads like instructions to an agent is put away. */
function judge({ title, narrative }: ObservationDraft, hash: string, touches: Touch[]): Evidence {
  return {
    head: hash,
    branch: null,
    citations: touches.map(cite),
    errorMarks: [],
    trust: TRUST.commit,
    isQuarantined: readsLikeInstructions([title, narrative].filter(Boolean).join('\n')),
  };
}

const cite = ({ path, from, to }: Touch): Citation => ({
  path,
  did: 'changed',
  blob: to,
  before: from,
  added: [],
  removed: [],
});

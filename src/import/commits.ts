// A commit as a memory: its subject, what it says of itself, and the files as it left them; once, under the hash it has
// now, and not if somebody wanted it forgotten.
import type { Database } from 'bun:sqlite';
import type { Citation, Evidence } from '../core/evidence.ts';
import { readsLikeInstructions } from '../core/instruction-like.ts';
import { type ObservationDraft, type ObservationType, TRUST } from '../core/observation.ts';
import { oneLine, withoutSentences } from '../core/text.ts';
import type { LoggedCommit, Touch } from '../git/log.ts';
import { type CommitRow, type Earlier, insertCommit, isKnownCommit, leaveOutCommit, listWrittenAt, moveCommit } from '../memory/git-log.ts';
import { isSaidBefore } from '../memory/hide.ts';
import { type AnyOwner, isForgottenObservation } from '../memory/observations.ts';
import { findReverted, noteReverted, revert } from './commit-links.ts';

export type CommitPlace = Reading & {
  owner: AnyOwner;
  /** What happened at such a time is not kept. */
  isSilent: (at: number) => boolean;
  /** False when the project was joined with another, or split, meanwhile: then this is not the place any more. */
  isStill: () => boolean;
  /** Commits that are known and do not lead to where the work tree stands now. */
  leftBehind: ReadonlySet<string>;
  /** When this is, epoch ms; 0 when the log is read for the first time, of which nothing is news. */
  readAt: number;
  /** The person made it here; null when that is not shown. */
  isOwn: (commit: LoggedCommit) => boolean | null;
};

/** Inside a transaction. True when a memory was added. */
export function storeCommit(db: Database, commit: LoggedCommit, place: CommitPlace): boolean {
  const { projectId } = place.owner;
  if (isKnownCommit(db, projectId, commit.hash)) return false;
  const row = {
    projectId,
    hash: commit.hash,
    authoredAt: commit.authoredAt,
    reverts: findItsReverted(db, commit, place),
    readAt: place.readAt,
    isOwn: place.isOwn(commit),
    isRoutine: isRoutine(commit),
  };
  const isSilent = place.isSilent(commit.committedAt);
  const memory = isSilent ? null : draftCommit(commit, place);
  const isAdded = memory !== null && store(db, row, memory, place);
  // Nobody hears of one that was made in a silence, not even how many there were.
  if (!isAdded) leaveOutCommit(db, { ...row, isRoutine: row.isRoutine && !isSilent });
  // Also one that says nothing itself reverts what it reverts.
  if (row.reverts) revert(db, projectId, row.reverts);
  return isAdded;
}

/** The newest were stored before those that they revert. Oldest first; inside a transaction. */
export function settleReverts(db: Database, commits: LoggedCommit[], place: CommitPlace): void {
  const { projectId } = place.owner;
  for (const commit of commits) {
    const reverts = findItsReverted(db, commit, place);
    if (reverts === null) continue;
    noteReverted(db, { projectId, hash: commit.hash, reverts });
    revert(db, projectId, reverts);
  }
}

function findItsReverted(db: Database, commit: LoggedCommit, { owner, clean }: CommitPlace): string | null {
  const named = readReverted(commit);
  if (!named) return null;
  if (named.by === 'hash') return findReverted(db, owner.projectId, named);
  const subject = oneLine(clean(named.subject));
  return findReverted(db, owner.projectId, { ...named, subject, before: commit.committedAt });
}

function store(db: Database, row: CommitRow, memory: CommitMemory, place: CommitPlace): boolean {
  const { draft } = memory;
  const from = listWrittenAt(db, row.projectId, row.authoredAt).find((earlier) => isSameCommit(earlier, memory, place));
  if (from) {
    moveCommit(db, row, { from, ...memory });
    return false;
  }
  const texts = draft.narrative === null ? [] : [draft.narrative];
  if (isForgottenObservation(db, draft) || isSaidBefore(db, { title: draft.title, texts })) return false;
  insertCommit(db, row, { owner: place.owner, ...memory });
  return true;
}

/** Amended or rebased: written at the same moment, with the same subject or for the same files, and not in the history any more. */
function isSameCommit({ hash, title, files }: Earlier, { draft }: CommitMemory, { leftBehind }: CommitPlace): boolean {
  if (!leftBehind.has(hash)) return false;
  return title === draft.title || (files !== '[]' && files === JSON.stringify(draft.filesModified));
}

type CommitMemory = { draft: ObservationDraft; evidence: Evidence };

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
function draftCommit(commit: LoggedCommit, { clean, isExcluded }: Reading): CommitMemory | null {
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

// What the message of a commit tells: its kind, whether it warns of a trap, is a chore, or takes another one back.

type Message = { subject: string; body: string };

function typeOfCommit({ subject, body }: Message): ObservationType {
  const type = typeOfSubject(subject);
  return isDecision({ subject, body }, type) ? 'decision' : type;
}

/** `fix(parser)!: …`. */
const PREFIX = /^([a-z]+)(?:\([^)]*\))?!?:\s/i;

/** An area before a colon (`iterutils: add …`) says nothing; the word after it does. */
function typeOfSubject(subject: string): ObservationType {
  const [whole = '', prefix = ''] = PREFIX.exec(subject) ?? [];
  const known = BY_PREFIX.find(([names]) => names.test(prefix));
  return known?.[1] ?? typeOfWords(subject.slice(whole.length));
}

const BY_PREFIX: [RegExp, ObservationType][] = [
  [/^(?:bug|hot)?fix$/i, 'bugfix'],
  [/^(?:feat|feature|add)$/i, 'feature'],
  [/^(?:refactor|refac|rename|move)$/i, 'refactor'],
  [/^(?:docs?|tests?|chore|ci|build|style|perf|revert|release)$/i, 'change'],
];

/** What is said of docs and tests is neither a fix nor a feature. */
const ASIDE = /\b(?:docs?|docstrings?|readme|changelog|typos?|comments?|tests?|lint|whitespace|badges?|spelling)\b/i;

function typeOfWords(words: string): ObservationType {
  if (/^(?:hot)?fix(?:e[sd]|ing|up)?\b|^(?:correct|repair|resolve)[sd]?\b|\bbug ?fix/i.test(words))
    return ASIDE.test(words) ? 'change' : 'bugfix';
  if (/^(?:add|implement|introduce|support|allow|enable)(?:s|ed|ing)?\b/i.test(words)) return ASIDE.test(words) ? 'change' : 'feature';
  return /^(?:refactor|rename|move|extract|simplif|clean|split|inline|reorgani[sz]e|restructure)\w*\b/i.test(words) ? 'refactor' : 'change';
}

/** What was not done, or that somebody chose. */
const CHOICE = [
  /\b(?:we|I|it was|been) (?:have |has )?(?:decided|chose|chosen|opted|settled|agreed)\b/i,
  /\b(?:decided|chose|chosen|opted|settled|agreed) (?:to|not|against|for|on)\b/i,
  /\b(?:instead of|rather than|in favou?r of|as opposed to)\b/i,
  /\b(?:was|were|we|I) (?:first )?tried\b[^.]{0,80}\b(?:first|before)\b|\btried (?:first|before)\b/i,
  /\b(?:deliberately|intentionally|on purpose|by design|alternatives?|trade-?offs?|rejected|not worth)\b/i,
  /\b(?:do(?:es)? not|don['’]t|doesn['’]t|no longer|never|cannot|can['’]t|won['’]t)\b[^.]{0,120}\b(?:because|since|as it|otherwise)\b/i,
];
/** `It returned 3 instead of 4` tells of a bug. */
const RESULT = /\b(?:produc|return|giv|gave|got|becam|rais|yield|show|print|display|result)\w*\b[^.]{0,80}\b(?:instead of|rather than)\b/gi;
const REASON = /\b(?:because|so that|in order to|otherwise|the reason|due to|this way|which means|this ensures|to avoid)\b/gi;
/** `ok`, `see #12`: too short to say why. */
const SHORTEST = 40;

/** A subject says both: what was not taken, and why. A fix says what went wrong anyway: only one that tells of a choice is a decision. */
function isDecision({ subject, body }: Message, type: ObservationType): boolean {
  if (/^revert\b/i.test(subject)) return false;
  const countIn = (text: string) => CHOICE.filter((pattern) => pattern.test(text.replace(RESULT, ''))).length;
  if (countIn(subject) > 0 && subject.match(REASON)) return true;
  if (body.length < SHORTEST) return false;
  if (type === 'bugfix') return countIn(body) >= 2;
  return countIn(body) >= 1 || (!ASIDE.test(subject) && (body.match(REASON)?.length ?? 0) >= 2);
}

/** A bug that was fixed is none by itself: only harm that has a cause, a surprise, or an attempt that failed. */
function isPitfall({ subject, body }: Message): boolean {
  const sentences = [subject, ...body.split(/(?<=[.!?])\s+|\n\s*\n/)].map((text) => text.replace(/\s+/g, ' '));
  return sentences.some((sentence) => PITFALLS.some((pattern) => pattern.test(sentence)));
}

const HARM =
  '(?:deadlock|crash|fail|hung|hang|leak|corrupt|los[est]|race condition|data loss|twice|duplicat|double|infinite|time[ds]? out|timeout' +
  "|too slow|break|broke|outage|overload|overflow|exhaust|segfault|never (?:finish|return)|(?:did not|didn['’]t|does not) work|flak[ey])";

const PITFALLS = [
  // `A lock table was tried first and deadlocked.`
  new RegExp(`\\btried\\b.{0,100}\\b(?:and|but|which|it|however)\\b.{0,60}\\b${HARM}`, 'i'),
  // `Retrying without a key caused double charges.`
  new RegExp(`\\b(?:caus(?:ed|es)|led to|resulted in)\\b.{0,60}\\b${HARM}`, 'i'),
  // `It charged customers twice.`
  /\b(?:charged|billed|refunded|paid|e?mailed|notified|delivered|inserted|counted|wrote|sent)(?: \w+){1,4} (?:twice|several times)\b/i,
  /\b(?:turn(?:ed|s) out (?:to|that|not|it|the|this)|beware|watch out|gotcha|pitfall|caveat|surprisingly|counter-?intuitively)\b/i,
];

/** Never one that says more than its subject, nor one that moved files: whoever looks for them wants to know. */
export function isRoutine({ subject, body, parents, touches }: LoggedCommit): boolean {
  if (withoutTrailers(body) !== '') return false;
  if (parents.length > 1 || isOneWord(subject)) return true;
  return ROUTINE.some((pattern) => pattern.test(subject)) && !movesFiles(touches);
}

/** `wip`, `init`, `v1.2.0`. What is written without spaces is more than a word. */
const isOneWord = (subject: string) => /^[\p{Script=Latin}\d._!?:#/+-]{1,30}$/u.test(subject.trim());

const AREA = String.raw`^(?:\w+(?:\([^)]*\))?!?:\s*)?`;
const ROUTINE = [
  /^(?:chore|build|ci|style|deps|release|wip)(?:\([^)]*\))?!?:/i,
  new RegExp(`${AREA}(?:bump|wip|typos?|merge|release|re-?format|format|lint|fixup!|squash!|version)\\b`, 'i'),
  new RegExp(
    `${AREA}(?:fix(?:e[sd])?|correct(?:s|ed)?|more|minor|some)\\s+(?:(?:a|some|more|minor|the|small)\\s+)*` +
      '(?:typos?|spelling|lint(?:ing|er)?|formatting|whitespace|indentation|tweaks?)\\b',
    'i',
  ),
  /^(?:run|apply|appease)\s+(?:the\s+)?(?:prettier|black|biome|eslint|gofmt|rustfmt|isort|ruff|linter|formatter)\b/i,
  /^(?:update|upgrade)s?\s+(?:the\s+)?(?:changelog|lock ?file|dependenc(?:y|ies)|deps|version)\b/i,
  /^(?:initial commit|first commit|prepar(?:e|ing) (?:for )?release|version bump|back to dev|v?\d+(?:\.\d+)+)\b/i,
];

/** The bytes of a file that went are those of one that came. */
function movesFiles(touches: Touch[]): boolean {
  const gone = new Set(touches.filter(({ to }) => to === '').map(({ from }) => from));
  return touches.some(({ from, to }) => from === '' && to !== '' && gone.has(to));
}

/** Without the lines that only say who signed, reviewed or generated it. */
function withoutTrailers(body: string): string {
  return body
    .split('\n')
    .filter((line) => !TRAILER.test(line) && !REVERTS_LINE.test(line))
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

/** `Signed-off-by: …`, `Change-Id: …`: one or more words with hyphens before a colon, or what tools add. */
const TRAILER = new RegExp(
  String.raw`^\s*(?:[a-z]+(?:-[a-z]+)*-(?:by|id|on|url)|cc|differential revision|commit-queue|auto-submit|sponsored by)\s*:` +
    String.raw`|^\s*\(cherry picked from commit [0-9a-f]{7,64}\)|^\W*generated with \W*\w`,
  'i',
);

/** Told by the link between the two; the hash says nothing to a reader. */
const REVERTS_LINE = /^\s*this reverts commit [0-9a-f]{7,64}\.?\s*$/i;

type Reverted = { by: 'hash'; hash: string } | { by: 'subject'; subject: string };

/** Null for one that takes nothing back. */
function readReverted({ subject, body }: Message): Reverted | null {
  const [, hash] = /^\s*this reverts commit ([0-9a-f]{7,64})\b/im.exec(body) ?? [];
  if (hash) return { by: 'hash', hash: hash.toLowerCase() };
  const [, quoted] = /^revert:? ["“](.+)["”]/i.exec(subject) ?? [];
  return quoted ? { by: 'subject', subject: quoted } : null;
}

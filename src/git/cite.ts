// The files that a memory is about, as they are in the work tree now, and the lines that the memory's own edits changed in them.
import type { SessionEvent } from '../core/event.ts';
import type { Citation } from '../core/evidence.ts';
import type { ObservationDraft } from '../core/observation.ts';
import { hashKindOf, readHead } from './identity.ts';
import { markLine, markLines, pathInTree, readWorkBytes, readWorkFile } from './work-file.ts';

export type Cited = { head: string | null; branch: string | null; citations: Citation[] };
type Source = { root: string; events: SessionEvent[] };

const MOST_FILES = 40;
/** What changed more lines is known by its hash alone. */
const MOST_LINES = 40;
const NOTHING = { before: null, added: [], removed: [] };

export function citeFiles(draft: ObservationDraft, from: Source): Cited {
  const { commit: head, branch } = readHead(from.root);
  const kind = hashKindOf(head);
  const changes = readChanges(draft, from);
  const citations = listFiles(draft, from.root).map(({ path, did, inTree }): Citation => {
    if (inTree === null) return { path, did, blob: null, ...NOTHING };
    const { blob } = readWorkFile(`${from.root}/${inTree}`, kind);
    const change = did === 'read' ? null : changes(inTree);
    if (!change) return { path, did, blob, ...NOTHING };
    const text = readWorkBytes(`${from.root}/${inTree}`)?.toString('utf8');
    const { isThere, ...lines } = readLines(change, text ?? '');
    // The memory may be about the end of the file itself; one that rests on an edit of it is not.
    const isSeen = isThere || (text === undefined && !change.isCited);
    // How the file is without the change is nothing that bears the memory out.
    return { path, did, ...lines, blob: isSeen ? blob : null, before: change.own[0]?.created ? '' : null };
  });
  return { head, branch, citations };
}

/** What is in the work tree now says nothing about a change of long ago: only its own lines do. */
export function citeFromAfar(draft: ObservationDraft, from: Source): Cited {
  const changes = readChanges(draft, from);
  const citations = listFiles(draft, from.root).map(({ path, did, inTree }): Citation => {
    const change = did === 'changed' && inTree !== null ? changes(inTree) : null;
    const { isThere: _, ...lines } = change ? readLines(change, '') : { isThere: false, added: [], removed: [] };
    return { path, did, blob: null, before: null, ...lines };
  });
  return { head: null, branch: null, citations };
}

type NamedFile = Pick<Citation, 'path' | 'did'> & { inTree: string | null };

/** What was changed first; each file once, by its name in the work tree where it lies in it. */
function listFiles({ filesModified, filesRead }: ObservationDraft, root: string): NamedFile[] {
  const files = new Map<string, NamedFile>();
  const add = (did: Citation['did']) => (name: string) => {
    const inTree = pathInTree(name, root);
    const path = inTree ?? name;
    if (!files.has(path)) files.set(path, { path, did, inTree });
  };
  filesModified.forEach(add('changed'));
  filesRead.forEach(add('read'));
  return [...files.values()].slice(0, MOST_FILES);
}

type FileEdit = { id: string; lines: string[]; created: boolean };
/** `own`: the edits that the memory rests on, else all. */
type FileChange = { own: FileEdit[]; all: FileEdit[]; isCited: boolean };

/** By the file's name in the work tree; null where no edit of it is known. A failed one did nothing. */
function readChanges(draft: ObservationDraft, { root, events }: Source): (path: string) => FileChange | null {
  const edits = events.flatMap((event): (FileEdit & { path: string | null })[] => {
    const action = event.kind === 'tool' && event.error === null ? event.action : null;
    if (action?.type !== 'edit') return [];
    const lines = action.hunks.flatMap((hunk) => hunk.lines).filter((line) => /^[+-]/.test(line));
    return [{ path: pathInTree(action.file, root, event.cwd), id: event.id, lines, created: action.created === true }];
  });
  const byPath = Map.groupBy(edits, ({ path }) => path);
  const sources = new Set([...draft.sources, ...draft.facts.flatMap((fact) => fact.sources)]);
  return (path) => {
    const all = byPath.get(path);
    if (!all) return null;
    const cited = all.filter(({ id }) => sources.has(id));
    return { own: cited.length > 0 ? cited : all, all, isCited: cited.length > 0 };
  };
}

type ChangedLines = Pick<Citation, 'added' | 'removed'> & {
  /** The file shows something of the change. Not so: it was taken back or written over before anybody looked. */
  isThere: boolean;
};

/** A line that was both added and removed was only moved, or did not last. */
function readLines({ own, all }: FileChange, text: string): ChangedLines {
  const lines = markLines(text);
  const [mine, others] = [markChanges(own), markChanges(all)];
  const added = [...mine.added.keys()].filter((mark) => !others.removed.has(mark));
  const removed = [...mine.removed].filter((mark) => !others.added.has(mark));
  const kept = added.filter((mark) => lines.has(mark));
  const gone = removed.filter((mark) => !lines.has(mark));
  const isThere =
    added.length > 0
      ? kept.length > 0 || added.some((mark) => isPartOf(text, mine.added.get(mark) ?? ''))
      : gone.length > 0 || (removed.length === 0 && (mine.added.size === 0 || [...mine.added.keys()].some((mark) => lines.has(mark))));
  if (Math.max(added.length, removed.length) > MOST_LINES) return { added: [], removed: [], isThere };
  // Of what is not there, all that is known is told: so it is seen when the lines before it are back.
  return { added: kept.length > 0 ? kept : added, removed: isThere ? gone : removed, isThere };
}

function markChanges(edits: FileEdit[]): { added: Map<string, string>; removed: Set<string> } {
  const [added, removed] = [new Map<string, string>(), new Set<string>()];
  for (const line of edits.flatMap((edit) => edit.lines)) {
    const mark = markLine(line.slice(1));
    if (mark === null) continue;
    if (line.startsWith('+')) added.set(mark, line.slice(1).trim());
    else removed.add(mark);
  }
  return { added, removed };
}

/** A host may tell a part of a line, and a secret is never told: then the rest of it is looked for. */
const isPartOf = (text: string, line: string) => line.split(/\[secret:[^\]]*\]/).every((part) => text.includes(part.trim()));

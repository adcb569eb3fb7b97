// The files that a memory is about, as they are in the work tree now.
import type { SessionEvent } from '../core/event.ts';
import type { Citation } from '../core/evidence.ts';
import type { ObservationDraft } from '../core/observation.ts';
import { type FileEdit, listChangedLines, listEdits, undoEdits } from './edits.ts';
import { type HashKind, hashKindOf, readHead } from './head.ts';
import { pathInTree } from './tree-path.ts';
import { hashBlob, readWorkBytes, readWorkFile } from './work-file.ts';

export type Cited = { head: string | null; branch: string | null; citations: Citation[] };

const MOST_FILES = 40;

export function citeFiles(draft: ObservationDraft, from: { root: string; events: SessionEvent[] }): Cited {
  const { commit: head, branch } = readHead(from.root);
  const edits = listEdits(from.events, from.root);
  const sources = new Set([...draft.sources, ...draft.facts.flatMap((fact) => fact.sources)]);
  const kind = hashKindOf(head);
  const citations = listFiles(draft, from.root).map(({ path, did, inTree }): Citation => {
    if (inTree === null) return { path, did, blob: null, ...NOTHING };
    const file = `${from.root}/${inTree}`;
    const { blob } = readWorkFile(file, kind);
    if (did === 'read') return { path, did, blob, ...NOTHING };
    return { path, did, ...tellChange({ file, kind, blob, edits: edits.get(inTree) ?? [], sources }) };
  });
  return { head, branch, citations };
}

/** What is in the work tree now says nothing about a change of long ago: only its own lines do. */
export function citeFromAfar(draft: ObservationDraft, from: { root: string; events: SessionEvent[] }): Cited {
  const edits = listEdits(from.events, from.root);
  const sources = new Set([...draft.sources, ...draft.facts.flatMap((fact) => fact.sources)]);
  const citations = listFiles(draft, from.root).map(({ path, did, inTree }): Citation => {
    const all = edits.get(inTree ?? '') ?? [];
    const cited = all.filter(({ id }) => sources.has(id));
    const { added, removed } = listChangedLines(cited.length > 0 ? cited : all, all, '');
    return { path, did, blob: null, ...NOTHING, ...(did === 'changed' && { added, removed }) };
  });
  return { head: null, branch: null, citations };
}

const NOTHING = { before: null, added: [], removed: [] };

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

type ChangedFile = {
  file: string;
  kind: HashKind;
  blob: string | null;
  edits: FileEdit[];
  sources: ReadonlySet<string>;
};

function tellChange({ file, kind, blob, edits, sources }: ChangedFile): Omit<Citation, 'path' | 'did'> {
  const cited = edits.filter(({ id }) => sources.has(id));
  const own = cited.length > 0 ? cited : edits;
  const [first] = own;
  if (!first) return { blob, ...NOTHING };
  const text = readWorkBytes(file)?.toString('utf8');
  const { isThere, ...lines } = listChangedLines(own, edits, text ?? '');
  // The memory may be about the end of the file itself; one that rests on an edit of it is not.
  const isSeen = isThere || (text === undefined && cited.length === 0);
  // What came after its first edit is undone, too: only so does the text fit.
  const later = edits.slice(edits.indexOf(first));
  const before = first.created ? '' : hashBefore(text, later, kind);
  // How the file is without the change is nothing that bears the memory out.
  return { ...lines, blob: isSeen ? blob : null, before };
}

function hashBefore(text: string | undefined, edits: FileEdit[], kind: HashKind): string | null {
  const before = text === undefined ? null : undoEdits(text, edits);
  return before === null ? null : hashBlob(Buffer.from(before), kind);
}

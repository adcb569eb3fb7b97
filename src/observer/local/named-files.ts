// A decision or a finding that names a file is about that file, whether it was touched for it or not.
import type { ObservationDraft } from '../../core/observation.ts';
import { unique } from './draft.ts';
import { filesReadIn } from './files-read.ts';
import type { Turn } from './turn.ts';

const MOST = 5;
/** `src/retry.ts`, not an address, and nothing outside of the project. */
const PATH = /(?<![\w/:.@~-])(?:[\w@-][\w@.-]*\/)+[\w@-][\w@.-]*\.[a-z]\w{0,5}\b(?!\/)/gi;
const SHORTEST_NAME = 5;

/** Those that tell of no file yet. */
export function citeNamed(drafts: ObservationDraft[], turn: Turn): ObservationDraft[] {
  const touched = unique([
    ...turn.steps.flatMap((step) => step.edits.map((edit) => edit.file)),
    ...filesReadIn(turn.steps, turn.root),
  ]);
  return drafts.map((draft) => {
    if (draft.filesRead.length > 0 || draft.filesModified.length > 0) return draft;
    const text = [draft.title, draft.subtitle, draft.narrative, ...draft.facts.map((fact) => fact.text)].join('\n');
    const named = [...touched.filter((file) => isNamed(file, text)), ...listPaths(text)];
    return { ...draft, filesRead: unique(named).slice(0, MOST) };
  });
}

/** The paths that a text names, each once. */
export const listPaths = (text: string) => unique(text.match(PATH) ?? []).slice(0, MOST);

/** By its path, or by its name where that is long enough to be its own. */
function isNamed(file: string, text: string): boolean {
  const name = file.split('/').at(-1) ?? file;
  if (text.includes(file)) return true;
  const at = text.indexOf(name);
  return name.length >= SHORTEST_NAME && name.includes('.') && at >= 0 && !/[\w/-]/.test(text[at - 1] ?? ' ');
}

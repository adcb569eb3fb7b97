// A file that nobody calls their own: its lines are taken as what they are, somebody's, and speak neither as the user nor everywhere.
import type { ExportLine, ObservationLine } from '../../core/export.ts';
import { isInjection } from '../../core/instruction-like.ts';
import type { ObservationDraft, Origin } from '../../core/observation.ts';
import { TRUST } from '../../core/trust.ts';
import { readableText } from '../../store/memories/observations.ts';
import { GLOBAL_KEY } from '../../store/projects/projects.ts';
import { draftObservation } from './export-drafts.ts';
import type { Taken } from './taken.ts';

/** Only whoever wrote it may say so. */
export const NOT_MINE: Taken = { kind: 'refused', reason: 'not-mine' };

/**
 * Null for what would be the user's word here: a prompt, the summary of a session, what stands in the place of what, whom to
 * distrust, what to forget, and whatever holds in every project.
 */
export function asImported(line: ExportLine): ExportLine | null {
  switch (line.kind) {
    case 'project':
      // By its key alone: where it lies, and what else is the same project, is not for a file to say.
      return line.key === GLOBAL_KEY
        ? null
        : { ...line, root: '', remote: null, firstCommit: null, isRenamed: false, aliases: [] };
    case 'session':
      return line.project === GLOBAL_KEY
        ? null
        : { ...line, title: null, subtitle: null, firstPrompt: null, prompts: 0 };
    case 'observation':
      return line.project === GLOBAL_KEY ? null : withoutMarks(line);
    default:
      return null;
  }
}

/** What its person said of it is not said by ours. */
function withoutMarks(line: ObservationLine): ObservationLine {
  const origin = importedOrigin(line.origin);
  return {
    ...line,
    origin,
    trust: Math.min(line.trust, TRUST[origin]),
    isPinned: false,
    isKept: false,
    isRule: false,
    editedAt: null,
    isQuarantined: line.isQuarantined || isInjection(readableText(draftObservation(line))),
    commits: line.commits.map((commit) => ({ ...commit, isOwn: null })),
  };
}

export const asImportedDraft = (draft: ObservationDraft): ObservationDraft => ({
  ...draft,
  origin: importedOrigin(draft.origin),
});

const importedOrigin = (origin: Origin): Origin => (KNOWN_AS_OTHERS.includes(origin) ? origin : 'imported');
const KNOWN_AS_OTHERS: Origin[] = ['commit', 'web', 'mcp'];

// What speaks for a memory when it is stored: the code as it is, the errors behind it, and whom it rests on.
import { markError } from '../core/error-mark.ts';
import type { SessionEvent, ToolEvent } from '../core/event.ts';
import type { Evidence, EvidenceSource, ReadEvidence } from '../core/evidence.ts';
import { isInjection, readsLikeInstructions } from '../core/instruction-like.ts';
import type { ObservationDraft } from '../core/observation.ts';
import { INJECTED_TRUST, TRUST } from '../core/observation.ts';
import { type Cited, citeFiles, citeFromAfar } from '../git/cite.ts';
import { readableText } from '../memory/observations.ts';
import { contentWords } from './sentences.ts';
import { isSameRun } from './turn.ts';

/** Of what happened just now. */
export const readEvidence: ReadEvidence = (draft, from) => judge(draft, from, citeFiles(draft, from));

/** Later than any turn is observed in the ordinary way: the work tree has gone on. */
const LONG_AGO_MS = 3_600_000;

/** Of what happened at any time. */
export const createReadEvidence =
  (clock: () => number): ReadEvidence =>
  (draft, from) =>
    clock() - draft.at > LONG_AGO_MS ? judge(draft, from, citeFromAfar(draft, from)) : readEvidence(draft, from);

function judge(draft: ObservationDraft, from: EvidenceSource, cited: Cited): Evidence {
  const trust = draft.trust ?? TRUST[draft.origin];
  return {
    ...cited,
    errorMarks: [...new Set(listAnsweredErrors(draft, from).flatMap(markError))],
    trust,
    isQuarantined: isSteering(draft, trust),
  };
}

/** People and agents tell each other what to do. Files and commands say it to people, too: of theirs only what is meant for an agent. */
export function isSteering(draft: ObservationDraft, trust: number): boolean {
  if (trust < INJECTED_TRUST) return readsLikeInstructions(readableText(draft));
  return (draft.origin === 'file' || draft.origin === 'command') && isInjection(readableText(draft));
}

const MOST_ERRORS = 4;
/** Words that both the error and the memory have: a model names more sources than it speaks of. */
const SHARED_WORDS = 3;

/** What the failed tools said that it rests on, and of a fix also what the user showed. A decision answers none. */
function listAnsweredErrors(draft: ObservationDraft, { events, earlier = [] }: EvidenceSource): string[] {
  const isFix = draft.type === 'bugfix' || draft.outcome === 'ruled-out';
  if (draft.type === 'decision') return [];
  const cited = new Set([...draft.sources, ...draft.facts.flatMap(({ sources }) => sources)]);
  const tools = [...earlier, ...events].filter(isTool);
  const failed = tools.filter((tool, at) => tool.error !== null && (cited.has(tool.id) || (isFix && isMended(tools, at, cited))));
  const told = failed.filter((tool) => answers(draft, tool.error ?? ''));
  const shown = events.flatMap((event) => (event.kind === 'prompt' && draft.type === 'bugfix' ? [event.text] : []));
  return [...new Set([...shown, ...told.map(({ error }) => error ?? '')])].slice(-MOST_ERRORS);
}

/** What was refused did not run. */
const isTool = (event: SessionEvent): event is ToolEvent => event.kind === 'tool' && !event.isUndone;

/** An edit that the memory rests on came after it, and then the same run passed. */
function isMended(tools: ToolEvent[], at: number, cited: Set<string>): boolean {
  const edit = tools.findIndex((tool, later) => later > at && cited.has(tool.id) && tool.action?.type === 'edit');
  const command = commandOf(tools[at]);
  return edit >= 0 && command !== null && tools.slice(edit).some((tool) => tool.error === null && isAgain(tool, command));
}

const isAgain = (tool: ToolEvent, command: string) => {
  const other = commandOf(tool);
  return other !== null && isSameRun(other, command);
};

function commandOf(tool: ToolEvent | undefined): string | null {
  return tool?.action.type === 'command' ? tool.action.command : null;
}

/** A fix does; what only met it on its way, when it speaks of it. */
export const answers = (draft: ObservationDraft, error: string): boolean =>
  draft.type === 'bugfix' || draft.outcome === 'ruled-out' || isToldOf(error, draft);

function isToldOf(error: string, draft: ObservationDraft): boolean {
  const told = new Set(contentWords(readableText(draft)));
  const said = new Set(contentWords(error.slice(0, 4000)));
  const shared = [...said].filter((word) => told.has(word)).length;
  return shared > 0 && shared >= Math.min(SHARED_WORDS, said.size);
}

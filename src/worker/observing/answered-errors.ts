// The errors that a memory answers: what it fixes, what ruled something out, what it explains. By them it is found when one comes back.
import type { SessionEvent, ToolEvent } from '../../core/event.ts';
import type { EvidenceSource } from '../../core/evidence.ts';
import type { ObservationDraft } from '../../core/observation.ts';
import { soundAction } from '../../core/sound-action.ts';
import { contentWords } from '../../observe/sentences.ts';
import { isSameRun } from '../../observe/turn.ts';

const MOST_ERRORS = 4;
/** Words that both the error and the memory have: a model names more sources than it speaks of. */
const SHARED_WORDS = 3;

/** What the failed tools said. None for work that answers no error, whatever failed on the way. */
export function listAnsweredErrors(draft: ObservationDraft, { events, earlier = [] }: EvidenceSource): string[] {
  const isFix = draft.type === 'bugfix' || draft.outcome === 'ruled-out';
  if (!isFix && draft.type !== 'discovery') return [];
  const cited = new Set([...draft.sources, ...draft.facts.flatMap(({ sources }) => sources)]);
  const tools = [...earlier, ...events].filter(isTool);
  const failed = tools.filter(
    (tool, at) => tool.error !== null && (cited.has(tool.id) || (isFix && isMended(tools, at, cited))),
  );
  const told = failed.filter((tool) => isFix || isToldOf(tool.error ?? '', draft));
  return [...new Set(told.map(({ error }) => error ?? ''))].slice(-MOST_ERRORS);
}

const isTool = (event: SessionEvent): event is ToolEvent => event.kind === 'tool';

/** An edit that the memory rests on came after it, and then the same run passed. */
function isMended(tools: ToolEvent[], at: number, cited: Set<string>): boolean {
  const edit = tools.findIndex((tool, later) => later > at && cited.has(tool.id) && tool.action?.type === 'edit');
  const command = commandOf(tools[at]);
  return (
    edit >= 0 && command !== null && tools.slice(edit).some((tool) => tool.error === null && isAgain(tool, command))
  );
}

const isAgain = (tool: ToolEvent, command: string) => {
  const other = commandOf(tool);
  return other !== null && isSameRun(other, command);
};

function commandOf(tool: ToolEvent | undefined): string | null {
  const action = tool && soundAction(tool.action);
  return action?.type === 'command' ? action.command : null;
}

function isToldOf(error: string, { title, subtitle, narrative, facts }: ObservationDraft): boolean {
  const told = new Set(contentWords([title, subtitle, narrative, ...facts.map(({ text }) => text)].join(' ')));
  const said = new Set(contentWords(error.slice(0, 4000)));
  const shared = [...said].filter((word) => told.has(word)).length;
  return shared > 0 && shared >= Math.min(SHARED_WORDS, said.size);
}

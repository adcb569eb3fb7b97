// Whose words a turn has, read from its record: what a rebuild judges memories by, when the events are gone.

import { readFetching } from '../core/fetch.ts';
import type { Batch, Origin } from '../core/observation.ts';
import { wordsIn } from '../memory/content-words.ts';
import { type Grounds, groundsOf } from '../memory/untrusted.ts';
import { buildBatch } from '../turns/build.ts';
import { isFromOutside, isUntrustedAt, type Step, writeRecord } from '../turns/record.ts';
import { withUnshown } from '../turns/turns.ts';
import { PROMPT } from './draft.ts';
import { INTERRUPTED } from './summary.ts';
import type { ObservedTurn } from './turn.ts';

/**
 * Sources are numbers of steps; `before`: the turns right before it. Null where words came from outside and nobody judged, when they were
 * known, what bears them out.
 */
export function readGrounds({ prompt, record }: ObservedTurn, before: ObservedTurn[], firstPrompt: string): Grounds | null {
  const { steps, unshown } = record;
  const earlier = before.flatMap((turn) => turn.record.steps);
  const all = [...earlier, ...steps];
  const isAfterOutside = isUntrustedAt(earlier, earlier.length);
  if (!unshown && (isAfterOutside || steps.some(isFromOutside))) return null;
  // It was judged so for what came too long before to be looked at.
  if (unshown && !isAfterOutside && !steps.some(isFromOutside)) all.unshift({ kind: 'web', source: '' });
  const first = all.length - steps.length;
  return {
    readSource(source) {
      const at = Number(source);
      const speaker = speakerAt(steps, at);
      const step = steps[at];
      const isRightAfter = speaker === 'agent' && isUntrustedAt(all, first + at);
      return speaker && { speaker, isUntrusted: step !== undefined && isFromOutside(step), isRightAfter };
    },
    known: shownWords({ prompt, record }, firstPrompt),
  };
}

/** The same while the events are there: by what its record will say. */
export function groundsOfBatch(batch: Batch): Grounds {
  const { events, earlier, session } = batch;
  const firstPrompt = session.firstPrompt ?? '';
  const grounds = groundsOf({ events, earlier, asked: [firstPrompt] });
  if (!grounds.known) return grounds;
  const prompt = events.flatMap((event) => (event.kind === 'prompt' ? [event.text] : [])).join('\n');
  const record = withUnshown(buildBatch(batch).record, grounds.known);
  return { ...grounds, known: shownWords({ prompt, record }, firstPrompt) };
}

/** Null where nothing came from outside. */
function shownWords({ prompt, record: { unshown, ...record } }: ObservedTurn, firstPrompt: string): Set<string> | null {
  // What we say of it ourselves needs nobody to bear it out.
  return unshown ? wordsIn([prompt, writeRecord(record), firstPrompt, INTERRUPTED]).difference(new Set(unshown)) : null;
}

/** The closing message stands behind the last step. */
function speakerAt(steps: Step[], at: number): Origin | null {
  if (at === PROMPT) return 'user';
  const step = steps[at];
  if (!step) return at === steps.length ? 'agent' : null;
  switch (step.kind) {
    case 'web':
    case 'mcp':
      return step.kind;
    case 'read':
    case 'searched':
    case 'edited':
      return 'file';
    case 'asked':
    case 'refused':
      return 'user';
    case 'planned':
      return step.isApproved ? 'agent' : 'user';
    case 'ran':
      return readFetching(step.command) === 'first' ? 'web' : 'command';
    case 'committed':
      return speakerAt(
        steps,
        steps.findLastIndex((one, before) => before < at && one.kind === 'ran'),
      );
    case 'said':
    case 'agent':
    case 'todo':
    case 'interrupted':
      return 'agent';
  }
}

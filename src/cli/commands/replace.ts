// `claude-mem replace`: a person says which of two memories holds.
import { createMemoryApi } from '../../client/memory-api.ts';
import type { ReplaceAnswer } from '../../core/correction.ts';
import type { MemoryRow } from '../../core/memory.ts';
import { plainLine } from '../../core/plain-line.ts';
import { findPaths } from '../../paths.ts';
import { printJson, readIds } from '../memory-options.ts';

export type ReplaceOptions = { bothHold?: boolean; undo?: boolean; json?: boolean };

export async function replace(
  saidOlder: string,
  saidNewer: string | undefined,
  options: ReplaceOptions,
): Promise<void> {
  const { undo = false, bothHold = false } = options;
  if (undo && bothHold) throw new Error('Give --undo or --both-hold, not both. Nothing was changed.');
  const [older = ''] = readIds([saidOlder]);
  const [newer] = saidNewer === undefined ? [] : readIds([saidNewer]);
  const answer = await createMemoryApi(findPaths()).replace({
    older,
    ...(newer === undefined ? {} : { newer }),
    ...{ undo, bothHold, by: 'user' },
  });
  if (options.json) return printJson(answer);
  console.log(describe(answer));
}

function describe({ older, newer, state }: ReplaceAnswer): string {
  const [first] = newer;
  const others = newer.map(({ id }) => `#${id}`).join(', ');
  if (state === 'undone') return `${name(older)} is not replaced by ${others}, and nothing marks it so again.`;
  const undo = `To undo: claude-mem replace ${older.id} ${first?.id} --undo`;
  if (state === 'both hold') return `Both hold: ${name(older)} and ${first ? name(first) : ''}. ${undo}`;
  return `${name(older)} is replaced by ${first ? name(first) : ''}. It is still found, with a mark. ${undo}`;
}

const name = ({ id, title }: MemoryRow) => `#${id} ${plainLine(title, 100)}`;

// `claude-mem edit`: a person says what a memory should say.
import { createMemoryApi } from '../../client/memory-api.ts';
import type { CorrectionParameters } from '../../core/correction.ts';
import { parseRef } from '../../core/memory.ts';
import { findPaths } from '../../paths.ts';
import { nameMemory } from '../correct-each.ts';
import { printJson, readIds } from '../memory-options.ts';

export type EditOptions = {
  title?: string;
  subtitle?: string;
  text?: string;
  type?: string;
  holds?: boolean;
  supersededBy?: string;
  json?: boolean;
};

export async function edit(said: string, options: EditOptions): Promise<void> {
  const [id = ''] = readIds([said]);
  const changes = await readChanges(options);
  if (Object.keys(changes).length === 0) {
    throw new Error(
      `Say what to change: claude-mem edit ${id} --title "…" --text "…" --type decision. --text - reads it from stdin. Nothing was changed.`,
    );
  }
  const { memory } = await createMemoryApi(findPaths()).correct(id, { ...changes, by: 'user' });
  if (options.json) return printJson({ memory });
  console.log(`Changed: ${nameMemory(memory)}. ${undoOf(id, options)}`);
}

/** A text stands in the place of all that was below the title. */
async function readChanges(options: EditOptions): Promise<CorrectionParameters> {
  const { title, subtitle, text, type, holds, supersededBy } = options;
  if (holds && supersededBy !== undefined)
    throw new Error('It either holds or is replaced: give --holds or --superseded-by, not both.');
  if (supersededBy !== undefined && parseRef(supersededBy)?.kind !== 'observation')
    throw new Error(
      `"${supersededBy.slice(0, 60)}" is not the id of an observation. Give one, like --superseded-by 123, or --holds if it still holds.`,
    );
  const said = text === '-' ? await Bun.stdin.text() : text;
  return {
    ...(title === undefined ? {} : { title }),
    ...(subtitle === undefined ? {} : { subtitle: subtitle || null }),
    ...(said === undefined ? {} : { narrative: said, facts: [] }),
    ...(type === undefined ? {} : { type }),
    ...(holds ? { supersededBy: null } : {}),
    ...(supersededBy === undefined ? {} : { supersededBy }),
  };
}

function undoOf(id: string, { title, subtitle, text, type, holds }: EditOptions): string {
  const isReworded = [title, subtitle, text, type].some((said) => said !== undefined);
  if (isReworded) return `The old words are kept nowhere; to change it again: claude-mem edit ${id}`;
  return `To undo: claude-mem replace ${id} ${holds ? 'NEW' : '--undo'}`;
}

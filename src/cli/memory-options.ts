// What is said on the command line about memories → what the worker is asked.
import { formatRef, parseRef } from '../core/memory.ts';

/** Whose memories: those of the project we are in, of a named one, or of all. */
export type ScopeOptions = { project?: string; all?: boolean };

export function readScope({ project, all }: ScopeOptions): { cwd?: string; project?: string; all?: boolean } {
  if (all) return { all };
  return project ? { project } : { cwd: process.cwd() };
}

export function readList(text: string | undefined): string[] | undefined {
  const list = text?.split(',').flatMap((part) => part.trim() || []);
  return list && list.length > 0 ? list : undefined;
}

export function readCount(option: string, text: string | undefined, least = 0): number | undefined {
  if (text === undefined) return undefined;
  const count = /^\d+$/.test(text) ? Number(text) : -1;
  if (count < least) throw new Error(`${option} takes a number from ${least}, not "${text.slice(0, 60)}".`);
  return count;
}

/** In their one spelling, each once. */
export function readIds(said: string[]): string[] {
  const ids = said
    .flatMap((text) => text.split(','))
    .map((text) => {
      const ref = parseRef(text);
      if (!ref)
        throw new Error(
          `"${text.slice(0, 60)}" is no id. Ids are like 123, S12 or P34; \`claude-mem search\` finds them.`,
        );
      return formatRef(ref);
    });
  return [...new Set(ids)];
}

export const printJson = (answer: unknown) => console.log(JSON.stringify(answer, null, 2));

// What is said on the command line → what the worker is asked.
import { resolve } from 'node:path';
import { createMemoryApi, type MemoryApi } from '../client/memory-api.ts';
import { formatRef, parseRef } from '../core/memory.ts';
import { findAgent } from '../environment.ts';
import { findAgentPlace, findPaths, homeDir } from '../paths.ts';
import { misuse } from './command.ts';

/** The memory as a command asks for it: for an agent that runs the command, only its own project. */
export const openMemory = (): MemoryApi => createMemoryApi(findPaths(), findAgent() === null ? undefined : findAgentPlace());

/** All of it, also for an agent: what a command lists that `who` allows, or a person changes. */
export const openAllMemory = (): MemoryApi => createMemoryApi(findPaths());

/** Whose memories: those of the project we are in, of a named one, or of all. */
export const SCOPE = { '--project <name>': 'Another project', '--all': 'Every project, not only the one you are in' };
export function readScope({ project, all }: { project?: string; all?: boolean }): Place & { all?: boolean } {
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
  if (count < least) throw misuse(`${option} takes a number from ${least}, not "${text.slice(0, 60)}".`);
  return count;
}

/** In their one spelling, each once. */
export function readIds(said: string[]): string[] {
  const ids = said
    .flatMap((text) => text.split(','))
    .map((text) => {
      const ref = parseRef(text);
      if (!ref) throw misuse(`"${text.slice(0, 60)}" is no id. Ids are like 123, S12 or P34; \`claude-mem search\` finds them.`);
      return formatRef(ref);
    });
  return [...new Set(ids)];
}

export const nameIds = (ids: string[]) => ids.map((id) => `#${id}`).join(', ');

export type ProjectOption = string | true;
export type Place = { cwd?: string; project?: string };

/** `--project [name]`: alone the folder we are in, with a path that folder, else a name or a remote. */
export function readPlace(option: ProjectOption): { cwd: string; project?: never } | { project: string; cwd?: never };
export function readPlace(option: ProjectOption | undefined): Place;
export function readPlace(option: ProjectOption | undefined): Place {
  if (option === undefined) return {};
  if (option === true) return { cwd: process.cwd() };
  if (!/^[./~]/.test(option)) return { project: option };
  return { cwd: resolve(option.replace(/^~(?=$|\/)/, () => homeDir())) };
}

export function spellProject(option: string): string {
  const { cwd, project = option } = readPlace(option);
  return cwd ?? project;
}

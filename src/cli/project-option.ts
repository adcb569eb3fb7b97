// What `--project [name]` means: alone the folder we are in, with a path that folder, else a name or a remote.
import { resolve } from 'node:path';
import { homeDir } from '../paths.ts';

export type ProjectOption = string | true;

export type SaidProject = { kind: 'folder'; path: string } | { kind: 'name'; name: string };

export function readProject(option: ProjectOption): SaidProject {
  if (option === true) return { kind: 'folder', path: process.cwd() };
  if (!/^[./~]/.test(option)) return { kind: 'name', name: option };
  return { kind: 'folder', path: resolve(option.replace(/^~(?=$|\/)/, () => homeDir())) };
}

// The coding agents we know.
import { claudeCode } from './claude-code/host.ts';
import type { Host } from './host.ts';

const HOSTS: Record<string, Host> = { [claudeCode.name]: claudeCode };

export function findHost(name: string): Host | undefined {
  return HOSTS[name];
}

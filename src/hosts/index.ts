// The coding agents we know.
import { claudeCode } from './claude-code/host.ts';
import { codex } from './codex/host.ts';
import { gemini } from './gemini/host.ts';
import type { Host } from './host.ts';

const HOSTS = new Map<string, Host>([claudeCode, codex, gemini].map((host) => [host.name, host]));

export function findHost(name: string): Host | undefined {
  return HOSTS.get(name);
}

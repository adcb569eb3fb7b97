// Reads transcripts into a store as the worker does: one session's file, or all that lie in a folder.

import type { Database } from 'bun:sqlite';
import { statSync } from 'node:fs';
import { claudeCode as host } from '../../src/agents/claude-code/agent.ts';
import { takeSession } from '../../src/capture/take-session.ts';
import { findSession, findSessions } from '../../src/capture/transcript-files.ts';
import { CAPTURE_ALL } from './capture-settings.ts';

export async function readInto(db: Database, path: string): Promise<void> {
  const whole = { ...host, folders: [{ folder: path, pattern: '**/*.jsonl' }] };
  const found = statSync(path).isDirectory() ? await findSessions([whole], '/') : [await findSession(host, path)];
  const deps = { db, options: () => ({ ...CAPTURE_ALL, skipTools: ['Skill'] }), clock: Date.now, pause: () => Promise.resolve() };
  for (const session of found) if (session) await takeSession(session, deps, { isOver: true, isEnd: true });
}

// What a Codex transcript says of itself in its first line: whose it is, where, and what it comes from.
import { asRecord, type Fields, text } from '../fields.ts';
import type { TranscriptFile } from '../transcript.ts';
import { readRolloutLine, readTime } from './rollout-line.ts';

export type Origin = {
  /** The session, or of a subagent its own thread. */
  id: string;
  cwd: string;
  branch: string | null;
  at: number | null;
  /** The session that this one goes on from. */
  parent: string | null;
  /** Set when a session started it as its agent. */
  agent: { session: string; type: string } | null;
};

/** `beginning` may be cut off in the middle of the line: then what can be found in it counts. */
export function readOrigin(file: TranscriptFile, beginning: string): Origin {
  const [first = ''] = beginning.split('\n', 1);
  const line = readRolloutLine(first);
  const isCut =
    line === null && /^\{(?:"timestamp":"[^"]{0,40}",(?:"ordinal":\d+,)?"type":"session_meta"|"id":)/.test(first);
  const body = line?.kind === 'session' ? line.body : isCut ? findFields(first) : {};
  return { ...describeOrigin(body), id: text(body.id) || (file.session ?? '') };
}

export function describeOrigin(body: Fields): Origin {
  const id = text(body.id);
  const branch = text(asRecord(body.git).branch) || null;
  const parent = text(body.forked_from_id) || null;
  return { id, cwd: text(body.cwd), branch, at: readTime(body.timestamp), parent, agent: readAgent(body, id) };
}

function readAgent(body: Fields, id: string): Origin['agent'] {
  const started = asRecord(body.source).subagent;
  if (started === undefined && body.thread_source !== 'subagent') return null;
  const { parent_thread_id, agent_role, agent_nickname } = asRecord(asRecord(started).thread_spawn);
  const root = text(body.session_id) === id ? '' : text(body.session_id);
  const session = root || text(parent_thread_id) || text(body.parent_thread_id);
  const type = text(agent_role) || text(body.agent_role) || text(agent_nickname) || text(started) || 'subagent';
  return session ? { session, type } : null;
}

function findFields(line: string): Fields {
  const find = (name: string) => new RegExp(`"${name}":"((?:[^"\\\\]|\\\\.){1,4000})"`).exec(line)?.[1];
  const cwd = find('cwd')?.replaceAll('\\\\', '\\');
  return {
    id: find('id'),
    session_id: find('session_id'),
    cwd,
    timestamp: find('timestamp'),
    forked_from_id: find('forked_from_id'),
  };
}

/** The first versions tell the folder only to the model. */
export function findCwd(surroundings: string): string | null {
  const [, cwd] =
    /<cwd>([^<\n]{1,4000})<\/cwd>|^Current working directory: (.{1,4000})$/m.exec(surroundings)?.filter(Boolean) ?? [];
  return cwd ?? null;
}

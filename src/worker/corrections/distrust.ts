// Whose memories are told to nobody: a person names a session, a host or a kind of origin, or a memory for its session.
import type { Database } from 'bun:sqlite';
import { AskError } from '../../core/ask-error.ts';
import {
  type DistrustAnswer,
  type DistrustParameters,
  formatSource,
  parseSource,
  type Source,
} from '../../core/correction.ts';
import { formatRef, type MemoryRef, parseRef } from '../../core/memory.ts';
import { distrust, findSessionOf, isKnownSource, listDistrusted, trustAgain } from '../../store/trust/distrust.ts';
import { requirePerson } from './require-person.ts';

export function changeTrust(db: Database, asked: DistrustParameters, now: number): DistrustAnswer {
  requirePerson(asked.by);
  return db
    .transaction(() => {
      const source = findSource(db, asked.source);
      const isChanged = asked.trusted ? trustAgain(db, source) : distrust(db, source, now);
      return { source: formatSource(source), isChanged, sources: listDistrusted(db) };
    })
    .immediate();
}

function findSource(db: Database, text: string): Source {
  const ref = parseRef(text);
  if (ref) return findSessionSource(db, ref);
  const source = parseSource(text);
  if (!source) {
    throw new AskError(
      'invalid',
      `"${text.slice(0, 60)}" is no source.`,
      'Sources are session:ID, host:NAME, origin:user|agent|command|file|commit|web|mcp, or the id of a memory for its session.',
    );
  }
  // One that was distrusted before its session was forgotten can still be trusted again.
  if (isKnownSource(db, source) || listDistrusted(db).some((known) => known.source === formatSource(source)))
    return source;
  throw new AskError(
    'unknown',
    `Nothing is remembered from ${formatSource(source)}.`,
    'See `claude-mem show ID` for the session.',
  );
}

/** What was said by hand is all in one session of its project: distrusting that would put away every note of it. */
function findSessionSource(db: Database, ref: MemoryRef): Source {
  const id = formatRef(ref);
  const session = findSessionOf(db, ref);
  if (!session) throw new AskError('unknown', `There is no memory ${id}.`, 'Nothing was changed.');
  if (session.host === 'claude-mem') {
    const hint = `To take back this one alone: claude-mem wrong ${id}`;
    throw new AskError('conflict', `${id} was said by hand, it came from no session of an agent.`, hint);
  }
  if (session.host === 'git') {
    const hint = `To take back this one alone: claude-mem wrong ${id}; to distrust every commit: claude-mem distrust origin:commit`;
    throw new AskError('conflict', `${id} is a commit, it came from no session of an agent.`, hint);
  }
  return { kind: 'session', id: session.hostSessionId };
}

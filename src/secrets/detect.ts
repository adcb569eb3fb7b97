// Finds the secrets of a text: one pass of the pre-filter, and a closer look only where it points to.
import { type Context, findAssigned } from './assignment.ts';
import { COMMAND_LITERALS, findCommandPassword, findSqlPassword } from './command.ts';
import { createNameJudge, type NamedSecret, readNameRules } from './name.ts';
import { findPemHead, findPemTail, findPutty } from './pem.ts';
import type { Find, Span } from './span.ts';
import { findToken, readTokenRules } from './tokens.ts';
import { buildTriggerTable, hashAt, isTriggered, MASK, type Trigger } from './trigger.ts';
import { findUserInfo, URL_LITERALS } from './url.ts';

export type Detector = {
  /** In order, without overlap. */
  findSecrets: (text: string) => Span[];
  /** Looks only at this place, only for secrets known by their shape. */
  findTokenAt: Find;
  judgeName: (name: string) => NamedSecret | null;
};

export function createDetector(): Detector {
  const byShape = tokenTriggers();
  const tokens = buildTriggerTable(byShape);
  const findTokenAt: Find = (text, at) => tryTriggers(tokens.triggers.get(hashAt(text, at)), text, at);
  const nameRules = readNameRules();
  const judgeName = createNameJudge(nameRules);
  const { isMarked, triggers } = buildTriggerTable([
    ...byShape,
    ...contextTriggers({ judgeName, findTokenAt }, new Set(nameRules.flatMap(({ parts }) => parts))),
  ]);

  function findSecrets(text: string): Span[] {
    const spans: Span[] = [];
    let hash = 0;
    let lastEnd = 0;
    for (let i = 0; i < text.length; i++) {
      hash = ((hash << 5) & MASK) | (text.charCodeAt(i) & 31);
      if (isMarked[hash] === 0 || i < lastEnd + 2) continue;
      const span = tryTriggers(triggers.get(hash), text, i - 2);
      if (span === null || span.to <= lastEnd) continue;
      add(spans, span);
      lastEnd = span.to;
      i = lastEnd - 1;
    }
    return spans;
  }
  return { findSecrets, findTokenAt, judgeName };
}

function tokenTriggers(): Trigger[] {
  return readTokenRules().flatMap((rule) =>
    rule.starts.map((literal) => ({
      literal,
      ignoreCase: false,
      find: (text: string, at: number) => findToken(rule, literal, text, at),
    })),
  );
}

function contextTriggers(context: Context, parts: Iterable<string>): Trigger[] {
  const assigned: Find = (text, at) => findAssigned(context, text, at);
  const exact = (literal: string, find: Find): Trigger => ({ literal, ignoreCase: false, find });
  return [
    ...[...parts].map((literal) => ({ literal, ignoreCase: true, find: assigned })),
    ...COMMAND_LITERALS.map((literal) => exact(literal, findCommandPassword)),
    { literal: 'identified', ignoreCase: true, find: findSqlPassword },
    ...URL_LITERALS.map((literal) => exact(literal, findUserInfo)),
    exact('BEGIN ', findPemHead),
    exact('END ', findPemTail),
    exact('Private-Lines:', findPutty),
  ];
}

function tryTriggers(triggers: readonly Trigger[] | undefined, text: string, at: number): Span | null {
  if (triggers === undefined) return null;
  for (const trigger of triggers) {
    if (!isTriggered(trigger, text, at)) continue;
    const span = trigger.find(text, at);
    if (span !== null && span.to > span.from) return span;
  }
  return null;
}

// A secret may reach back over ones found before it (a key whose beginning was cut off): then it takes them in.
function add(spans: Span[], span: Span): void {
  let { from } = span;
  for (let last = spans.at(-1); last !== undefined && last.to > from; last = spans.at(-1)) {
    from = Math.min(from, last.from);
    spans.pop();
  }
  spans.push({ ...span, from });
}

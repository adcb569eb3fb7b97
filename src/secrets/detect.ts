// Finds the secrets of a text: one pass of the pre-filter, and a closer look only where it points to.
import { type Context, findAssigned } from './assignment.ts';
import { findEchoed, findHereString, findSqlPassword, readCalls, readOptions } from './command.ts';
import { createNameJudge, type NamedSecret, readLanguages, readNameRules } from './name.ts';
import { findPemHead, findPemTail, findPutty } from './pem.ts';
import { createPlaceFinder } from './place.ts';
import { toPlain } from './plain.ts';
import { findClusterData, findInserted } from './rows.ts';
import { type Find, type FindAt, holdsMark, mergeSpans, type Scan, type Span } from './span.ts';
import { findToken, readTokenRules } from './tokens.ts';
import { buildTriggerTable, goesOn, isTriggered, keyAt, MASK, type Trigger, type TriggerGroup } from './trigger.ts';
import { findUnnamed, readPlaces } from './unnamed.ts';
import { DSN_LITERALS, findDsn, findUserInfo, URL_LITERALS } from './url.ts';
import { findWrapped } from './wrapped.ts';

export type Detector = {
  /** In order, without overlap. */
  findSecrets: (text: string) => Span[];
  /** Looks only at this place, only for secrets known by their shape. */
  findTokenAt: FindAt;
  judgeName: (name: string) => NamedSecret | null;
};

export function createDetector(): Detector {
  const findTokenAt: FindAt = (scan, at) => tryTriggers(table.groups[keyAt(scan.text, at)], scan, at, true);
  const nameRules = readNameRules();
  const judgeName = createNameJudge(nameRules);
  const context: Context = { judgeName, findPlace: createPlaceFinder(readLanguages()), findTokenAt };
  const parts = new Set(nameRules.flatMap((rule) => rule.parts));
  const table = buildTriggerTable([...tokenTriggers(), ...contextTriggers(context, parts)]);

  const places = readPlaces();

  function scanText(text: string): Span[] {
    const scan: Scan = { text, aside: [], rowsEnd: 0 };
    const spans = runOver(table, scan);
    const named = scan.aside.length === 0 ? spans : mergeSpans([...spans, ...scan.aside]);
    const unnamed = findUnnamed(places, text, named);
    return unnamed.length === 0 ? named : mergeSpans([...named, ...unnamed]);
  }
  function scanLines(text: string): Span[] {
    const spans = scanText(text);
    const wrapped = findWrapped(text, scanText);
    return wrapped.length === 0 ? spans : mergeSpans([...spans, ...wrapped]);
  }
  function findSecrets(text: string): Span[] {
    const plain = toPlain(text);
    if (plain === null) return scanLines(text);
    const { placeOf } = plain;
    const spans = scanLines(plain.text).map((span) => ({
      ...span,
      from: placeOf(span.from),
      to: placeOf(span.to - 1) + 1,
    }));
    return plain.hasUnseen ? mergeSpans([...spans, ...scanLines(text)]) : spans;
  }
  return { findSecrets, findTokenAt, judgeName };
}

function runOver({ isMarked, groups }: ReturnType<typeof buildTriggerTable>, scan: Scan): Span[] {
  const { text } = scan;
  const spans: Span[] = [];
  let hash = 0;
  let lastEnd = 0;
  for (let i = 0; i < text.length; i++) {
    hash = ((hash << 5) & MASK) | (text.charCodeAt(i) & 31);
    if (isMarked[hash] === 0 || i < lastEnd + 2) continue;
    const span = tryTriggers(groups[keyAt(text, i - 2)], scan, i - 2, false);
    if (span === null || span.to <= lastEnd) continue;
    add(spans, span);
    lastEnd = span.to;
    i = lastEnd - 1;
  }
  return spans;
}

function tokenTriggers(): Trigger[] {
  return readTokenRules().flatMap((rule) => {
    const find: Find = (scan, at, literal) => findToken(rule, literal, scan, at);
    return rule.starts.map((literal) => ({ literal, ignoreCase: false, isShape: true, find }));
  });
}

function contextTriggers(context: Context, parts: Iterable<string>): Trigger[] {
  const assigned =
    (literal: string): Find =>
    (scan, at) =>
      findAssigned(context, scan, at, literal);
  const exact = (literal: string, find: Find): Trigger => ({ literal, ignoreCase: false, find });
  const inserted: Find = (scan, at) => findInserted(context.judgeName, scan, at);
  return [
    ...[...parts].flatMap((part) =>
      lengthen(part).map((literal) => ({ literal, ignoreCase: true, find: assigned(part) })),
    ),
    ...readOptions(),
    ...readCalls(),
    { literal: 'identified', ignoreCase: true, find: findSqlPassword },
    ...['insert', 'replace'].map((literal) => ({ literal, ignoreCase: true, find: inserted })),
    ...['data:', 'Data:', 'data"', 'Data"'].map((literal) => exact(literal, findClusterData)),
    ...['echo ', 'printf ', 'yes ', 'Write-Output '].map((literal) => exact(literal, findEchoed)),
    exact('<<<', findHereString),
    ...URL_LITERALS.map((literal) => exact(literal, findUserInfo)),
    ...DSN_LITERALS.map((literal) => exact(literal, findDsn)),
    exact('BEGIN ', findPemHead),
    exact('END ', findPemTail),
    exact('Private-Lines:', findPutty),
  ];
}

/** The pre-filter wants three letters: a short name is noticed with what may stand before it, or after it where no blanks are written. */
function lengthen(part: string): string[] {
  if (part.length >= 3) return [part];
  const isJoined = part.charCodeAt(0) > 0x2000;
  const around = isJoined ? ' :：=＝是为為は改设設"\'`」』】）)<|,，*' : ' \n\t"\'`_-.?&{(,;/<[#';
  const before = isJoined ? [] : [...around].map((sign) => sign + part);
  return [...before, ...[...(isJoined ? around : ' :=')].map((sign) => part + sign)];
}

function tryTriggers(group: TriggerGroup | undefined, scan: Scan, at: number, onlyShapes: boolean): Span | null {
  if (group === undefined || !goesOn(group, scan.text, at)) return null;
  for (const trigger of group.triggers) {
    if (onlyShapes && trigger.isShape !== true) continue;
    if (!isTriggered(trigger, scan.text, at)) continue;
    const span = trigger.find(scan, at, trigger.literal);
    if (span !== null && span.to > span.from && !holdsMark(scan.text, span)) return span;
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

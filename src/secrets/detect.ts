// Finds the secrets of a text: one pass of the pre-filter, and a closer look only where it points to.
import { type Context, findAssigned } from './assignment.ts';
import { findEchoed, findHereString, findInCall, findSqlPassword, readOptions } from './command.ts';
import { compileTriggers } from './compile.ts' with { type: 'macro' };
import { findPemHead, findPemTail, findPutty, findWrapped } from './lines.ts';
import { createNameJudge, type NamedSecret, readLanguages, readNameRules } from './name.ts';
import { createPlaceFinder } from './place.ts';
import { type PlainText, toPlain, withoutMargins } from './plain.ts';
import { findDsn, findUserInfo } from './request.ts';
import { findClusterData, findInserted } from './rows.ts';
import { type Find, type FindAt, holdsMark, lazily, mergeSpans, NONE, type Scan, type Span } from './span.ts';
import { findToken, findUnnamed, readPlaces, readTokenRule } from './tokens.ts';
import { groupOf, isTriggered, nextTrigger, readLayout, type TriggerTable } from './trigger.ts';

const LAYOUT = compileTriggers();

export type Detector = {
  /** In order, without overlap. */
  findSecrets: (text: string) => readonly Span[];
  /** Looks only at this place, only for secrets known by their shape. */
  findTokenAt: FindAt;
  judgeName: (name: string) => NamedSecret | null;
};

export function createDetector(): Detector {
  const table = readLayout(LAYOUT);
  const judgeName = createNameJudge(readNameRules);
  const findPlace = lazily(() => createPlaceFinder(readLanguages()));
  const findTokenAt: FindAt = (scan, at) => tryTriggers(table, finders, scan, at, true);
  const finders = createFinders({ judgeName, findPlace: (at) => findPlace()(at), findTokenAt });
  const places = lazily(readPlaces);

  function scanText(text: string): readonly Span[] {
    const named = runOver(table, finders, text);
    const unnamed = findUnnamed(places, text, named);
    return unnamed.length === 0 ? named : mergeSpans([...named, ...unnamed]);
  }
  function scanLines(text: string): readonly Span[] {
    const spans = scanText(text);
    const wrapped = findWrapped(text, scanText);
    return wrapped.length === 0 ? spans : mergeSpans([...spans, ...wrapped]);
  }
  function findSecrets(text: string): readonly Span[] {
    const plain = toPlain(text);
    if (plain === null) return scanBoth(text);
    const spans = placeBack(plain, scanBoth(plain.text));
    return plain.hasUnseen ? mergeSpans([...spans, ...scanLines(text)]) : spans;
  }
  /** In a diff, a listing or a quotation also as it was before each line got its sign: what several lines tell together. */
  function scanBoth(text: string): readonly Span[] {
    const spans = scanLines(text);
    const bare = withoutMargins(text);
    const more = bare === null ? NONE : placeBack(bare, scanLines(bare.text));
    return more.length === 0 ? spans : mergeSpans([...spans, ...more]);
  }
  return { findSecrets, findTokenAt, judgeName };
}

const placeBack = ({ placeOf }: PlainText, spans: readonly Span[]): Span[] =>
  spans.map((span) => ({ ...span, from: placeOf(span.from), to: placeOf(span.to - 1) + 1 }));

function runOver(table: TriggerTable, finders: Finders, text: string): readonly Span[] {
  const first = nextTrigger(table, text, 0);
  if (first < 0) return NONE;
  const scan: Scan = { text, aside: [], rowsEnd: 0 };
  const spans: Span[] = [];
  let lastEnd = 0;
  for (let at = first; at >= 0; at = nextTrigger(table, text, Math.max(at + 1, lastEnd))) {
    const span = tryTriggers(table, finders, scan, at, false);
    if (span === null || span.to <= lastEnd) continue;
    add(spans, span);
    lastEnd = span.to;
  }
  return scan.aside.length === 0 ? spans : mergeSpans([...spans, ...scan.aside]);
}

function tryTriggers(table: TriggerTable, finders: Finders, scan: Scan, at: number, onlyShapes: boolean): Span | null {
  const group = groupOf(table, scan.text, at);
  if (group < 0) return null;
  for (const trigger of table.triggers(group)) {
    if (onlyShapes && !trigger.isShape) continue;
    if (!isTriggered(trigger, scan.text, at)) continue;
    const span = finders(trigger.by)(scan, at, trigger.literal);
    if (span !== null && span.to > span.from && !holdsMark(scan.text, span)) return span;
  }
  return null;
}

/** By what a trigger says of who looks closer. Made when first needed: of hundreds of rules most never are. */
type Finders = (by: string) => Find;

function createFinders(context: Context): Finders {
  const options = lazily(readOptions);
  const made = new Map<string, Find>(Object.entries(PLAIN_FINDERS));
  made.set('inserted', (scan, at) => findInserted(context.judgeName, scan, at));
  const make = (by: string): Find => {
    const [kind, what] = [by.slice(0, by.indexOf(' ')), by.slice(by.indexOf(' ') + 1)];
    if (kind === 'name') return (scan, at) => findAssigned(context, scan, at, what);
    if (kind === 'option') return options()[Number(what)]?.find ?? findNothing;
    if (kind === 'call') return findInCall(what);
    const rule = readTokenRule(Number(what));
    return (scan, at, literal) => findToken(rule, literal, scan, at);
  };
  return (by) => {
    const find = made.get(by) ?? make(by);
    made.set(by, find);
    return find;
  };
}

const findNothing: Find = () => null;
const PLAIN_FINDERS: Record<string, Find> = {
  sql: findSqlPassword,
  cluster: findClusterData,
  echo: findEchoed,
  here: findHereString,
  url: findUserInfo,
  dsn: findDsn,
  'pem-head': findPemHead,
  'pem-tail': findPemTail,
  putty: findPutty,
};

// A secret may reach back over ones found before it (a key whose beginning was cut off): then it takes them in.
function add(spans: Span[], span: Span): void {
  let { from } = span;
  for (let last = spans.at(-1); last !== undefined && last.to > from; last = spans.at(-1)) {
    from = Math.min(from, last.from);
    spans.pop();
  }
  spans.push({ ...span, from });
}

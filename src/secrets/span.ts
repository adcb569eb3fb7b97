// What finding says: where a secret stands in a text, and what it is.

export type Span = { from: number; to: number; kind: string; hashed: boolean };
export const NONE: readonly Span[] = [];

export type Scan = {
  text: string;
  /** Secrets that do not stand where the trigger pointed to: cells below a heading, words before a name. */
  aside: Span[];
  /** Rows up to here were looked at by the heading above them. */
  rowsEnd: number;
  /** The text speaks of a Kubernetes Secret; asked once. */
  hasSecretKind?: boolean;
};

export type FindAt = (scan: Scan, at: number) => Span | null;
/** Looks for a secret around a position that a trigger pointed to, by the literal text that stands there. */
export type Find = (scan: Scan, at: number, literal: string) => Span | null;

// [secret:password], [secret:api-key:3fa9c1]: what an earlier scrubbing left.
const OUR_MARK = /\[secret:[a-z0-9-]{2,40}(?::[0-9a-f]{6})?\]/y;

/** The span begins in such a mark or takes one in. A private key may: its lines are scrubbed one by one where hosts tear them apart. */
export function holdsMark(text: string, { from, to, kind }: Span): boolean {
  if (kind === 'private-key') return false;
  if (text.slice(from, Math.min(to, from + 300)).includes('[secret:')) return true;
  const lead = text.slice(Math.max(0, from - 56), from);
  OUR_MARK.lastIndex = from - lead.length + lead.lastIndexOf('[');
  return lead.includes('[secret:') && OUR_MARK.test(text) && OUR_MARK.lastIndex > from;
}

/** In order, and where some overlap, one for all of them, of the kind that begins first. */
export function mergeSpans(spans: Span[]): Span[] {
  const merged: Span[] = [];
  for (const span of spans.sort((a, b) => a.from - b.from || b.to - a.to)) {
    const last = merged.at(-1);
    if (last === undefined || span.from >= last.to) merged.push(span);
    else if (span.to > last.to) merged[merged.length - 1] = { ...last, to: span.to };
  }
  return merged;
}

/** Compiled when it is first asked for: most of them never are, and a starting worker has no time for hundreds. */
export const lazyPattern = (source: () => string, flags = ''): (() => RegExp) => lazily(() => new RegExp(source(), flags));

export function lazily<T>(make: () => T): () => T {
  let made: { it: T } | undefined;
  return () => {
    made ??= { it: make() };
    return made.it;
  };
}

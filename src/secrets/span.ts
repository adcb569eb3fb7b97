// What finding says: where a secret stands in a text, and what it is.

export type Span = { from: number; to: number; kind: string; hashed: boolean };

/** One pass over a text. */
export type Scan = {
  text: string;
  /** Secrets that do not stand where the trigger pointed to: cells below a heading, words before a name. */
  aside: Span[];
  /** Rows up to here were looked at by the heading above them. */
  rowsEnd: number;
  /** The text speaks of a Kubernetes Secret; asked once. */
  hasSecretKind?: boolean;
};

/** Looks for a secret around a position that a trigger pointed to. */
export type Find = (scan: Scan, at: number) => Span | null;

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

// The head of a request as it was sent: nothing joined, decoded or put right before it is judged.

export type Head = {
  method: string;
  /** What stands after the method, unchanged. */
  target: string;
  /** Name, value, name, value, as they came. */
  rawHeaders: readonly string[];
};

/** Every value that was sent under a name. Two of one name are one too many for all that the guard looks at. */
export function readHeader({ rawHeaders }: Head, name: string): string[] {
  const values: string[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    if (rawHeaders[at]?.toLowerCase() === name) values.push(rawHeaders[at + 1] ?? '');
  }
  return values;
}

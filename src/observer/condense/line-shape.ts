// Lines that differ only in numbers, hashes and times say the same.

/** The line without what counts up in it. */
export function shapeOf(line: string): string {
  return line
    .slice(0, 200)
    .replace(/0x[0-9a-f]+|\b[0-9a-f]{7,64}\b|\d+/gi, '#')
    .replace(/\s+/g, ' ')
    .trim();
}

/** Of four and more such lines in a row the first, the last and how many were between them. */
export function collapseRuns(text: string): string {
  const kept: string[] = [];
  let run: string[] = [];
  let shape = '';
  const close = () => {
    kept.push(...(run.length < 4 ? run : [run[0] ?? '', `… ${run.length - 2} similar lines …`, run.at(-1) ?? '']));
    run = [];
  };
  for (const line of text.split('\n')) {
    const own = shapeOf(line);
    if (own !== shape || own === '') close();
    shape = own;
    run.push(line);
  }
  close();
  return kept.join('\n');
}

// What the tests of faults say in lines of their own (`FAULT {…}`), put together into one table.

export type Fault = { fault: string; runs: number; lost: number; twice: number; silent: number; ms: number };

const LINE = /FAULT (\{"fault":[^\n]*\})/g;

export function readFaults(output: string): Fault[] {
  return [...output.matchAll(LINE)].map(([, json = '']) => JSON.parse(json) as Fault);
}

/** One row for each fault; several lines about one are added up. Empty when there are none. */
export function formatFaults(faults: Fault[]): string {
  if (faults.length === 0) return '';
  const rows = new Map<string, Fault>();
  for (const one of faults) rows.set(one.fault, addUp(one, rows.get(one.fault)));
  const sorted = [...rows.values()].sort((a, b) => a.fault.localeCompare(b.fault, 'en', { numeric: true }));
  const cells = [
    ['fault', 'runs', 'lost', 'twice', 'silent', 'time'],
    ...sorted.map(({ fault, runs, lost, twice, silent, ms }) => [
      ...[fault, runs, lost, twice, silent].map(String),
      `${(ms / 1000).toFixed(1)} s`,
    ]),
  ];
  const widths = cells[0]?.map((_, at) => Math.max(...cells.map((row) => row[at]?.length ?? 0))) ?? [];
  const line = (row: string[]) =>
    row.map((cell, at) => (at === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[at] ?? 0))).join('  ');
  return cells.map(line).join('\n');
}

function addUp(one: Fault, before: Fault | undefined): Fault {
  if (!before) return one;
  const add = (key: Exclude<keyof Fault, 'fault'>) => one[key] + before[key];
  const sums = { runs: add('runs'), lost: add('lost'), twice: add('twice'), silent: add('silent'), ms: add('ms') };
  return { fault: one.fault, ...sums };
}

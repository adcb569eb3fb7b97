// One line for each fault that was tried, so that a run can be read as a table.

export type Fault = { fault: string; runs: number; lost: number; twice: number; silent: number; ms: number };

export const sayFault = (fault: Fault) =>
  console.log(`FAULT ${JSON.stringify({ ...fault, ms: Math.round(fault.ms) })}`);

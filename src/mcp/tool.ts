// What a tool of ours is: how the model is told of it, and what it does.
import type { Arguments } from './arguments.ts';
import type { Calls } from './calls.ts';

export type Tool = {
  name: string;
  description: string;
  /** JSON Schema. Every word of it is paid for in every session: test/mcp/budget.test.ts counts them. */
  inputSchema: { type: 'object'; properties: Record<string, unknown>; required?: string[] };
  /** The text for the model. Rejects with a sentence and a remedy, which the model is shown too. */
  run: (given: Arguments, deps: ToolDeps) => Promise<string>;
};

export type ToolDeps = {
  calls: Calls;
  /** The folder whose project is meant when none is named. */
  cwd: string;
};

// Tools that were called in a Codex transcript and are not over: what comes of them, in the words of a hook.
import { asList, asRecord, type Fields, text } from '../fields.ts';
import { readToolCall, type ToolCalled } from './tool-call.ts';
import { readToolOutput, type ToolOutput } from './tool-output.ts';

/** The fields of a hook that tell what a tool did. */
export type ToolDone = Fields & { hook_event_name: 'PostToolUse' | 'PostToolUseFailure'; tool_use_id: string };

export type OpenCalls = {
  /** Some tools have no answer: they are over at once. */
  begin: (item: Fields, position: number) => ToolDone[];
  answer: (item: Fields) => ToolDone[];
  /** A command ended, which may have gone on after its first answer. */
  end: (id: string, ended: Fields) => ToolDone[];
  /** Nothing will answer the rest any more. */
  drop: () => ToolDone[];
  /** Where the first that is still open was called. */
  oldest: () => number | null;
};

type OpenCall = ToolCalled & { id: string; position: number; sofar: ToolOutput | null; ended: ToolOutput | null };

export function createOpenCalls(): OpenCalls {
  const open = new Map<string, OpenCall>();

  const close = (call: OpenCall, output: ToolOutput): ToolDone[] => {
    open.delete(call.id);
    return describe(call, output);
  };

  return {
    begin(item, position) {
      const called = readToolCall(item);
      if (called === null) return [];
      const id = text(item.call_id) || text(item.id);
      if (id === '') return [];
      const call = { ...called, id, position, sofar: null, ended: null };
      if (item.type === 'web_search_call') return describe(call, readToolOutput('', false));
      open.set(id, call);
      return [];
    },
    answer(item) {
      const call = open.get(text(item.call_id));
      if (!call) return [];
      const output = readToolOutput(item.output, call.tool === 'Bash' || call.tool === 'apply_patch');
      if (output.isRunning && call.ended === null) {
        call.sofar = output;
        return [];
      }
      // The answer was made shorter for the model.
      return close(call, call.ended ?? output);
    },
    end(id, ended) {
      const call = open.get(id);
      if (call?.tool !== 'Bash' || typeof ended.exit_code !== 'number') return [];
      const said = text(ended.aggregated_output) || `${text(ended.stdout)}${text(ended.stderr)}`;
      const output = {
        ...readToolOutput('', true),
        text: said,
        exitCode: ended.exit_code,
        failed: ended.exit_code !== 0,
      };
      call.ended = { ...output, durationMs: call.sofar?.durationMs ?? null };
      return call.sofar ? close(call, call.ended) : [];
    },
    drop() {
      const left = [...open.values()];
      open.clear();
      return left.flatMap((call) =>
        call.sofar ? describe(call, call.sofar) : describeUndone(call, 'It has no result.'),
      );
    },
    oldest: () => open.values().next().value?.position ?? null,
  };
}

function describe(call: OpenCall, output: ToolOutput): ToolDone[] {
  const said =
    output.exitCode === null
      ? output.text || 'failed without a message'
      : `Exit code ${output.exitCode}\n${output.text}`;
  if (output.isRejected) return describeUndone(call, said);
  const duration = output.durationMs === null ? {} : { duration_ms: output.durationMs };
  return spread(call).map((done) =>
    output.failed
      ? { ...done, ...duration, hook_event_name: 'PostToolUseFailure', error: said }
      : { ...done, ...duration, hook_event_name: 'PostToolUse', tool_response: responseOf(call.tool, output) },
  );
}

const describeUndone = (call: OpenCall, error: string): ToolDone[] =>
  spread(call).map((done) => ({ ...done, hook_event_name: 'PostToolUseFailure', error, is_undone: true }));

/** The first has the id of the call, as in the hook. */
const spread = ({ id, tool, inputs }: OpenCall) =>
  inputs.map((input, n) => ({
    tool_name: tool,
    tool_input: input,
    tool_use_id: n === 0 ? id : `${id}#${n + 1}`,
  }));

function responseOf(tool: string, { text: said, exitCode, isRunning }: ToolOutput): unknown {
  if (tool !== 'Bash') return said;
  return { stdout: said, exit_code: exitCode, ...(isRunning && { is_running: true }) };
}

/** The words of a message, part by part. */
export const partsOf = (content: unknown): string[] =>
  typeof content === 'string'
    ? [content]
    : asList(content)
        .map((part) => text(asRecord(part).text))
        .filter(Boolean);

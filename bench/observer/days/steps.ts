// What a script says: prompts, tools that touch the project, and the ends of turns and sessions.
import { join } from 'node:path';
import { agentTranscript, dedent, makeHex, makeUuid, type Scene, type Step, send, sessionStart } from './day.ts';
import { makePatch } from './patch.ts';

const MODE = { permission_mode: 'default' };
const EFFORT = { effort: { level: 'medium' } };

export const prompt =
  (text: string): Step =>
  (scene) => {
    scene.promptId = makeUuid(scene);
    scene.now += 90_000;
    return [send(scene, 'UserPromptSubmit', { prompt: dedent(text) }, MODE)];
  };

export const read =
  (file: string, content?: string): Step =>
  (scene) => {
    const path = toPath(scene, file);
    if (content !== undefined) showFile(scene, path, `${dedent(content)}\n`);
    const text = scene.files.get(path) ?? '';
    const numLines = text.split('\n').length;
    const shown = { filePath: path, content: text, numLines, startLine: 1, totalLines: numLines };
    return use(scene, 'Read', { file_path: path }, { type: 'text', file: shown });
  };

/** A file the script never showed is taken to hold just the old text. */
export const edit =
  (file: string, oldText: string, newText: string): Step =>
  (scene) => {
    const path = toPath(scene, file);
    const known = scene.files.get(path);
    const originalFile = known?.includes(oldText) ? known : `${oldText}\n`;
    const changed = originalFile.replace(oldText, () => newText);
    scene.files.set(path, changed);
    const input = { file_path: path, old_string: oldText, new_string: newText, replace_all: false };
    const structuredPatch = makePatch(originalFile, changed);
    const strings = { filePath: path, oldString: oldText, newString: newText, originalFile };
    return use(scene, 'Edit', input, { ...strings, structuredPatch, userModified: false, replaceAll: false });
  };

export const write =
  (file: string, text: string): Step =>
  (scene) => {
    const path = toPath(scene, file);
    const content = `${dedent(text)}\n`;
    const before = scene.files.get(path) ?? null;
    scene.files.set(path, content);
    const structuredPatch = before === null ? [] : makePatch(before, content);
    const type = before === null ? 'create' : 'update';
    const response = { type, filePath: path, content, structuredPatch, originalFile: before, userModified: false };
    return use(scene, 'Write', { file_path: path, content }, response);
  };

export const bash =
  (command: string, description: string, stdout = '', stderr = ''): Step =>
  (scene) => {
    const output = { stdout: dedent(stdout), stderr: dedent(stderr), interrupted: false, isImage: false };
    return use(scene, 'Bash', { command: dedent(command), description }, { ...output, noOutputExpected: false });
  };

/** A command that also takes a file back to how the script first showed it. */
export const bashRestores =
  (file: string, command: string, description: string, stdout: string, stderr: string): Step =>
  (scene) => {
    const path = toPath(scene, file);
    const original = scene.originals.get(path);
    if (original !== undefined) scene.files.set(path, original);
    return bash(command, description, stdout, stderr)(scene);
  };

export const bashFails =
  (command: string, description: string, output: string, exitCode = 1): Step =>
  (scene) =>
    fail(scene, 'Bash', { command: dedent(command), description }, `Exit code ${exitCode}\n${dedent(output)}`);

/** Any other tool that failed, for example an Edit whose text is not there. */
export const toolFails =
  (tool: string, input: Record<string, unknown>, error: string): Step =>
  (scene) =>
    fail(scene, tool, input, error);

/** Files by name, or with `content` the matching lines. */
export const grep =
  (pattern: string, files: string[], content?: string): Step =>
  (scene) => {
    const filenames = files.map((file) => toPath(scene, file));
    const input = { pattern, path: scene.root, output_mode: content === undefined ? 'files_with_matches' : 'content' };
    if (content === undefined) return use(scene, 'Grep', input, { mode: 'files_with_matches', filenames, numFiles: filenames.length });
    const text = dedent(content);
    const shown = { mode: 'content', numFiles: 0, filenames: [], content: text, numLines: text.split('\n').length };
    return use(scene, 'Grep', input, shown);
  };

export const glob =
  (pattern: string, files: string[]): Step =>
  (scene) => {
    const filenames = files.map((file) => toPath(scene, file));
    const response = { filenames, durationMs: 41, numFiles: filenames.length, truncated: false };
    return use(scene, 'Glob', { pattern, path: scene.root }, response);
  };

export const stop =
  (message: string): Step =>
  (scene) => {
    const own = { stop_hook_active: false, last_assistant_message: dedent(message) };
    return [send(scene, 'Stop', { ...own, background_tasks: [], session_crons: [] }, { ...MODE, ...EFFORT })];
  };

export const end =
  (reason = 'prompt_input_exit'): Step =>
  (scene) => [send(scene, 'SessionEnd', { reason })];

/** /compact between two turns: the start again, the compaction's own nameless subagent, then its summary. */
export const compact =
  (summary: string): Step =>
  (scene) => {
    const text = dedent(summary);
    const id = `a${makeHex(scene, 16)}`;
    const nameless = {
      stop_hook_active: false,
      agent_transcript_path: agentTranscript(scene, id),
      last_assistant_message: text,
      background_tasks: [],
      session_crons: [],
    };
    return [
      ...sessionStart('compact', { model: 'claude-opus-5-5' })(scene),
      send(scene, 'SubagentStop', nameless, { ...MODE, agent_id: id, agent_type: '', ...EFFORT }),
      send(scene, 'PostCompact', { trigger: 'manual', compact_summary: text }),
    ];
  };

/** PostToolUse as the samples have it. */
export function use(scene: Scene, tool: string, input: unknown, response: unknown) {
  const toolUseId = `toolu_${makeHex(scene, 24)}`;
  const own = { tool_name: tool, tool_input: input, tool_response: response, tool_use_id: toolUseId, duration_ms: 38 };
  return [send(scene, 'PostToolUse', own, whoWorks(scene))];
}

function fail(scene: Scene, tool: string, input: unknown, error: string) {
  const tail = { tool_use_id: `toolu_${makeHex(scene, 24)}`, error, is_interrupt: false, duration_ms: 57 };
  return [send(scene, 'PostToolUseFailure', { tool_name: tool, tool_input: input, ...tail }, whoWorks(scene))];
}

function whoWorks(scene: Scene): Record<string, unknown> {
  const agent = scene.agent === null ? {} : { agent_id: scene.agent.id, agent_type: scene.agent.type };
  return { ...MODE, ...agent, ...EFFORT };
}

function showFile(scene: Scene, path: string, content: string) {
  scene.files.set(path, content);
  if (!scene.originals.has(path)) scene.originals.set(path, content);
}

function toPath(scene: Scene, file: string): string {
  return file.startsWith('/') ? file : join(scene.root, file);
}

// A scripted day of work: steps played into the hook payloads that Claude Code would have sent.
import { createHash } from 'node:crypto';
import type { Truths } from './truth.ts';

/** One hook call. Payloads carry no time of their own, so the arrival stands beside it. */
export type Hook = { at: number; payload: Record<string, unknown> };

export type Day = { name: string; root: string; sessions: Hook[][]; truths: Truths };

/** What the steps of a day share. Files are kept so that edits have their originalFile and a real patch. */
export type Scene = {
  name: string;
  root: string;
  files: Map<string, string>;
  /** As first seen: what `git checkout` brings back. */
  originals: Map<string, string>;
  now: number;
  count: number;
  session: string;
  promptId: string | null;
  tasks: { id: string; status: string }[];
  todos: { content: string; status: string; activeForm: string }[];
  /** Set while a subagent works. */
  agent: { id: string; type: string } | null;
};

export type Step = (scene: Scene) => Hook[];

export type Script = { name: string; root: string; startsAt: string; sessions: Step[][]; truths: Truths };

export function playDay(script: Script): Day {
  const scene = openScene(script);
  const sessions = script.sessions.map((steps, index) => playSession(scene, steps, index));
  return { name: script.name, root: script.root, sessions, truths: script.truths };
}

function openScene({ name, root, startsAt }: Script): Scene {
  const now = Date.parse(startsAt);
  return {
    name,
    root,
    files: new Map(),
    originals: new Map(),
    now,
    count: 0,
    session: '',
    promptId: null,
    tasks: [],
    todos: [],
    agent: null,
  };
}

function playSession(scene: Scene, steps: Step[], index: number): Hook[] {
  scene.now += index * 47 * 60_000;
  scene.session = makeUuid(scene);
  scene.promptId = null;
  scene.tasks = [];
  scene.todos = [];
  return [sessionStart('startup'), ...steps].flatMap((step) => step(scene));
}

export const sessionStart =
  (source: string, extra: Record<string, unknown> = {}): Step =>
  (scene) => [send(scene, 'SessionStart', { source, ...extra })];

/** The fields every hook has, then its own, in the order of the samples. */
export function send(scene: Scene, event: string, own: Record<string, unknown>, middle: Record<string, unknown> = {}): Hook {
  scene.count += 1;
  scene.now += 4_000 + ((scene.count * 7919) % 26) * 1_000;
  const payload = {
    session_id: scene.session,
    transcript_path: `${transcriptBase(scene)}.jsonl`,
    cwd: scene.root,
    ...(scene.promptId === null ? {} : { prompt_id: scene.promptId }),
    ...middle,
    hook_event_name: event,
    ...own,
  };
  return { at: scene.now, payload };
}

function transcriptBase(scene: Scene): string {
  return `/home/dev/.claude/projects/${scene.root.replace(/[^a-zA-Z0-9]/g, '-')}/${scene.session}`;
}

export function agentTranscript(scene: Scene, agentId: string): string {
  return `${transcriptBase(scene)}/subagents/agent-${agentId}.jsonl`;
}

/** Same script, same ids: a bench must not change by itself. */
export function makeHex(scene: Scene, length: number): string {
  scene.count += 1;
  return createHash('sha256').update(`${scene.name} ${scene.count}`).digest('hex').slice(0, length);
}

export function makeUuid(scene: Scene): string {
  const hex = makeHex(scene, 32);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`;
}

/** Lets a script indent its template literals: drops the first line break and the common indentation. */
export function dedent(text: string): string {
  if (!text.startsWith('\n')) return text;
  const lines = text.slice(1).trimEnd().split('\n');
  const widths = lines.filter((line) => line.trim() !== '').map((line) => line.search(/\S/));
  const indent = Math.min(...widths);
  return lines.map((line) => line.slice(indent)).join('\n');
}

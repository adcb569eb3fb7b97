// A recorded session as Claude Code would have it: what it does in the repository, the lines of its transcript, the payloads of its hooks.

import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { structuredPatch } from 'diff';
import { z } from 'zod';
import type { HookCommand } from '../../core/envelope.ts';
import { shellPath } from '../../paths.ts';
import type { Stage } from './stage.ts';
import recorded from './week.yaml';

/** First the transcript grows, then the hooks are called. */
type Beat = { lines: object[]; hooks: Hook[] };
type Hook = { command: HookCommand; payload: Record<string, unknown> };

/** Between two things that a session does. */
const STEP_MS = 21_000;
const PAUSE_MS = 4 * 60_000;

type Origin = { id: string; repository: Repository; transcript: string; startsAt: number | null };
type Make = {
  at: () => number;
  id: string;
  repository: Repository;
  hook: (name: string, fields: object) => Hook;
  line: (fields: object) => object;
};

export function* playSession({ id, repository, transcript, startsAt }: Origin, turns: Turn[]): Generator<Beat> {
  let [passedMs, promptId] = [0, ''];
  const now = () => (startsAt === null ? Date.now() : startsAt + passedMs);
  const cwd = repository.root;
  const make: Make = {
    id,
    repository,
    at: now,
    hook: (name, fields) => ({
      command: COMMANDS[name] ?? 'save',
      // Claude Code sends no time, because it is now; what plays on another day brings its own.
      payload: {
        ...{ session_id: id, transcript_path: transcript, cwd, ...(promptId && { prompt_id: promptId, permission_mode: 'default' }) },
        ...{ hook_event_name: name, ...fields, ...(startsAt !== null && { timestamp: new Date(now()).toISOString() }) },
      },
    }),
    line: (fields) => ({
      ...{ parentUuid: null, isSidechain: false, ...fields, uuid: crypto.randomUUID(), timestamp: new Date(now()).toISOString() },
      ...{ userType: 'external', cwd, sessionId: id, version: '2.1.325', gitBranch: 'main' },
    }),
  };
  yield { lines: [], hooks: [make.hook('SessionStart', { source: 'startup' })] };
  for (const { prompt, acts, closing } of turns) {
    promptId = crypto.randomUUID();
    passedMs += PAUSE_MS;
    const asked = make.line({ promptId, type: 'user', message: { role: 'user', content: prompt } });
    yield { lines: [asked], hooks: [make.hook('UserPromptSubmit', { prompt })] };
    for (const act of acts) {
      passedMs += STEP_MS;
      yield* playAct(act, make, promptId);
    }
    passedMs += STEP_MS;
    const last_assistant_message = closing.trim();
    yield {
      lines: [say(make, last_assistant_message, 'end_turn')],
      hooks: [make.hook('Stop', { stop_hook_active: false, last_assistant_message })],
    };
  }
  yield { lines: [], hooks: [make.hook('SessionEnd', { reason: 'prompt_input_exit' })] };
}

const COMMANDS: Record<string, HookCommand> = {
  SessionStart: 'context',
  PreToolUse: 'context',
  UserPromptSubmit: 'new',
  Stop: 'summary',
  SessionEnd: 'cleanup',
};

const say = ({ line }: Make, text: string, stop: string) => answer(line, { type: 'text', text }, stop);

const answer = (line: Make['line'], content: object, stop_reason: string) =>
  line({
    type: 'assistant',
    message: { id: `msg_${crypto.randomUUID()}`, type: 'message', role: 'assistant', content: [content], stop_reason },
  });

function* playAct(act: Act, make: Make, promptId: string): Generator<Beat> {
  if ('say' in act) return yield { lines: [say(make, act.say.trim(), 'tool_use')], hooks: [] };
  const { line, hook } = make;
  const { name, input, ...done } = callTool(act, make);
  const use = { tool_name: name, tool_input: input, tool_use_id: `toolu_${crypto.randomUUID().replaceAll('-', '')}` };
  const edits = name === 'Edit' || name === 'Write';
  const begun = answer(line, { type: 'tool_use', id: use.tool_use_id, name, input }, 'tool_use');
  yield { lines: [begun], hooks: edits ? [hook('PreToolUse', use)] : [] };
  const result = { tool_use_id: use.tool_use_id, type: 'tool_result' };
  if ('error' in done) {
    const content = [{ ...result, content: done.error, is_error: true }];
    const failed = line({ promptId, type: 'user', message: { role: 'user', content }, toolUseResult: `Error: ${done.error}` });
    return yield { lines: [failed], hooks: [hook('PostToolUseFailure', { ...use, error: done.error, is_interrupt: false })] };
  }
  const { shown, response } = done;
  const content = [{ ...result, content: shown }];
  const succeeded = line({ promptId, type: 'user', message: { role: 'user', content }, toolUseResult: response });
  yield { lines: [succeeded], hooks: [hook('PostToolUse', { ...use, tool_response: response })] };
}

type Called = { name: string; input: object } & ({ error: string } | { shown: string; response: object });

function callTool(act: Exclude<Act, { say: string }>, { repository, at }: Make): Called {
  if ('read' in act) return readFile(act.read, repository);
  if ('write' in act) return changeFile('Write', act.write, act.text, repository);
  if ('edit' in act) return editFile(act, repository);
  if ('run' in act) return runCommand(act.run, act.out.trimEnd(), act.fails);
  if ('commit' in act) return runCommand(`git add -A && git commit -m '${act.commit}'`, repository.commit(act.commit, at()).trimEnd());
  if ('ask' in act) return askPerson(act);
  const task = { id: '1', subject: act.task, description: act.task };
  return { name: 'TaskCreate', input: { subject: act.task, description: act.task }, shown: 'Task #1 created', response: { task } };
}

function readFile(path: string, { root, read }: Repository): Called {
  const [file_path, content] = [join(root, path), read(path)];
  const lines = content.split('\n');
  const file = { filePath: file_path, content, numLines: lines.length, startLine: 1, totalLines: lines.length };
  const shown = lines.map((line, at) => `${at + 1}\t${line}`).join('\n');
  return { name: 'Read', input: { file_path }, shown, response: { type: 'text', file } };
}

type Edit = Extract<Act, { edit: string }>;

function editFile({ edit: path, old, new: next }: Edit, repository: Repository): Called {
  const before = repository.read(path);
  if (before.split(old).length !== 2) throw new Error(`The recorded week has to change one place in ${path}, and there is not one.`);
  const called = changeFile(
    'Edit',
    path,
    before.replace(old, () => next),
    repository,
  );
  return { ...called, input: { ...called.input, old_string: old, new_string: next, replace_all: false } };
}

function changeFile(name: 'Edit' | 'Write', path: string, text: string, { root, read, write, has }: Repository): Called {
  const filePath = join(root, path);
  const before = has(path) ? read(path) : null;
  write(path, text);
  const patch = before === null ? [] : structuredPatch(path, path, before, text, '', '', { context: 3 }).hunks;
  const what = name === 'Edit' ? {} : { type: before === null ? 'create' : 'update', content: text };
  return {
    name,
    input: { file_path: filePath, ...(name === 'Write' && { content: text }) },
    shown: `The file ${filePath} has been ${before === null ? 'created' : 'updated'} successfully.`,
    response: { ...what, filePath, originalFile: before, structuredPatch: patch, userModified: false },
  };
}

function runCommand(command: string, stdout: string, fails = false): Called {
  const called = { name: 'Bash', input: { command } };
  if (fails) return { ...called, error: `Exit code 1\n${stdout}` };
  return { ...called, shown: stdout, response: { stdout, stderr: '', interrupted: false, isImage: false, noOutputExpected: false } };
}

function askPerson({ ask: question, options, answer: chosen }: Extract<Act, { ask: string }>): Called {
  const listed = Object.entries(options).map(([label, description]) => ({ label, description }));
  const questions = [{ question, header: 'Choice', options: listed, multiSelect: false }];
  const shown = `User has answered your questions: "${question}"="${chosen}". You can now continue with the user's answers in mind.`;
  return { name: 'AskUserQuestion', input: { questions }, shown, response: { questions, answers: { [question]: chosen } } };
}

// Plays the recorded week on a stage: every prompt, tool call and end of a turn through the built hook, one after the other.

export type Played = { session: Session; startsAt: number | null; hookMs: number[] };

export async function playWeek(stage: Stage, week: Week, onSession: (played: Played) => void = () => undefined): Promise<void> {
  const now = Date.now();
  stage.repository.commit(week.repository.message, momentOf(week.repository, now) ?? now);
  for (const session of week.sessions) {
    const startsAt = momentOf(session, now);
    onSession({ session, startsAt, hookMs: await playOne(stage, session, startsAt) });
  }
}

/** Until then it is found by its words alone. */
export const indexWeek = (stage: Stage) => stage.settle(({ index }) => index.models.every(({ waiting }) => waiting === 0));

async function playOne(stage: Stage, { turns }: Session, startsAt: number | null): Promise<number[]> {
  const id = crypto.randomUUID();
  const transcript = stage.appendLines(id, []);
  const hookMs: number[] = [];
  for (const { lines, hooks } of playSession({ id, repository: stage.repository, transcript, startsAt }, turns)) {
    stage.appendLines(id, lines);
    for (const { command, payload } of hooks) {
      hookMs.push((await stage.hook(command, payload)).ms);
      // Days passed in between, and the next prompt finds the turn processed.
      if (command === 'summary' || command === 'cleanup') await stage.settle();
    }
  }
  return hookMs;
}

// The git repository that the recorded week is about: real files, real commits, of their own time.

type Repository = ReturnType<typeof makeRepository>;

/** `root` lies in a home of its own: the person's settings, templates and hooks of git do not count. */
export function makeRepository(root: string, { person, files }: Week['repository']) {
  const home = dirname(root);
  const git = (args: string[], dates: Record<string, string> = {}): string => {
    const env = { PATH: shellPath(), HOME: home, LANG: 'C', GIT_CONFIG_NOSYSTEM: '1', ...dates };
    const { stdout, stderr, success } = Bun.spawnSync(['git', ...args], { cwd: root, env });
    if (!success) throw new Error(`git ${args[0]} failed: ${stderr.toString().trim()}`);
    return stdout.toString();
  };
  mkdirSync(root, { recursive: true });
  writeFileSync(join(home, '.gitconfig'), `[user]\n\tname = ${person.name}\n\temail = ${person.email}\n`);
  git(['init', '-q', '-b', 'main']);
  // Whole seconds: what is dated before its folder was made is not taken for the person's own.
  const madeAt = Math.ceil(statSync(join(root, '.git')).birthtimeMs / 1000) * 1000;
  const repository = {
    root,
    has: (path: string) => existsSync(join(root, path)),
    read: (path: string) => readFileSync(join(root, path), 'utf8'),
    write(path: string, text: string) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    },
    /** All that has changed. Gives what git printed. */
    commit(message: string, at: number) {
      git(['add', '-A']);
      const dates = { GIT_AUTHOR_DATE: formatDate(at), GIT_COMMITTER_DATE: formatDate(Math.max(madeAt, Date.now())) };
      return git(['commit', '-m', message], dates);
    },
  };
  for (const [path, text] of Object.entries(files)) repository.write(path, text);
  return repository;
}

const formatDate = (at: number) => `${Math.floor(at / 1000)} +0000`;

// The recorded week, read and checked. It is data: week.yaml.

const ActSchema = z.union([
  z.strictObject({ say: z.string() }),
  z.strictObject({ read: z.string() }),
  z.strictObject({ write: z.string(), text: z.string() }),
  z.strictObject({ edit: z.string(), old: z.string(), new: z.string() }),
  z.strictObject({ run: z.string(), out: z.string(), fails: z.boolean().optional() }),
  z.strictObject({ commit: z.string() }),
  z.strictObject({ ask: z.string(), options: z.record(z.string(), z.string()), answer: z.string() }),
  z.strictObject({ task: z.string() }),
]);
type Act = z.output<typeof ActSchema>;

const TurnSchema = z.strictObject({ prompt: z.string(), acts: z.array(ActSchema), closing: z.string() });
export type Turn = z.output<typeof TurnSchema>;

/** `at`: by the clock of the person; without it, it plays now. */
const SessionSchema = z.strictObject({ daysAgo: z.number(), at: z.string().optional(), turns: z.array(TurnSchema) });
export type Session = z.output<typeof SessionSchema>;

const WeekSchema = z.strictObject({
  repository: z.strictObject({
    name: z.string(),
    person: z.strictObject({ name: z.string(), email: z.string() }),
    daysAgo: z.number(),
    at: z.string(),
    message: z.string(),
    files: z.record(z.string(), z.string()),
  }),
  sessions: z.array(SessionSchema),
  questions: z.array(z.string()),
  /** What must be in no file of the memory: the words of a private block, a key. */
  unkept: z.strictObject({ secret: z.string(), private: z.string() }),
});
export type Week = z.output<typeof WeekSchema>;

export const readWeek = (): Week => WeekSchema.parse(recorded);

/** On a day of this week, by the clock of the person; without a time of day it is now. */
export function momentOf({ daysAgo, at }: Pick<Session, 'daysAgo' | 'at'>, now: number): number | null {
  if (at === undefined) return null;
  const [hours = 0, minutes = 0] = at.split(':').map(Number);
  const day = new Date(now);
  day.setDate(day.getDate() - daysAgo);
  return day.setHours(hours, minutes, 0, 0);
}

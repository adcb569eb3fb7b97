// A batch read into the parts that the rules look at: what was asked, what was done, what was said about it.
import type { Batch } from '../../core/batch.ts';
import type { Hunk, SessionEvent, ToolEvent } from '../../core/event.ts';
import { readFileWrites } from './commands/file-writes.ts';
import { type Commit, type GitDeed, readGit } from './commands/git.ts';
import { type Operation, readOperations } from './commands/operations.ts';
import { type PackageChange, readPackages } from './commands/packages.ts';
import { type Run, readRun } from './commands/run.ts';
import { relativePath } from './project-path.ts';
import { soundAction } from './sound-action.ts';
import { cleanPrompt } from './text/clean-prompt.ts';
import { readStatements, type Statement } from './text/markdown.ts';

/** One tool use with what it means. `at` of a step is its place in the order of the session. */
export type Step = {
  id: string;
  time: number;
  index: number;
  old: boolean;
  event: ToolEvent;
  run: Run | null;
  git: GitDeed[];
  packages: PackageChange[];
  operations: Operation[];
  edits: Edit[];
};

export type Edit = {
  id: string;
  index: number;
  time: number;
  old: boolean;
  file: string;
  hunks: Hunk[];
  created: boolean;
  deleted: boolean;
};

/** Words of the user, the agent or a subagent, with the event they stand in. */
export type Said = { id: string; time: number; by: string; text: string; statements: Line[] };

export type Line = Statement & { id: string; time: number; by: string };

export type Turn = {
  root: string;
  prompts: Said[];
  /** What the session began with, when this prompt only says "go ahead". */
  goal: string;
  /** Earlier turns' tool uses first (`old`), then this turn's. */
  steps: Step[];
  reports: Said[];
  closing: Said | null;
  /** What the agent wrote into its commits. */
  commitNotes: Said[];
  ended: SessionEvent | null;
  lastTime: number;
};

/** Further back lies nothing that this turn can still answer. */
const EARLIER_READ = 400;
/** Characters of output read in one batch: many commands get less each, so that no batch takes long. */
const OUTPUT_READ = 1_200_000;

export function readTurn(batch: Batch): Turn {
  const ended = batch.events.findLast((event) => event.kind === 'stop' || event.kind === 'end') ?? null;
  const stop = batch.events.findLast((event) => event.kind === 'stop' && textOf(event.message) !== '');
  const root = batch.project.root;
  const steps = readSteps(batch);
  const prompts = batch.events
    .flatMap((event) => (event.kind === 'prompt' ? [said(event, 'user', cleanPrompt(textOf(event.text)))] : []))
    .filter((it) => it.text);
  return {
    root,
    prompts,
    goal: prompts.every((one) => isGoAhead(one.text)) ? cleanPrompt(textOf(batch.session.firstPrompt)) : '',
    steps,
    reports: readReports(batch.events, stop),
    closing: stop?.kind === 'stop' ? said(stop, 'agent', textOf(stop.message)) : null,
    commitNotes: commitsOf(steps.filter((step) => !step.old)).map(({ step, commit }) =>
      said(step.event, 'agent', commit.body),
    ),
    ended,
    lastTime: batch.events.reduce((latest, event) => Math.max(latest, event.at), 0),
  };
}

/** What was read of a batch: it is asked for by whoever observes it, proves it, and cites it. */
const known = new WeakMap<SessionEvent[], { earlier: ToolEvent[]; root: string; steps: Step[] }>();

function readSteps({ events, earlier, project: { root } }: Batch): Step[] {
  const read = known.get(events);
  if (read && read.earlier === earlier && read.root === root) return read.steps;
  const told = [
    ...earlier.slice(-EARLIER_READ).map((event) => ({ event, old: true })),
    ...events.filter((event) => event.kind === 'tool').map((event) => ({ event, old: false })),
  ];
  const outputRead = Math.max(2000, Math.min(60_000, Math.floor(OUTPUT_READ / (told.length + 1))));
  const steps = told.map(({ event, old }, index) => readStep({ told: event, index, old, root, outputRead }));
  known.set(events, { earlier, root, steps });
  return steps;
}

function isGoAhead(text: string): boolean {
  return (
    text.length < 60 &&
    /^(?:yes|yep|yeah|ok(?:ay)?|sure|do (?:it|that|so|both)|go(?: ahead| on| for it)?|please do|sounds good|great|good|perfect|agreed|continue|proceed|y)\b/i.test(
      text,
    )
  );
}

export function newSteps(turn: Turn): Step[] {
  return turn.steps.filter((step) => !step.old);
}

/** Everything the agent and its subagents said, the closing message first. */
export function agentLines(turn: Turn): Line[] {
  return [turn.closing, ...turn.reports, ...turn.commitNotes].flatMap((it) => it?.statements ?? []);
}

export function commitsOf(steps: Step[]): { step: Step; commit: Commit }[] {
  return steps.flatMap((step) =>
    step.git.flatMap((deed) => (deed.kind === 'commit' ? [{ step, commit: deed.commit }] : [])),
  );
}

type Told = { told: ToolEvent; index: number; old: boolean; root: string; outputRead: number };

function readStep({ told, index, old, root, outputRead }: Told): Step {
  const event = { ...told, action: soundAction(told.action) };
  const run = readRun(event, { root, outputRead });
  const command = event.action.type === 'command' ? event.action.command : '';
  return {
    id: event.id,
    time: event.at,
    index,
    old,
    event,
    run,
    git: run ? readGit(run, command, root) : [],
    packages: run ? readPackages(run) : [],
    operations: run ? readOperations(run.commands) : [],
    edits: readEdits(event, run, root).map((edit) => ({ ...edit, id: event.id, index, time: event.at, old })),
  };
}

/** Notes of the agent to itself and temporary files are not the user's work. */
const NOT_WORK =
  /(?:^|\/)\.claude\/(?:plans|projects|todos|tasks)\/|^\/tmp\/|^\/private\/tmp\/|^\/var\/folders\/|\/scratchpad\//;

function readEdits(
  event: ToolEvent,
  run: Run | null,
  root: string,
): Pick<Edit, 'file' | 'hunks' | 'created' | 'deleted'>[] {
  if (event.error !== null) return [];
  if (event.action.type === 'edit') {
    const { hunks, created } = event.action;
    const file = relativePath(event.action.file, root, event.cwd);
    return NOT_WORK.test(file) ? [] : [{ file, hunks, created, deleted: false }];
  }
  return (run ? readFileWrites(run) : [])
    .map((write) => ({
      file: relativePath(write.file, root, event.cwd),
      hunks: [],
      created: false,
      deleted: write.verb === 'delete',
    }))
    .filter((write) => !NOT_WORK.test(write.file));
}

function readReports(events: SessionEvent[], closing: SessionEvent | undefined): Said[] {
  const reports = events.flatMap((event): Said[] => {
    if (event.kind === 'stop' && event !== closing) return [said(event, 'agent', textOf(event.message))];
    if (event.kind === 'subagent') return [said(event, agentName(textOf(event.agentType)), textOf(event.message))];
    if (event.kind === 'compaction') return [said(event, 'compaction', textOf(event.summary))];
    if (event.kind !== 'tool' || event.action?.type !== 'agent') return [];
    return [said(event, agentName(textOf(event.action.description)), textOf(event.action.result))];
  });
  // A subagent's report arrives twice: as the result of the Agent tool and as its own stop. One of them may know its name.
  const known = new Map<string, Said>();
  for (const report of reports) {
    const key = report.text.slice(0, 200);
    const other = known.get(key);
    if (key !== '' && (!other || (other.by === NAMELESS && report.by !== NAMELESS))) known.set(key, report);
  }
  return [...known.values()];
}

/** A subagent that was given no name, or one that any may have. */
export const NAMELESS = 'subagent';

const agentName = (name: string) => (/^(?:general-purpose|agent|task)?$/i.test(name.trim()) ? NAMELESS : name);

function said(event: SessionEvent, by: string, text: string): Said {
  const trimmed = text.trim();
  const statements = readStatements(trimmed).map((statement) => ({ ...statement, id: event.id, time: event.at, by }));
  return { id: event.id, time: event.at, by, text: trimmed, statements };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

// The summary of a turn in eight fields, from what was asked, done and said.
import type { ObservationDraft } from '../../core/observation.ts';
import type { SummaryDraft } from '../../core/summary.ts';
import { unique } from './draft.ts';
import { filesReadIn } from './files-read.ts';
import { openItems } from './open-items.ts';
import { clip } from './text/clip.ts';
import { overlap } from './text/tokens.ts';
import { agentLines, commitsOf, type Line, NAMELESS, newSteps, type Said, type Step, type Turn } from './turn.ts';
import { describeRun } from './verification.ts';
import { doneLines } from './words/done.ts';
import { isFinding } from './words/finding.ts';

/** Null while the turn goes on. */
export function summarize(turn: Turn, observations: ObservationDraft[]): SummaryDraft | null {
  if (!turn.ended) return null;
  const steps = newSteps(turn);
  const next = openItems(turn);
  const done = completed(turn, steps, observations);
  return {
    request: requestOf(turn),
    investigated: investigated(turn, steps),
    learned: learned(turn, observations, done),
    completed: done === null ? null : clip(done.join(' '), 900),
    nextSteps: next.length > 0 ? next.map((item) => `- ${item}`).join('\n') : null,
    filesRead: filesReadIn(steps, turn.root),
    filesEdited: unique(steps.flatMap((step) => step.edits.map((edit) => edit.file))),
    notes: notes(steps, observations),
    at: turn.ended.at,
  };
}

function requestOf(turn: Turn): string | null {
  const texts = unique(turn.prompts.map((prompt) => clip(prompt.text.replace(/\s+/g, ' '), 500)));
  return texts.length > 0 ? clip(texts.join(' → '), 900) : null;
}

function investigated(turn: Turn, steps: Step[]): string | null {
  const files = filesReadIn(steps, turn.root);
  const queries = unique(
    steps.flatMap(({ event }) =>
      event.action.type === 'search' && event.action.query && !isBareGlob(event.action.query)
        ? [event.action.query.slice(0, 60)]
        : [],
    ),
  );
  const pages = unique(
    steps.flatMap(({ event }) =>
      event.action.type === 'web' && event.action.target ? [event.action.target.slice(0, 100)] : [],
    ),
  );
  const agents = unique(turn.reports.filter(isSubagent).map((report) => report.by));
  const parts = [
    files.length > 0 ? `Read ${listed(files, 6)}` : null,
    queries.length > 0 ? `searched for ${listed(queries, 4)}` : null,
    pages.length > 0 ? `looked up ${listed(pages, 4)}` : null,
    agents.length > 0 ? `asked subagents: ${listed(agents, 3)}` : null,
  ].filter((part) => part !== null);
  return parts.length > 0 ? `${parts.join('; ')}.` : null;
}

/** A pattern of stars and an ending names nothing that was looked for. */
const isBareGlob = (query: string) => /^(?:\.{0,2}\/)?(?:\*+\/)*\*+(?:\.[\w.*{},]*)?$/.test(query);

/** One that nobody named says nothing either. */
function isSubagent({ by }: Said): boolean {
  return by !== 'agent' && by !== 'compaction' && by !== NAMELESS;
}

function listed(items: string[], kept: number): string {
  const more = items.length - kept;
  return items.slice(0, kept).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

/** What was found out, without what `done` already tells. */
function learned(turn: Turn, observations: ObservationDraft[], done: string[] | null): string | null {
  const causes = observations.filter((one) => one.type === 'bugfix').flatMap(causeOf);
  const ruledOut = observations.filter((one) => one.outcome === 'ruled-out').map((one) => `${one.title}.`);
  const found = observations
    .filter((one) => one.type === 'discovery' && one.outcome !== 'ruled-out')
    .flatMap(tellFound);
  const others = agentLines(turn)
    .filter(isFinding)
    .map((line) => line.text);
  const isNew = (text: string) => !(done ?? []).some((other) => overlap(text, other) >= 0.7);
  const chosen = distinct([...causes, ...found, ...ruledOut, ...others].filter(isNew), 4);
  return chosen.length > 0 ? clip(chosen.join(' '), 700) : null;
}

/** The title, where its facts only repeat it or are the commands that it was seen in. */
function tellFound({ title, facts, origin }: ObservationDraft): string[] {
  if (title && (facts.length === 0 || origin === 'command')) return [title];
  return facts.slice(0, 3).map((it) => it.text);
}

/** A fix is named by its cause, or has it as a fact. */
function causeOf({ title, facts }: ObservationDraft): string[] {
  const told = facts.find((it) => it.text.startsWith('Cause: '))?.text;
  return told ? [told] : (title ?? '').startsWith('Fix: ') ? [`Cause: ${title?.slice(5)}`] : [];
}

function completed(turn: Turn, steps: Step[], observations: ObservationDraft[]): string[] | null {
  const done = doneLines(turn.closing?.statements ?? []).map((line: Line) => line.text);
  const made = observations
    .filter((one) => one.filesModified.length > 0 && one.outcome !== 'ruled-out')
    .map((one) => `${one.title}.`);
  const commits = commitsOf(steps).map(
    ({ commit }) => `Committed ${commit.hash ? `${commit.hash}: ` : ''}${commit.subject}.`,
  );
  const deeds = observations
    .filter((one) => one.origin === 'command' && one.filesModified.length === 0 && one.type === 'change')
    .map((one) => `${one.title}.`);
  const work = done.length > 0 ? done.slice(0, 5) : made;
  const all = distinct([...work, ...deeds, ...commits], 8);
  return all.length > 0 ? all : null;
}

function notes(steps: Step[], observations: ObservationDraft[]): string | null {
  const checks = steps.filter((step) => step.run?.kinds.some((kind) => kind !== 'program'));
  const last = checks.at(-1);
  const decisions = observations.filter((one) => one.type === 'decision').map((one) => `Decided: ${one.title}.`);
  const all = distinct([...(last ? [`${describeRun(last)}.`] : []), ...decisions], 5);
  return all.length > 0 ? clip(all.join(' '), 600) : null;
}

function distinct(texts: string[], kept: number): string[] {
  const chosen: string[] = [];
  for (const text of texts)
    if (chosen.length < kept && !chosen.some((other) => overlap(other, text) >= 0.8)) chosen.push(text);
  return chosen.map(ended);
}

function ended(text: string): string {
  return /[.!?。:;]["”)`]?$/.test(text) ? text : `${text}.`;
}

// The summary of a turn in eight fields, and what its session is called.
import type { SummaryDraft } from '../core/observation.ts';
import type { Step, TurnRecord } from '../turns/record.ts';
import { cutText, type Draft } from './draft.ts';
import { countWords } from './sentences.ts';
import { findOpenSteps } from './steps.ts';
import { makeTitle, standsAlone } from './title.ts';
import { closingStatements, netEdits, type ObservedTurn, promptStatements, wasInterrupted } from './turn.ts';
import { lastCheck } from './work.ts';

export function summarize(turn: ObservedTurn, drafts: Draft[], at: number): SummaryDraft {
  const { steps } = turn.record;
  const open = findOpenSteps(turn).map(({ text }) => `- ${text}`);
  return {
    request: cut(turn.prompt, 500),
    investigated: investigated(steps),
    learned: join(learned(turn.record, drafts)),
    completed: join(completed(turn.record, drafts)),
    nextSteps: open.length > 0 ? open.join('\n') : null,
    filesRead: filesRead(steps),
    filesEdited: [...new Set(netEdits(turn.record).map(({ file }) => file))],
    notes: join([...(wasInterrupted(turn.record) ? [INTERRUPTED] : []), ...tellCheck(steps), ...drafts.flatMap(tellDecision)]),
    at,
  };
}

export const INTERRUPTED = 'The user interrupted it before it was finished';

const cut = (text: string, most: number): string | null => cutText(text.replace(/\s+/g, ' ').trim(), most) || null;

/** One behind the other, each once, each with its end. */
function join(sentences: string[]): string | null {
  const ended = [...new Set(sentences)].map((text) => (/[.!?。！？:;]["”)`]?$/.test(text) ? text : `${text}.`));
  return cut(ended.join(' '), 900);
}

const filesRead = (steps: Step[]) => unique(steps.flatMap((step) => (step.kind === 'read' ? [step.file] : []))).slice(0, 40);

function investigated(steps: Step[]): string | null {
  const told = [
    list('Read', filesRead(steps), 6),
    list('searched for', unique(steps.flatMap((step) => (step.kind === 'searched' ? [step.query.slice(0, 60)] : []))), 4),
    list('looked up', unique(steps.flatMap((step) => (step.kind === 'web' ? [step.source.slice(0, 100)] : []))), 4),
    list('asked subagents:', unique(steps.flatMap((step) => (step.kind === 'agent' && step.task ? [step.task] : []))), 3),
  ].filter((part) => part !== null);
  return told.length > 0 ? `${told.join('; ')}.` : null;
}

const unique = (texts: string[]) => [...new Set(texts.filter(Boolean))];

function list(head: string, items: string[], most: number): string | null {
  if (items.length === 0) return null;
  const more = items.length - most;
  return `${head} ${items.slice(0, most).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** Findings, and what ruled something out; of a turn that changed nothing and found nothing by itself, what was said at its end. */
function learned(record: TurnRecord, drafts: Draft[]): string[] {
  const found = drafts.flatMap(({ type, outcome, title, facts }) => {
    if (outcome === 'ruled-out') return [title];
    return type === 'discovery' ? facts.slice(0, 3).map(({ text }) => text) : [];
  });
  const said = found.length === 0 && netEdits(record).length === 0 ? closingStatements(record) : [];
  return [...found, ...said.map(({ text }) => text)].slice(0, 4);
}

/** In the agent's closing words; without any, by the names of what was made. */
function completed(record: TurnRecord, drafts: Draft[]): string[] {
  const made = drafts.filter(({ filesModified, type }) => filesModified.length > 0 && type !== 'decision');
  const commits = record.steps.flatMap((step) => (step.kind === 'committed' ? [`Committed ${step.hash}: ${step.message}`] : []));
  if (made.length === 0 || wasInterrupted(record)) return commits;
  const said = closingStatements(record)
    .slice(0, 4)
    .map(({ text }) => text);
  return [...(said.length > 0 ? said : made.map(({ title }) => title)), ...commits];
}

function tellCheck(steps: Step[]): string[] {
  const last = lastCheck(steps);
  return last ? [`\`${cut(last.command, 100)}\` ${last.hasPassed ? 'passed' : 'failed'}`] : [];
}

const tellDecision = ({ type, title }: Draft) => (type === 'decision' ? [`Decided: ${title}`] : []);

/** By what was asked first, where that says what it is about; else by what came of it. */
export function nameSession(firstPrompt: string, drafts: Draft[]): string | null {
  const asked = promptStatements(firstPrompt).find(standsAlone);
  const made = mainOf(drafts)?.title ?? null;
  const [line = ''] = firstPrompt.split('\n');
  return (asked ? makeTitle(asked, null) : made) ?? (countWords(line) > 0 ? cut(line, 90) : null);
}

/** What came of it so far. */
export const nameResult = (drafts: Draft[]): string | null => mainOf(drafts)?.title ?? null;

const mainOf = (drafts: Draft[]) =>
  drafts.find(({ filesModified, type }) => filesModified.length > 0 && type !== 'decision') ??
  drafts.find(({ type }) => type !== 'decision') ??
  drafts[0];

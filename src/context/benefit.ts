// What the memory would have been worth: past sessions again, in the order of time, each with the memory of what had
// ended before it started.
import type { Benefit, BenefitFinding, BenefitSession, FindingKind, SessionMoment } from '../core/context.ts';
import { oneLine } from '../core/text.ts';
import { repeats, stemsOf } from '../search/alike.ts';
import { readQuery } from '../search/query-words.ts';
import { readRecord, type Step } from '../turns/record.ts';
import { readErrorText } from './error-note.ts';
import { readQuestion } from './question.ts';

export type PastTurn = {
  number: number;
  prompt: string;
  /** As it is stored. */
  record: string;
  branch: string | null;
  startedAt: number;
  endedAt: number;
};

export type PastSession = {
  id: string;
  projectId: number;
  project: string;
  startedAt: number;
  turns: PastTurn[];
  /** Bugs that it fixed after a command had failed, as they are remembered. */
  fixes: { turn: number; title: string }[];
};

type Finding = SessionMoment & {
  kind: FindingKind;
  /** A command from its program to the last word that is new; a title; a path relative to the project. */
  text: string;
  /** Whether a part of what was read says it; the part is in lower case. */
  isNamedIn: (part: string) => boolean;
};

/** Nothing that a prompt had named by then. `isCommon`: a file that anybody would think of. */
function listFindings({ turns, fixes }: PastSession, isCommon: (file: string) => boolean): Finding[] {
  const files = createFileSearch(isCommon);
  let said = '';
  return turns.flatMap(({ number, prompt, record }) => {
    said += `\n${prompt.toLowerCase()}`;
    const { steps } = readRecord(record);
    const titles = fixes.filter(({ turn }) => turn === number).map(({ title }) => title);
    return [
      ...foundCommands(steps, said).map((one) => ({ ...one, turn: number })),
      ...files(steps, number, said),
      ...foundCauses(titles, said).map((one) => ({ ...one, turn: number, step: steps.length })),
    ];
  });
}

/** Nothing was edited in between: that could have helped instead. */
function foundCommands(steps: Step[], said: string): Omit<Finding, 'turn'>[] {
  let failed: string[][] = [];
  return steps.flatMap((step, at): Omit<Finding, 'turn'>[] => {
    if (step.kind === 'edited') failed = [];
    if (step.kind !== 'ran' || step.isOk === null) return [];
    const parts = partsOf(step.command);
    if (!step.isOk) failed.push(...parts);
    const found = step.isOk ? parts.flatMap((words) => failed.flatMap((tried) => newPhrase(words, tried))) : [];
    const [phrase] = found.filter((one) => !said.includes(one));
    if (phrase === undefined) return [];
    failed = [];
    return [{ kind: 'command', text: phrase, step: at, isNamedIn: (part) => wordsOf(part).join(' ').includes(phrase) }];
  });
}

/** The command up to the last word that is new in it: most of the failed one is kept, or another program gets the same. */
function newPhrase(words: string[], tried: string[]): string[] {
  const isNew = words.map((word, at) => !tried.includes(word) && /\p{L}{2}/u.test(word) && (at === 0 || !isPath(word)));
  const isKept = (word: string) => tried.includes(word) && /\p{L}/u.test(word) && (isNew[0] || !isPath(word));
  const kept = words.filter(isKept).length;
  if (kept < tried.length / 2 || kept < (isNew[0] ? 1 : 2) || !isNew.includes(true)) return [];
  const last = Math.max(isNew.lastIndexOf(true), words.findIndex(isKept));
  return [words.slice(0, last + 1).join(' ')];
}

/** To do the same with another file is no news, nor is something else with the same one. */
const isPath = (word: string) => /[/.]/.test(word);

/** To look is no attempt: what it does not find has not failed. */
const LOOKS = /^(?:cd|cat|echo|export|find|grep|head|ls|printf|rg|sed|sleep|source|tail|test|wc|which)\b/;
const LONGEST_COMMAND = 200;

/** The words of each part, in lower case. What is quoted and has blanks in it is a text, not a word of the command. */
const partsOf = (command: string): string[][] =>
  command
    .replace(/"(?:[^"\\]|\\.)*"|'[^']*'/g, (quoted) => (/\s/.test(quoted) ? '' : quoted))
    .split(/&&|\|\||[;|\n]/)
    .map((part) =>
      part
        .replace(/\d?>+\s*\S+/g, ' ')
        .trim()
        .replace(/^(?:\w+=\S+ )+/, ''),
    )
    .filter((part) => part !== '' && part.length <= LONGEST_COMMAND && !LOOKS.test(part))
    .map(wordsOf);

const wordsOf = (text: string) => text.toLowerCase().replace(/["'`]/g, '').split(/\s+/).filter(Boolean);

const FEWEST_WORDS = 4;

/** Said in most of its words. */
const foundCauses = (titles: string[], said: string): Omit<Finding, 'turn' | 'step'>[] =>
  titles
    .filter((title) => stemsOf(title).size >= FEWEST_WORDS && !repeats(said, title))
    .map((title) => ({ kind: 'cause', text: title, isNamedIn: (part) => repeats(part, title) }));

/** Opened for the first time after a search, and then edited: that one was wanted. */
function createFileSearch(isCommon: (file: string) => boolean) {
  const opened = new Set<string>();
  const searched = new Map<string, SessionMoment>();
  return (steps: Step[], turn: number, said: string): Finding[] => {
    let isSearching = false;
    return steps.flatMap((step, at): Finding[] => {
      isSearching ||= isSearch(step);
      if (step.kind !== 'read' && step.kind !== 'edited') return [];
      const { file } = step;
      const isFirst = !opened.has(file) && !(step.kind === 'edited' && step.isNew);
      opened.add(file);
      if (isFirst && isSearching && isOfProject(file) && !isCommon(file) && !said.includes(nameOf(file)))
        searched.set(file, { turn, step: at });
      const moment = searched.get(file);
      if (step.kind !== 'edited' || !moment) return [];
      searched.delete(file);
      const path = file.toLowerCase();
      return [{ kind: 'file', text: file, ...moment, isNamedIn: (part) => holdsPath(part, path) }];
    });
  };
}

const isSearch = (step: Step): boolean =>
  step.kind === 'searched' || (step.kind === 'ran' && /(?:^|[;|&\n]\s*)(?:grep|rg|find|fd|git (?:grep|ls-files))\b/.test(step.command));

const isOfProject = (file: string) => !/^[/~]|^\.\.\/|^\.claude\//.test(file);
const nameOf = (file: string) => (file.split('/').at(-1) ?? file).toLowerCase();

/** Not as a part of another name. */
function holdsPath(text: string, path: string): boolean {
  const at = text.indexOf(path);
  return at >= 0 && !/[\w-]/.test(text[at - 1] ?? ' ') && !/[\w-]/.test(text[at + path.length] ?? ' ');
}

/** What a session reads on one occasion: at its start, with a prompt, after an error. */
export type Given = SessionMoment & { where: string; text: string };

type BenefitDeps = {
  /** All there are; which of them count is said by `isWanted`. */
  sessions: PastSession[];
  isWanted: (session: PastSession) => boolean;
  /** Remembers a turn that has ended. Called in the order of time. */
  remember: (session: PastSession, turn: PastTurn) => void;
  /** What the product would give this session in this project, as far as it remembers now. Remembers nothing of it. */
  give: (session: PastSession, projectId: number) => Promise<Given[]>;
  report: (done: number, total: number) => void;
};

export async function measureBenefit(deps: BenefitDeps): Promise<Benefit> {
  const { sessions, isWanted, remember, report } = deps;
  const past: Past = new Map();
  const common = findCommonFiles(sessions);
  const benefit: Benefit = { sessions: [], all: 0, withoutPast: 0 };
  const moments = listMoments(sessions);
  for (const [at, { session, turn }] of moments.entries()) {
    report(at, moments.length);
    if (turn) {
      remember(session, turn);
      addTurn(past, session.projectId, turn);
      continue;
    }
    if (!isWanted(session)) continue;
    benefit.all++;
    if (!past.has(session.projectId)) benefit.withoutPast++;
    const findings = listFindings(session, (file) => common.get(session.projectId)?.has(file) === true);
    if (past.has(session.projectId) && findings.length > 0) benefit.sessions.push(await replay(deps, { session, findings, past }));
  }
  report(moments.length, moments.length);
  return benefit;
}

type Moment = { at: number; session: PastSession; turn: PastTurn | null };

/** A turn that ended in the very moment is not known yet. */
const listMoments = (sessions: PastSession[]): Moment[] =>
  sessions
    .flatMap((session): Moment[] => [
      { at: session.startedAt, session, turn: null },
      ...session.turns.map((turn) => ({ at: turn.endedAt, session, turn })),
    ])
    .sort((one, other) => one.at - other.at || Number(one.turn !== null) - Number(other.turn !== null));

const MOST_COMMON = 10;

/** By project: the files that are edited most in all of its history. */
function findCommonFiles(sessions: PastSession[]): Map<number, Set<string>> {
  const projects = Map.groupBy(sessions, ({ projectId }) => projectId);
  return new Map(
    [...projects].map(([projectId, those]) => {
      const steps = those.flatMap(({ turns }) => turns.flatMap(({ record }) => readRecord(record).steps));
      const edits = Map.groupBy(steps, (step) => (step.kind === 'edited' ? step.file : ''));
      edits.delete('');
      const most = [...edits].sort(([one, a], [other, b]) => b.length - a.length || (one < other ? -1 : 1)).slice(0, MOST_COMMON);
      return [projectId, new Set(most.map(([file]) => file))];
    }),
  );
}

/** By project, what grep reads: each turn that has ended, in lower case. */
type Past = Map<number, string[]>;

function addTurn(past: Past, projectId: number, { prompt, record }: PastTurn): void {
  past.set(projectId, [...(past.get(projectId) ?? []), `${prompt}\n${record}`.toLowerCase()]);
}

type Replayed = { session: PastSession; findings: Finding[]; past: Past };

async function replay({ give }: BenefitDeps, { session, findings, past }: Replayed): Promise<BenefitSession> {
  const { id, project, projectId, startedAt } = session;
  const other = findOther(past, projectId);
  const given = await give(session, projectId);
  const chance = other === null ? null : await give(session, other);
  const turns = past.get(projectId) ?? [];
  const grepped = listOccasions(session).flatMap((occasion) => grep(turns, occasion));
  return {
    session: id,
    project,
    startedAt,
    turnsBefore: turns.length,
    characters: { memory: count(given), grep: count(grepped) },
    findings: findings.map((finding) => judge(finding, { given, chance, grepped })),
  };
}

/** The one with the most turns: what it knows is the hardest to tell from an answer. */
function findOther(past: Past, projectId: number): number | null {
  const others = [...past].filter(([id]) => id !== projectId);
  return others.sort(([a, one], [b, other]) => other.length - one.length || a - b)[0]?.[0] ?? null;
}

const count = (given: Given[]) => given.reduce((sum, { text }) => sum + text.length, 0);

type Read = { given: Given[]; chance: Given[] | null; grepped: Given[] };

function judge(finding: Finding, { given, chance, grepped }: Read): BenefitFinding {
  const { kind, text, turn, step } = finding;
  return {
    kind,
    text: oneLine(text, LONGEST),
    turn,
    step,
    known: findNaming(finding, given),
    isKnownByChance: chance && findNaming(finding, chance) !== null,
    isGrepped: findNaming(finding, grepped) !== null,
  };
}

const LONGEST = 160;

/** What was read before it was found out, part by part: words that stand far apart name nothing together. */
function findNaming(finding: Finding, given: Given[]): BenefitFinding['known'] {
  for (const { turn, step, where, text } of given) {
    if (turn > finding.turn || (turn === finding.turn && step >= finding.step)) continue;
    const part = text.split(PARTS).find((one) => finding.isNamedIn(one.toLowerCase()));
    if (part !== undefined) return { where, line: excerpt(part, finding) };
  }
  return null;
}

/** The line that names it, from a little before. */
function excerpt(part: string, { text, isNamedIn }: Finding): string {
  const line = part.split('\n').find((one) => isNamedIn(one.toLowerCase())) ?? part;
  const at = line.toLowerCase().indexOf(text.toLowerCase());
  return at + text.length <= LONGEST ? oneLine(line, LONGEST) : `…${oneLine(line.slice(at - BEFORE), LONGEST)}`;
}

const BEFORE = 60;

/** Each record of a page or a note begins with its id; a find of grep is a line. */
const PARTS = /\n(?=#)/;

/** When a memory may speak: with each prompt that says enough, and after each command that failed. */
type Occasion = SessionMoment & { kind: 'prompt' | 'error'; text: string };

export const listOccasions = ({ turns }: PastSession): Occasion[] =>
  turns.flatMap(({ number: turn, prompt, record }): Occasion[] => [
    { kind: 'prompt', turn, step: -1, text: prompt },
    ...readRecord(record).steps.flatMap((step, at): Occasion[] =>
      step.kind === 'ran' && step.isOk === false ? [{ kind: 'error', turn, step: at, text: step.output }] : [],
    ),
  ]);

const WORDS = 3;
const FIRST = 3;
const LAST = 3;
const AROUND = { before: 140, after: 180 };

/** As somebody would who knows the past: the rarest words, and of each the first and the last places with what stands around them. */
function grep(past: string[], { kind, turn, step, text }: Occasion): Given[] {
  const asked = kind === 'prompt' ? readQuestion(text)?.text : readErrorText(text)?.text;
  const words = new Set(readQuery(asked ?? '').flatMap((term) => (term.stem === null ? [] : [term.text.toLowerCase()])));
  const found = [...words]
    .map((word) => ({ word, turns: past.filter((one) => one.includes(word)) }))
    .filter(({ turns }) => turns.length > 0)
    .sort((one, other) => one.turns.length - other.turns.length || (one.word < other.word ? -1 : 1))
    .slice(0, WORDS)
    .flatMap(({ word, turns }) => findPlaces(turns, word));
  return found.length > 0 ? [{ turn, step, where: 'grep', text: found.map((place) => `#${place}`).join('\n') }] : [];
}

function findPlaces(turns: string[], word: string): string[] {
  const places = turns.flatMap((text) => placesIn(text, word));
  return places.length <= FIRST + LAST ? places : [...places.slice(0, FIRST), ...places.slice(-LAST)];
}

function placesIn(text: string, word: string): string[] {
  const places: string[] = [];
  for (let at = text.indexOf(word); at >= 0; ) {
    const end = at + word.length + AROUND.after;
    places.push(text.slice(Math.max(0, at - AROUND.before), end).replaceAll('\n', ' '));
    at = text.indexOf(word, end);
  }
  return places;
}

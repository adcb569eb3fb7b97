// What was said about one piece of work: the part of the request it answers, the sentences on it, and the failures they tell.
import { unique } from './draft.ts';
import { isTestFile } from './edits/describe.ts';
import { findStories, isSameFailure, type Story } from './failure-stories.ts';
import type { Known } from './red-trace.ts';
import type { Repair } from './repairs.ts';
import { sharedWords } from './text/tokens.ts';
import { agentLines, type Line, type Turn } from './turn.ts';
import { isAboutTrouble } from './words/asked.ts';
import { isInstruction } from './words/instruction.ts';
import { isOnTheWay } from './words/trouble.ts';
import type { WorkGroup } from './work-groups.ts';

export type SaidOfWork = {
  prompt: string;
  lines: Line[];
  stories: Story[];
  /** The story of the fix itself, where the piece is one. */
  main: Story | undefined;
  asides: Story[];
  /** The lines that tell no aside. */
  free: Line[];
};

type Piece = { group: WorkGroup; repairs: Repair[]; names: string[]; subject: string | null };

/** `isOneOfSeveral` = the turn holds other pieces too: only the words about this one count. */
export function readSaid(turn: Turn, piece: Piece, isOneOfSeveral: boolean): SaidOfWork {
  const prompt = isOneOfSeveral
    ? askedHere(turn, [piece.subject ?? '', ...piece.names])
    : [...turn.prompts.map((one) => one.text), turn.goal].join('\n').trim();
  const known = knownBefore(piece.group, piece.repairs, prompt);
  const lines = linesOf(turn, piece, isOneOfSeveral ? known : null);
  const stories = findStories(lines, piece.repairs, known);
  const main = mainStory(stories, piece.group, prompt);
  const asides = stories.filter((story) => story !== main && !(main && isSameFailure(story, main)));
  const free = lines.filter((line) => !asides.some((story) => story.lines.includes(line)));
  return { prompt, lines, stories, main, asides, free };
}

/** `known` set = only the lines about this piece. */
function linesOf(turn: Turn, { group, repairs, names, subject }: Piece, known: Known | null): Line[] {
  const said = (turn.closing?.statements ?? agentLines(turn)).filter((line) => !isInstruction(line));
  const notes = turn.commitNotes.filter((note) => group.commits.some(({ step }) => step.id === note.id));
  const about = known ? [...linesAbout(said, names, subject ?? ''), ...linesOnRed(said, repairs, known)] : said;
  return unique([...about, ...notes.flatMap((note) => note.statements)]);
}

/** "Fix the scroll jump and add a filter": the part of the request that this piece answers. */
function askedHere(turn: Turn, about: string[]): string {
  const clauses = turn.prompts.flatMap((one) => one.text.slice(0, 1200).split(/[.!?;\n]\s*|,? and (?:then )?|, then /));
  const words = about.join(' ');
  const ranked = clauses.map((clause) => ({ clause, weight: sharedWords(clause, words) }));
  return (
    ranked
      .sort((a, b) => b.weight - a.weight)
      .find((one) => one.weight > 0)
      ?.clause.trim() ?? ''
  );
}

/** Whole paragraphs and items: the sentence after the one that names a file speaks of it too. */
function linesAbout(said: Line[], names: string[], subject: string): Line[] {
  const block = (line: Line) => `${line.id} ${line.block}`;
  const about = new Set(said.filter((line) => speaksOf(line, names, subject)).map(block));
  return said.filter((line) => about.has(block(line)));
}

function speaksOf(line: Line, names: string[], subject: string): boolean {
  return names.some((name) => name.length > 3 && line.text.includes(name)) || sharedWords(line.text, subject) >= 2;
}

/** A failure of this piece may be told without naming what was edited. */
function linesOnRed(said: Line[], repairs: Repair[], known: Known): Line[] {
  return findStories(said, repairs, known).flatMap((story) => (story.repair ? story.lines : []));
}

/** In a turn about trouble every word of it may point at the failure. */
function knownBefore(group: WorkGroup, repairs: Repair[], prompt: string): Known {
  const red = Math.min(...repairs.map((repair) => repair.failure.index));
  const before = group.edits.filter((edit) => edit.index < red).map((edit) => edit.file);
  return isAboutTrouble(prompt) ? { topic: '', files: new Set() } : { topic: prompt, files: new Set(before) };
}

/** The first story of what was red from the start is the fix itself; in a turn about trouble any first one not met on the way. */
function mainStory(stories: Story[], group: WorkGroup, prompt: string): Story | undefined {
  const isTrouble = isAboutTrouble(prompt);
  const isFirstRed = ({ repair, red }: Story) => repair !== null && red === repair.failure && isRedFirst(repair, group);
  return stories.find((story) => isFirstRed(story) || (isTrouble && !story.lines.some(isOnTheWay)));
}

/** Red before anything but a test was edited, and green in the end. */
export function isRedFirst(repair: Repair, group: WorkGroup): boolean {
  return (
    repair.success !== null && group.edits.every((edit) => edit.index > repair.failure.index || isTestFile(edit.file))
  );
}

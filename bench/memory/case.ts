// A case of the bench, as FORMAT.md describes it.
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/** A text, or one of several. */
export type Wanted = string | string[];
export type Todo = { text: string; status: 'pending' | 'in_progress' | 'completed' };

export type ScriptedStep = {
  say?: string;
  bash?: string;
  read?: string;
  grep?: string;
  edit?: string;
  write?: string;
  web?: string;
  commit?: string;
  ask?: string;
  plan?: string;
  todo?: Todo[];
  out?: string;
  fails?: boolean;
  old?: string;
  new?: string;
  text?: string;
  options?: string[];
  answer?: string;
  approved?: boolean;
  feedback?: string;
  files?: string[];
  hash?: string;
};
export type ScriptedTurn = { prompt: string; steps: ScriptedStep[]; close?: string; interrupted?: boolean };
export type ScriptedSession = { startsAt: string; branch?: string; turns: ScriptedTurn[] };

export type Question = {
  ask: string;
  kind: 'decision' | 'fix' | 'open' | 'exact' | 'absent';
  answer?: Wanted[];
  not?: string[];
  queries?: string[];
  grep?: string[];
};
export type Told = { must?: Wanted[]; not?: string[]; nothing?: boolean };
export type Placed = { turn?: number; words: Wanted[] };

export type Case = {
  name: string;
  language: string;
  about: string;
  transcript?: string;
  root?: string;
  git?: boolean;
  files?: Record<string, string>;
  sessions?: ScriptedSession[];
  truths: (Placed & { id: string; kind: string; file?: string; by?: string })[];
  mustNot: (Placed & { why?: string; current?: boolean })[];
  alsoFine: Placed[];
  reversals: { old: Placed; new: Placed; plain: boolean }[];
  openSteps: Placed[];
  closedSteps: Placed[];
  rules: Placed[];
  notRules: Placed[];
  questions: Question[];
  prompts: ({ prompt: string } & Told)[];
  edits: ({ file: string } & Told)[];
  errors: ({ command: string; out: string } & Told)[];
};

export type Part = 'work' | 'unseen';

export function loadCases(part: Part): Case[] {
  const folder = join(import.meta.dir, part);
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => {
      const read = JSON.parse(readFileSync(join(folder, name), 'utf8')) as Partial<Case>;
      return { ...EMPTY, ...read, name: basename(name, '.json') };
    });
}

const EMPTY: Case = {
  name: '',
  language: 'en',
  about: '',
  truths: [],
  mustNot: [],
  alsoFine: [],
  reversals: [],
  openSteps: [],
  closedSteps: [],
  rules: [],
  notRules: [],
  questions: [],
  prompts: [],
  edits: [],
  errors: [],
};

/** As people would compare by eye: without case, quotes and doubled blanks. */
export const plain = (text: string) =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[`*_"'“”‘’«»]/g, '')
    .replace(/(\d)[,.\u202f\u00a0](?=\d{3}\b)/g, '$1')
    .replace(/\s+/g, ' ');

export const holds = (text: string, wanted: Wanted) => [wanted].flat().some((one) => text.includes(plain(one)));
export const holdsAll = (text: string, wanted: Wanted[]) => wanted.every((one) => holds(text, one));

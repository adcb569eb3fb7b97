// `claude-mem benefit`: what the memory would have been worth in past sessions, counted on the user's own history.
import { existsSync } from 'node:fs';
import { loadConfig } from '../../config.ts';
import type { Benefit, BenefitFinding, BenefitSession, FindingKind } from '../../core/context.ts';
import { sayCount } from '../../core/text.ts';
import { formatDate } from '../../core/time.ts';
import { findPaths } from '../../paths.ts';
import { command } from '../command.ts';
import { readPlace } from '../options.ts';
import { createProgress } from '../watch-job.ts';

export const benefitCommand = command({
  name: 'benefit',
  about: 'Count what past sessions worked out again',
  options: { '--project [name]': 'Only sessions of this project, or of another one' },
  help:
    'Replays your own past sessions, oldest first: each gets the session context and the notes that it would have got from the ' +
    'turns before it. Counted is what a session worked out and they would have named before: a command that worked after failed ' +
    'ones, the cause of an error, a file it searched for. Beside it the same with the memory of another project (chance), and ' +
    'with grep. Nothing is written, no model is asked. docs/benefit.md says how it is counted, and what it does not show.',
  examples: ['claude-mem benefit', 'claude-mem benefit --project shop --json'],
  who: 'owner',
  async run({ project, json = false }) {
    const { database, config } = findPaths();
    if (!existsSync(database)) throw new Error('Nothing is remembered yet. `claude-mem import` reads your past sessions.');
    // In a bundle that the other commands do not load.
    const { replayPast } = await import('../../import/child.ts');
    const { show, end } = createProgress(json);
    const report = (done: number, total: number) => {
      if (done === total) end();
      else show({ step: `${sayCount(done, 'moments')} of ${total}`, done, total, unit: 'rows', counts: {} });
    };
    const place = project === undefined ? {} : { place: readPlace(project) };
    const benefit = await replayPast({ database, config: loadConfig(config).config, ...place, report });
    return { answer: { ...sum(benefit.sessions), ...benefit }, text: () => describe(benefit).join('\n') };
  },
});

type Known = (finding: BenefitFinding) => boolean;
const BY_MEMORY: Known = ({ known }) => known !== null;
const BY_CHANCE: Known = ({ isKnownByChance }) => isKnownByChance === true;
const BY_GREP: Known = ({ isGrepped }) => isGrepped;

/** Sessions in which at least one answer was known. */
const sum = (sessions: BenefitSession[]) => {
  const count = (isKnown: Known) => sessions.filter(({ findings }) => findings.some(isKnown)).length;
  return { of: sessions.length, known: count(BY_MEMORY), chance: count(BY_CHANCE), grep: count(BY_GREP) };
};

function describe({ sessions, all, withoutPast }: Benefit): string[] {
  if (sessions.length === 0) return [sayNothing(all, withoutPast)];
  const { of, known, chance, grep } = sum(sessions);
  const compared = sessions.filter(({ findings }) => findings.some(({ isKnownByChance }) => isKnownByChance !== null));
  const average = (read: 'memory' | 'grep') =>
    Math.round(sessions.reduce((total, { characters }) => total + characters[read], 0) / of).toLocaleString('en');
  return [
    `In ${known} of ${sayCount(of, 'sessions')} the answer was already known (chance ${compared.length > 0 ? chance : '–'}, grep ${grep}).`,
    `Of what they worked out: ${KINDS.map((kind) => describeKind(sessions, kind)).join(', ')}.`,
    `Read in a session on average: ${average('memory')} characters of memory, ${average('grep')} of grep.`,
    `Looked at: ${sayCount(all, 'sessions')}; ${withoutPast} without earlier work in their project, ` +
      `${all - withoutPast - of} that worked out nothing that counts.`,
    ...(compared.length < of ? [`Chance: for ${of - compared.length} of them no other project had a memory yet.`] : []),
    ...sessions.flatMap(describeSession),
  ];
}

function sayNothing(all: number, withoutPast: number): string {
  if (all === 0) return 'There are no past sessions to count. `claude-mem import` reads them.';
  const others = 'the others worked out nothing that counts';
  return `None of ${sayCount(all, 'sessions')} can be counted: ${withoutPast} had no earlier work in their project, ${others}.`;
}

const NAMES: Record<FindingKind, string> = { command: 'commands', cause: 'causes', file: 'files' };
const KINDS: FindingKind[] = ['command', 'cause', 'file'];

function describeKind(sessions: BenefitSession[], kind: FindingKind): string {
  const found = sessions.flatMap(({ findings }) => findings).filter((one) => one.kind === kind);
  const count = (isKnown: Known) => found.filter(isKnown).length;
  return `${count(BY_MEMORY)} of ${found.length} ${NAMES[kind]} (chance ${count(BY_CHANCE)}, grep ${count(BY_GREP)})`;
}

function describeSession({ session, project, startedAt, turnsBefore, findings }: BenefitSession): string[] {
  return [
    '',
    `${formatDate(startedAt)} ${project}, session ${session.slice(0, 8)}, after ${sayCount(turnsBefore, 'turns')}`,
    ...findings.flatMap(({ kind, text, turn, known, isKnownByChance, isGrepped }) => {
      const by = [known && 'known', isGrepped && 'grep', isKnownByChance && 'chance'].filter(Boolean).join(', ');
      const line = `  ${(by || '–').padEnd(12)} ${kind.padEnd(8)} turn ${turn}: ${text}`;
      return known ? [line, `               ${known.where}: ${known.line}`] : [line];
    }),
  ];
}

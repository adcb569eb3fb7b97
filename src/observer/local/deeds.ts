// What commands changed besides files: packages, migrations, deploys, releases, merges, tags.
import type { Fact, ObservationDraft } from '../../core/observation.ts';
import { conceptsFor } from './concepts.ts';
import { fact, makeDraft } from './draft.ts';
import type { Repair } from './repairs.ts';
import { newSteps, type Step, type Turn } from './turn.ts';
import { isStrongCause } from './words/cause.ts';
import { findHeadline, type Headline } from './words/done.ts';

type Deed = { step: Step; title: string; concept: string; failed: boolean };

/** Observations of their own, for a turn in which nothing else was worked on. */
export function observeDeeds(turn: Turn, repairs: Repair[]): ObservationDraft[] {
  const remedies = new Set(repairs.flatMap((repair) => repair.remedies));
  const deeds = newSteps(turn)
    .filter((step) => !remedies.has(step) || !step.packages.length)
    .flatMap(deedsOf)
    .filter((deed) => deed.concept !== 'container');
  const byConcept = new Map<string, Deed[]>();
  for (const deed of deeds) byConcept.set(deed.concept, [...(byConcept.get(deed.concept) ?? []), deed]);
  const said = findHeadline(
    (turn.closing?.statements ?? []).filter((line) => !isStrongCause(line.text)),
    [],
    '',
  );
  return [...byConcept.values()].map((list) => deedDraft(list, byConcept.size === 1 ? said : null));
}

/** The same as facts, for the piece of work they were part of. */
export function deedFacts(steps: Step[]): Fact[] {
  return steps.flatMap(deedsOf).map((deed) => fact(`${deed.title}.`, deed.step.id));
}

function deedDraft(deeds: Deed[], said: Headline | null): ObservationDraft {
  // A deploy tried again counts as it ended.
  const last = deeds.at(-1) as Deed;
  const titles = [...new Set(deeds.filter((deed) => deed.failed === last.failed).map((deed) => deed.title))];
  const error = last.failed ? last.step.run?.error : null;
  const spoken = last.failed || last.concept === 'dependencies' ? null : said;
  return makeDraft({
    type: 'change',
    title: spoken?.text ?? titles.join('; ') + (error ? `: ${error}` : ''),
    subtitle: spoken ? titles.join('; ') : null,
    facts: [
      ...(spoken ? [fact(spoken.line.text, spoken.line.id)] : []),
      ...deeds.map((deed) => fact(`${deed.title}.`, deed.step.id)),
      ...(error ? [fact(error, last.step.id)] : []),
    ],
    concepts: conceptsFor('change', [], last.concept),
    outcome: last.failed ? 'failed' : null,
    origin: 'command',
    at: last.step.time,
  });
}

function deedsOf(step: Step): Deed[] {
  const failed = step.run?.failed ?? false;
  const packages = step.packages.map((change) => ({
    title: `${change.verb} ${change.names.join(', ')} (${change.manager})`,
    concept: 'dependencies',
  }));
  const operations = step.operations.map((one) => ({
    title: `${OPERATION[one.kind]}${failed ? ' failed' : ''}: ${one.what}`,
    concept: one.kind,
  }));
  const git = step.git.flatMap((deed) => {
    if (deed.kind === 'merge')
      return [{ title: `Merge ${deed.what}${deed.conflict ? ' (with conflicts)' : ''}`, concept: 'merge' }];
    if (deed.kind === 'tag') return [{ title: `Tag ${deed.name}`, concept: 'release' }];
    return deed.kind === 'pull-request' ? [{ title: deed.title, concept: 'pull-request' }] : [];
  });
  return [...packages, ...operations, ...git].map((deed) => ({
    ...deed,
    step,
    failed: failed && deed.concept !== 'merge',
  }));
}

const OPERATION = { migration: 'Run migration', deploy: 'Deploy', release: 'Release', container: 'Start containers' };

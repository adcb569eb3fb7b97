// `claude-mem remember` keeps a text as a memory; `rules` lists what the user asked for, for good, and what could be a rule.
import { refuseIncognito } from '../../client/memory-api.ts';
import type { RuleChange } from '../../core/memory.ts';
import { OBSERVATION_TYPES } from '../../core/observation.ts';
import { plainLine } from '../../core/plain-line.ts';
import type { RuleChangeAnswer, RuleOffer, RuleRow, RulesAnswer } from '../../core/shapes/memory.ts';
import { formatDate } from '../../core/time.ts';
import { isPerson } from '../ask.ts';
import { CORRECTS, command, misuse, type Outcome, oneOf } from '../command.ts';
import { openMemory, readIds, readScope } from '../options.ts';
import { type Column, isForProgram, renderTable, whenColumn } from '../print.ts';

export const rememberCommand = command({
  name: 'remember <text...>',
  about: 'Store a text as a memory; - reads it from stdin',
  options: {
    '--global': 'It applies to every project',
    '--title <title>': 'Its title, if not its first words',
    '--type <type>': oneOf('Its type', OBSERVATION_TYPES),
    '--project <name>': 'Another project',
  },
  examples: ['claude-mem remember "Releases are cut on Tuesdays" --type decision'],
  // What is not said by a person counts as said by an agent.
  who: 'anyone',
  async run(words, { global, title, type, project }) {
    const said = words.join(' ');
    const text = (said === '-' ? await Bun.stdin.text() : said).trim();
    if (text === '') throw misuse('There is nothing to remember. Say it: claude-mem remember "We deploy on Tuesdays"');
    const by = isPerson() ? 'user' : 'agent';
    const api = by === 'agent' ? refuseIncognito(openMemory()) : openMemory();
    const answer = await api.remember({ text, title, type, global, by, ...readScope({ project }) });
    const done = answer.isNew ? 'Remembered' : 'This was known already';
    const where = global ? 'every project' : plainLine(answer.project, 80);
    const next = global && by === 'agent' ? '\nSearches find it. It is added to sessions once you say it in your own terminal.' : '';
    return { answer, text: () => `${done} as #${answer.id} in ${where}: ${plainLine(answer.title, 160)}${next}` };
  },
});

const CHANGES = {
  accept: 'Make something you said a rule: every session gets it',
  remove: 'Remove a rule. It stays searchable, but no session gets it',
  promote: 'Make a rule apply in every project',
} satisfies Record<RuleChange, string>;

export const rulesCommand = command({
  name: 'rules',
  about: 'List your standing rules, and what could become one',
  options: { '--global': 'Only the rules of every project', '--project <name>': 'Another project' },
  help:
    'Rules are what you asked of an agent for good ("always …", "never …", "we use … here"), in your own words. Each new session ' +
    'gets them first; they never expire. What may be meant so is offered here.',
  examples: ['claude-mem rules', 'claude-mem rules remove 123', 'claude-mem rules promote 123', 'claude-mem rules accept 130'],
  who: 'anyone',
  commands: (['accept', 'remove', 'promote'] as const).map((change) =>
    command({
      name: `${change} <ids...>`,
      about: CHANGES[change],
      who: CORRECTS,
      run: (ids) => changeRules(change, ids),
    }),
  ),
  async run({ global, project }) {
    const answer = await openMemory().listRules(global ? { global } : readScope({ project }));
    const isEmpty = answer.rules.length + answer.offers.length === 0;
    return { answer, memories: () => (isEmpty ? '' : describeAll(answer)), notes: isEmpty ? [sayNone(answer)] : [] };
  },
});

async function changeRules(change: RuleChange, said: string[]): Promise<Outcome> {
  const changes: RuleChangeAnswer[] = [];
  for (const id of readIds(said)) changes.push(await openMemory().changeRule({ id, change, by: 'user' }));
  return { answer: { changes }, text: () => changes.map(describeChange).join('\n') };
}

function describeChange({ rule, change }: RuleChangeAnswer): string {
  const name = nameRule(rule).replace(/\.$/, '');
  if (change === 'accept') return `Rule: ${name}. Every session gets it. To undo: claude-mem rules remove ${rule.id}`;
  if (change === 'promote') return `Rule of every project: ${name}. To remove it everywhere: claude-mem rules remove ${rule.id}`;
  return `Removed: ${name}. It stays searchable. To undo: claude-mem rules accept ${rule.id}`;
}

const COLUMNS: Column<RuleRow & { offer: string }>[] = [
  { heading: 'id', cell: ({ id }) => id },
  whenColumn('when', ({ at }) => at),
  { heading: 'project', cell: ({ project }) => project ?? '' },
  { heading: 'times', cell: ({ times }) => String(times) },
  { heading: 'offer', cell: ({ offer }) => offer },
  { heading: 'rule', cell: ({ text }) => text },
];

function describeAll({ project, rules, offers }: RulesAnswer): string {
  if (isForProgram()) {
    const offered = offers.map((offer) => ({ ...offer, offer: offer.why === 'maybe' ? 'accept' : 'promote' }));
    return renderTable(COLUMNS, [...rules.map((rule) => ({ ...rule, offer: '' })), ...offered]);
  }
  const where = nameScope(project);
  const offered = offers.length > 0 ? ['', 'Could be rules', ...offers.map(describeOffer)] : [];
  if (rules.length === 0) return [sayNone({ project }), ...offered].join('\n');
  return [`Rules of ${where}`, ...rules.map(describeRule), ...offered, '', 'To remove one: claude-mem rules remove ID'].join('\n');
}

const nameScope = (project: string | null) => (project === null ? 'every project' : plainLine(project, 80));
const sayNone = ({ project }: Pick<RulesAnswer, 'project'>) =>
  `No rules for ${nameScope(project)} yet. What you ask of an agent for good ("always …", "never …") becomes one.`;

function describeRule(rule: RuleRow): string {
  const times = rule.times > 1 ? `, said ${rule.times} times` : '';
  return `  ${nameRule(rule)} (${rule.project === null ? 'every project, ' : ''}${formatDate(rule.at)}${times})`;
}

function describeOffer(offer: RuleOffer): string {
  if (offer.why === 'maybe') return `  ${nameRule(offer)}  claude-mem rules accept ${offer.id}`;
  return `  ${nameRule(offer)} (said in several projects)  claude-mem rules promote ${offer.id}`;
}

const nameRule = ({ id, text }: RuleRow) => `#${id} ${plainLine(text, 300)}`;

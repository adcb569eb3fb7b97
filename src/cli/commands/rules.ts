// `claude-mem rules`: what the user asked for, for good; and what could be a rule.

import { createMemoryApi } from '../../client/memory-api.ts';
import type { RuleChange } from '../../core/correction.ts';
import { plainLine } from '../../core/plain-line.ts';
import type { RuleChangeAnswer, RuleOffer, RuleRow, RulesAnswer } from '../../core/shapes/rules.ts';
import { formatDate } from '../../core/time.ts';
import { findPaths } from '../../paths.ts';
import { CORRECTS, command } from '../command.ts';
import { openMemory } from '../open-memory.ts';
import { readIds, readScope } from '../options.ts';
import { findTerminal, printJson } from '../print.ts';

export const rulesCommand = command({
  name: 'rules',
  about: 'List what you asked for in this project and everywhere, and what could be a rule',
  options: {
    '--global': 'Only the rules of every project',
    '--project <name>': 'Another project',
    '--json': 'as JSON',
  },
  help: `Rules are what you told an agent for good ("always …", "never …", "we use … here"), in your own words. Each new session gets them
first; they never expire. What may be meant so is offered here.`,
  examples: [
    'claude-mem rules',
    'claude-mem rules remove 123',
    'claude-mem rules promote 123',
    'claude-mem rules accept 130',
    'claude-mem rules --global',
  ],
  who: 'anyone',
  commands: (
    [
      ['accept', 'Make something you said a rule: every session gets it'],
      ['remove', 'Remove a rule. It stays searchable, but no session gets it'],
      ['promote', 'Make a rule apply in every project'],
    ] as const
  ).map(([change, about]) =>
    command({
      name: `${change} <ids...>`,
      about,
      options: { '--json': 'as JSON' },
      who: CORRECTS,
      run: (ids, options) => changeRules(change, ids, options),
    }),
  ),
  async run({ global, project, json }) {
    const answer = await openMemory().listRules(global ? { global } : readScope({ project }));
    if (json) return printJson(answer);
    findTerminal().print(describeAll(answer));
  },
});

async function changeRules(change: RuleChange, said: string[], { json }: { json?: boolean }): Promise<void> {
  const api = createMemoryApi(findPaths());
  const answers: RuleChangeAnswer[] = [];
  for (const id of readIds(said)) {
    const answer = await api.changeRule({ id, change, by: 'user' });
    answers.push(answer);
    if (!json) console.log(describeChange(answer));
  }
  if (json) printJson({ changes: answers });
}

function describeChange({ rule, change }: RuleChangeAnswer): string {
  const name = nameRule(rule);
  if (change === 'accept') return `Rule: ${name}. Every session gets it. To undo: claude-mem rules remove ${rule.id}`;
  if (change === 'promote') return `Rule of every project: ${name}. To remove it everywhere: claude-mem rules remove ${rule.id}`;
  return `Removed: ${name}. It stays searchable. To undo: claude-mem rules accept ${rule.id}`;
}

function describeAll({ project, rules, offers }: RulesAnswer): string {
  const where = project === null ? 'every project' : plainLine(project, 80);
  const listed =
    rules.length > 0
      ? [`Rules of ${where}`, ...rules.map(describeRule)]
      : [`No rules for ${where} yet. What you tell an agent for good ("always …", "never …") becomes one.`];
  const offered = offers.length > 0 ? ['', 'Could be rules', ...offers.map(describeOffer)] : [];
  const help = rules.length > 0 ? ['', 'To remove one: claude-mem rules remove ID'] : [];
  return [...listed, ...offered, ...help].join('\n');
}

function describeRule(rule: RuleRow): string {
  const times = rule.times > 1 ? `, said ${rule.times} times` : '';
  return `  ${nameRule(rule)} (${rule.project === null ? 'every project, ' : ''}${formatDate(rule.at)}${times})`;
}

const describeOffer = (offer: RuleOffer) =>
  offer.why === 'maybe'
    ? `  ${nameRule(offer)}  claude-mem rules accept ${offer.id}`
    : `  ${nameRule(offer)} (said in several projects)  claude-mem rules promote ${offer.id}`;

const nameRule = ({ id, text }: RuleRow) => `#${id} ${plainLine(text, 300)}`;

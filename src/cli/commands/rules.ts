// `claude-mem rules`: what the user asked for, for good; and what could be a rule.
import { createMemoryApi } from '../../client/memory-api.ts';
import { formatDate } from '../../core/local-time.ts';
import { plainLine } from '../../core/plain-line.ts';
import type { RuleChange, RuleChangeAnswer, RuleOffer, RuleRow, RulesAnswer } from '../../core/rules.ts';
import { findPaths } from '../../paths.ts';
import { printJson, readIds } from '../memory-options.ts';
import { openMemory } from '../open-memory.ts';
import { findTerminal } from '../terminal.ts';

export type RulesOptions = { global?: boolean; project?: string; json?: boolean };

export async function listRules({ global, project, json }: RulesOptions): Promise<void> {
  const answer = await openMemory().listRules(global ? { global } : project ? { project } : { cwd: process.cwd() });
  if (json) return printJson(answer);
  findTerminal().print(describeAll(answer));
}

export async function changeRules(change: RuleChange, said: string[], { json }: { json?: boolean }): Promise<void> {
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
  if (change === 'promote')
    return `Rule of every project: ${name}. To remove it everywhere: claude-mem rules remove ${rule.id}`;
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

// The verbs of work: what kind of change each one names, and its imperative for a title.

import type { ObservationType } from '../../../core/observation.ts';
import { wordTable } from '../../../core/word-table.ts';

const TABLE: [ObservationType, string][] = [
  [
    'bugfix',
    'fixed:fix fixes:fix fixing:fix resolved:resolve corrected:correct repaired:repair patched:patch prevented:prevent guarded:guard hardened:harden stopped:stop',
  ],
  [
    'feature',
    'added:add adds:add adding:add implemented:implement implements:implement created:create creates:create introduced:introduce built:build supported:support wrote:write written:write enabled:enable wired:wire integrated:integrate exposed:expose scaffolded:scaffold launched:launch',
  ],
  [
    'refactor',
    'refactored:refactor refactors:refactor renamed:rename renames:rename extracted:extract moved:move moves:move split:split simplified:simplify restructured:restructure reorganized:reorganize reorganised:reorganise inlined:inline deduplicated:deduplicate consolidated:consolidate rewrote:rewrite rewritten:rewrite converted:convert ported:port unified:unify cleaned:clean decoupled:decouple modularized:modularize merged:merge',
  ],
  [
    'change',
    'updated:update updates:update changed:change changes:change replaced:replace switched:switch migrated:migrate removed:remove removes:remove deleted:delete dropped:drop configured:configure set:set upgraded:upgrade bumped:bump downgraded:downgrade pinned:pin improved:improve optimized:optimize optimised:optimise increased:increase decreased:decrease reduced:reduce raised:raise lowered:lower documented:document adjusted:adjust disabled:disable installed:install published:publish deployed:deploy released:release tagged:tag committed:commit made:make swapped:swap restored:restore cached:cache rotated:rotate renewed:renew rolled:roll opened:open closed:close exposed:expose applied:apply batched:batch limited:limit tuned:tune redesigned:redesign formatted:format reworked:rework registered:register validated:validate normalized:normalize sped:speed reverted:revert',
  ],
];

const BY_PAST = new Map<string, string>();
const TYPE_OF = new Map<string, ObservationType>();
for (const [type, words] of TABLE) {
  for (const pair of words.split(' ')) {
    const [past = '', base = ''] = pair.split(':');
    BY_PAST.set(past, base);
    TYPE_OF.set(past, type);
    TYPE_OF.set(base, type);
  }
}

// "Make X do Y" may ask for anything.
TYPE_OF.delete('make');

/** "Fixed the race" → "Fix the race"; anything else as it is. */
export function imperative(text: string): string {
  const space = text.indexOf(' ');
  const first = text.slice(0, space).toLowerCase();
  const base = BY_PAST.get(first);
  return space > 0 && base ? `${base.charAt(0).toUpperCase()}${base.slice(1)}${text.slice(space)}` : text;
}

export function startsWithPastVerb(text: string): boolean {
  return BY_PAST.has((text.split(' ', 1)[0] ?? '').toLowerCase());
}

/** The kind of work that the first verb of a text names, or null. */
export function typeOfVerb(text: string): ObservationType | null {
  const words = text.toLowerCase().split(/[^a-z'’-]+/, 4);
  // "The build is red": after an article it is a noun.
  if (NOUN_FIRST.test(text) || NAMED_DEED.test(text)) return null;
  if (/^(?:the|an?|our|my|your|its|their|this|that|these|those|each|every)$/.test(words[0] ?? '')) return null;
  for (const word of words.slice(0, 2)) {
    const type = TYPE_OF.get(word);
    if (type) return type;
  }
  return null;
}

/** "Release build crashes", "Import is broken": the first word names a thing. */
const NOUN_FIRST =
  /^\w+(?: (?!(?:an?|the|me|us|it|this|that|these|all|some|any|every|in|on|to|for|with|from|by|at|up|so|our|my|and|or|when|if|what|whatever)\b)[\w-]{1,30}){0,2} (?:is|are|was|were|fails?|failed|crash(?:es|ed)?|does(?:n['’]t| not)?|do(?:n['’]t| not)|takes?|hangs?|breaks?|broke|returns|shows|stopped|times? out|dies|died|no longer|keeps|has|gets|throws|threw|says|gives|complains|won['’]t|can['’]t|cannot)\b/i;

/** Buttons and screens that are called like a deed: "Add to cart sometimes adds two". */
const NAMED_DEED =
  /^(?:add to \w+|log ?in|sign ?(?:in|up|out)|check ?out|pull to refresh|drag and drop|(?:import|export|sync|save|upload|download|delete|remove|update|merge|build|deploy|release)(?:ing)?)(?: \w+){0,3} (?:sometimes|often|always|never|no longer|does|doesn|is|fails?|adds|shows|throws|returns|gives|loses|breaks|crashes|hangs|jumps|sends|takes|still|stopped)\b/i;

const CONVENTIONAL = wordTable<ObservationType>({
  feat: 'feature',
  feature: 'feature',
  fix: 'bugfix',
  bugfix: 'bugfix',
  hotfix: 'bugfix',
  refactor: 'refactor',
  style: 'refactor',
  perf: 'change',
  docs: 'change',
  doc: 'change',
  chore: 'change',
  build: 'change',
  ci: 'change',
  test: 'change',
  tests: 'change',
  deps: 'change',
  revert: 'change',
});

export type CommitSubject = { type: ObservationType | null; scope: string | null; text: string };

/** "fix(parser): keep the last byte" → bugfix, parser, "Keep the last byte". */
export function readSubject(subject: string): CommitSubject {
  const found = /^(?:[^\w\s]{1,4}\s*|:\w{1,30}:\s*)?(\w{2,12})(?:\(([^)]{1,60})\))?!?:\s+(.{1,300})$/.exec(subject);
  const type = found ? CONVENTIONAL[(found[1] ?? '').toLowerCase()] : undefined;
  if (found && type) return { type, scope: found[2] ?? null, text: found[3] ?? subject };
  const ticket = subject.replace(/^\[?[A-Z]{2,8}-\d+\]?:?\s+/, '');
  return { type: typeOfVerb(ticket), scope: null, text: imperative(ticket) };
}

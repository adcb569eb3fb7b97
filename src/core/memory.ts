// A memory as a reader meets it: an observation, a summary or a prompt, under one kind of id.

export const MEMORY_KINDS = ['observation', 'summary', 'prompt'] as const;
export type MemoryKind = (typeof MEMORY_KINDS)[number];

/** How a commit is marked of which nothing shows that the person made it here. */
export const BY_OTHERS = 'by others or unproven';

export type MemoryRef = { kind: MemoryKind; id: number };

export const MEMORY_TABLES: Record<MemoryKind, string> = { observation: 'observations', summary: 'summaries', prompt: 'prompts' };

const LETTERS: Record<MemoryKind, string> = { observation: '', summary: 'S', prompt: 'P' };

export const formatRef = ({ kind, id }: MemoryRef) => `${LETTERS[kind]}${id}`;

/** Also `#123` and `s12`. Null for anything else. */
export function parseRef(text: string): MemoryRef | null {
  const match = /^#?([SP]?)([1-9]\d{0,14})$/i.exec(text.trim());
  if (!match) return null;
  const kind = MEMORY_KINDS.find((name) => LETTERS[name] === match[1]?.toUpperCase());
  return kind ? { kind, id: Number(match[2]) } : null;
}

/** Of a member of a team: it stands before what they published, and nothing in it could be read as more than a name. */
export const authorName = (text: string) => text.replace(/[^\p{L}\p{N}_.-]/gu, '_').slice(0, 40) || 'unknown';

/** Why something is no longer so. `older version`: marked by claude-mem 0.1.0, which noted neither why nor by whom. */
export const REPLACED_WHY = [
  'value changed',
  'undone',
  'user said so',
  'refused',
  'rejected by name',
  'reverted',
  'failed again',
  'model',
  'person',
  'older version',
] as const;
export type Why = (typeof REPLACED_WHY)[number];

/** What of a later turn decided the outcome of earlier work. */
export const OUTCOME_WHY = ['check passed', ...REPLACED_WHY] as const;
export type OutcomeWhy = (typeof OUTCOME_WHY)[number];

/** So many characters of a turn's record are shown to whoever does not ask for all of it. */
export const RECORD_SHOWN = 1500;

/** accept: it is a rule. remove: it is none, and no session gets it. promote: it applies in every project. */
export const RULE_CHANGES = ['accept', 'remove', 'promote'] as const;
export type RuleChange = (typeof RULE_CHANGES)[number];

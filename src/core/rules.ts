// Rules of the user, as the CLI and HTTP meet them.

/** One rule in its newest wording. */
export type RuleRow = {
  id: string;
  /** As the user said it. */
  text: string;
  /** Null: it applies in every project. */
  project: string | null;
  /** When it was said last, epoch ms. */
  at: number;
  /** How often it was said. */
  times: number;
};

/** What could be one. maybe: a decision of the user that may be meant so. several-projects: a rule that was said in more than one. */
export type RuleOffer = RuleRow & { why: 'maybe' | 'several-projects' };

/** `GET /api/rules?cwd=&project=&global=`. */
export type RulesAnswer = {
  /** Null: only those of every project. */
  project: string | null;
  rules: RuleRow[];
  offers: RuleOffer[];
};

/** accept: it is a rule. remove: it is none, and no session gets it. promote: it applies in every project. */
export const RULE_CHANGES = ['accept', 'remove', 'promote'] as const;
export type RuleChange = (typeof RULE_CHANGES)[number];

/** `POST /api/rules`: only for a person. */
export type RuleParameters = { id: string; change: RuleChange; by?: 'user' | 'agent' };

/** `others`: what said the same and changed with it. */
export type RuleChangeAnswer = { rule: RuleRow; change: RuleChange; others: string[] };

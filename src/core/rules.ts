// Rules of the user, as the CLI and HTTP meet them.
/** accept: it is a rule. remove: it is none, and no session gets it. promote: it applies in every project. */
export const RULE_CHANGES = ['accept', 'remove', 'promote'] as const;
export type RuleChange = (typeof RULE_CHANGES)[number];

/** `POST /api/rules`: only for a person. */
export type RuleParameters = { id: string; change: RuleChange; by?: 'user' | 'agent' };

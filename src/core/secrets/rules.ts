// All kinds of secrets that are known by their own shape. The first rule that matches at a place wins.
import type { Rule } from './rule.ts';
import { AI_RULES } from './rules/ai.ts';
import { BUSINESS_RULES } from './rules/business.ts';
import { CLOUD_RULES } from './rules/cloud.ts';
import { CODE_RULES } from './rules/code.ts';
import { HOSTING_RULES } from './rules/hosting.ts';
import { KEY_RULES } from './rules/keys.ts';
import { MESSAGE_RULES } from './rules/messages.ts';
import { WATCH_RULES } from './rules/watch.ts';

export const RULES: readonly Rule[] = [
  ...AI_RULES,
  ...CLOUD_RULES,
  ...CODE_RULES,
  ...HOSTING_RULES,
  ...MESSAGE_RULES,
  ...BUSINESS_RULES,
  ...WATCH_RULES,
  ...KEY_RULES,
];

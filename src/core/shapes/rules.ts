// What the routes about rules of the user answer.
import { z } from 'zod';
import { RULE_CHANGES } from '../correction.ts';

const RuleRowSchema = z
  .object({
    id: z.string(),
    text: z.string().describe('As the user said it, in its newest wording'),
    project: z.string().nullable().describe('Null: it applies in every project'),
    at: z.number().describe('When it was said last, epoch ms'),
    times: z.int().describe('How often it was said'),
  })
  .meta({ id: 'Rule' });
export type RuleRow = z.output<typeof RuleRowSchema>;

export const RulesAnswerSchema = z.object({
  project: z.string().nullable(),
  rules: z.array(RuleRowSchema),
  offers: z.array(z.object({ ...RuleRowSchema.shape, why: z.enum(['maybe', 'several-projects']) })),
});
export type RulesAnswer = z.output<typeof RulesAnswerSchema>;
export type RuleOffer = RulesAnswer['offers'][number];

export const RuleChangeAnswerSchema = z.object({
  rule: RuleRowSchema,
  change: z.enum(RULE_CHANGES),
  others: z.array(z.string()).describe('What said the same and changed with it'),
});
export type RuleChangeAnswer = z.output<typeof RuleChangeAnswerSchema>;

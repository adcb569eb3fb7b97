// What the routes about rules of the user answer.
import { z } from 'zod';
import { RULE_CHANGES, type RuleChangeAnswer, type RuleRow, type RulesAnswer } from '../../../core/rules.ts';
import { sameAs } from './same-as.ts';

const RuleRowSchema = sameAs<RuleRow>()(
  z.object({
    id: z.string(),
    text: z.string().describe('As the user said it, in its newest wording'),
    project: z.string().nullable().describe('Null: it applies in every project'),
    at: z.number().describe('When it was said last, epoch ms'),
    times: z.int().describe('How often it was said'),
  }),
).meta({ id: 'Rule' });

export const RulesAnswerSchema = sameAs<RulesAnswer>()(
  z.object({
    project: z.string().nullable(),
    rules: z.array(RuleRowSchema),
    offers: z.array(z.object({ ...RuleRowSchema.shape, why: z.enum(['maybe', 'several-projects']) })),
  }),
);

export const RuleChangeAnswerSchema = sameAs<RuleChangeAnswer>()(
  z.object({
    rule: RuleRowSchema,
    change: z.enum(RULE_CHANGES),
    others: z.array(z.string()).describe('What said the same and changed with it'),
  }),
);

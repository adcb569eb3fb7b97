// The routes about rules of the user: which there are, and what a person says of one.
import { z } from 'zod';
import { RULE_CHANGES, type RuleChangeAnswer, type RulesAnswer } from '../../../core/rules.ts';
import { changeRule, listRulesOf } from '../../corrections/rules.ts';
import { resolveScope } from '../../projects/scope.ts';
import { requireOwnProjects } from '../agent-limit.ts';
import { type Api, addRoute } from '../route.ts';
import { RuleChangeAnswerSchema, RulesAnswerSchema } from '../schemas/rules.ts';
import type { CorrectionRoutesDeps } from './correction-routes.ts';

export function addRuleRoutes(api: Api, { db, clock, onStored }: CorrectionRoutesDeps): void {
  addRoute(
    api,
    {
      method: 'GET',
      path: '/api/rules',
      about: 'Rules of the user that apply in a project, and what could be one.',
      query: {
        cwd: z.string().min(1).max(4096).optional().describe('A folder of the project'),
        project: z.string().min(1).max(4096).optional().describe('The same, by its name or its key'),
        global: z.stringbool().default(false).describe('Only those that apply in every project'),
      },
      answers: { 200: RulesAnswerSchema },
    },
    ({ query, c }) => {
      if (!query.global) requireOwnProjects(c.get('own'), resolveScope(db, query).projectIds);
      return c.json(listRulesOf(db, query, c.get('isAgent') === true) satisfies RulesAnswer);
    },
  );
  addRoute(
    api,
    {
      method: 'POST',
      path: '/api/rules',
      about: 'A person makes something they said a rule, removes one, or makes it apply in every project.',
      body: {
        id: z.union([z.string().min(1).max(40), z.int().positive().transform(String)]).describe('Its id, like 123'),
        change: z
          .enum(RULE_CHANGES)
          .describe('accept: it is a rule; remove: no session gets it any more; promote: it applies in every project'),
        by: z.enum(['user', 'agent']).default('agent').describe('Who says so; only a person may'),
      },
      answers: { 200: RuleChangeAnswerSchema },
    },
    ({ body, c }) => {
      const answer: RuleChangeAnswer = changeRule(db, c.get('isAgent') ? { ...body, by: 'agent' } : body, clock());
      onStored();
      return c.json(answer);
    },
  );
}

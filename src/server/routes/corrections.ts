// The routes that change memories: remember, correct, replace, block, hide, delete; and rules of the user.
import { z } from 'zod';
import { remember } from '../../capture/remember.ts';
import { changeRule, listRulesOf } from '../../context/rules.ts';
import { AskError } from '../../core/ask-error.ts';
import * as asked from '../../core/shapes/asked.ts';
import * as answers from '../../core/shapes/memory.ts';
import { changeTrust, listDistrusted } from '../../memory/blocked.ts';
import { correct, replaceMemory } from '../../memory/edit.ts';
import { listHidden } from '../../memory/lists.ts';
import { requireHideable, requireOwnPlace, resolveOwnScope } from '../http/agent-limit.ts';
import { type Route, route } from '../http/route.ts';
import type { RouteDeps } from './index.ts';
import { refuseWhilePaused } from './pauses.ts';

type CorrectionDeps = Pick<RouteDeps, 'db' | 'config' | 'clock' | 'forget' | 'onStored'>;

export const correctionRoutes = (deps: CorrectionDeps): Route[] => [...changeRoutes(deps), ...ruleRoutes(deps), ...forgetRoutes(deps)];

function changeRoutes(deps: CorrectionDeps): Route[] {
  const { db, clock, onStored } = deps;
  const stored = <Answer>(answer: Answer): Answer => {
    onStored();
    return answer;
  };
  return [
    route(
      'POST /api/memory/save',
      'Keeps a text as an observation.',
      { body: asked.SaveShape, answer: answers.SaveAnswerSchema, others: { 201: answers.SaveAnswerSchema } },
      ({ body, c }) => {
        const said = c.get('isAgent') ? { ...body, by: 'agent' as const } : body;
        requireOwnPlace(db, c.get('own'), said);
        // What an agent wants to be remembered is part of what happens; a person who says it in a pause means it.
        if (said.by === 'agent') refuseWhilePaused(deps, { ...said, session: c.get('session') });
        const answer = remember(db, said, clock());
        return answer.isNew ? c.json(stored(answer), 201) : answer;
      },
    ),
    route(
      'PATCH /api/observations/:id',
      'A person corrects an observation.',
      { parts: { id: 'The id of an observation, like 123' }, body: asked.CorrectionShape, answer: answers.CorrectionAnswerSchema },
      ({ body, param }) => stored(correct(db, asked.readRef(param('id')), body, clock())),
    ),
    route(
      'POST /api/memory/replace',
      'A person says that a newer memory holds instead of an older one, that both hold, or that the older is not replaced.',
      { body: asked.ReplaceShape, answer: answers.ReplaceAnswerSchema },
      ({ body: { newer, ...said } }) => stored(replaceMemory(db, newer === undefined ? said : { ...said, newer }, clock())),
    ),
    route(
      'POST /api/memory/block',
      'A person blocks where memories come from, or trusts it again.',
      { aliases: ['/api/memory/distrust'], access: 'socket', body: asked.BlockShape, answer: answers.DistrustAnswerSchema },
      ({ body }) => changeTrust(db, body, clock()),
    ),
    route(
      'GET /api/memory/block',
      'The blocked sources.',
      { aliases: ['/api/memory/distrust'], answer: answers.DistrustAnswerSchema },
      () => ({
        sources: listDistrusted(db),
      }),
    ),
  ];
}

function ruleRoutes({ db, clock, onStored }: CorrectionDeps): Route[] {
  return [
    route(
      'GET /api/rules',
      'Rules of the user that apply in a project, and what could be one.',
      { query: asked.RulesShape, answer: answers.RulesAnswerSchema },
      ({ query, c }) => {
        if (!query.global) resolveOwnScope(db, c, query);
        return listRulesOf(db, query, c.get('isAgent') === true);
      },
    ),
    route(
      'POST /api/rules',
      'A person makes something they said a rule, removes one, or makes it apply in every project.',
      { body: asked.RuleShape, answer: answers.RuleChangeAnswerSchema },
      ({ body, c }) => {
        const answer = changeRule(db, c.get('isAgent') ? { ...body, by: 'agent' } : body, clock());
        onStored();
        return answer;
      },
    ),
  ];
}

const DeleteShape = {
  erase: z.stringbool().default(false).describe('Permanently, with a report, instead of hiding'),
  related: z.stringbool().default(false).describe('With what was made of the same events and of nothing else'),
};

/** Of these an agent may only hide: its list of routes (agent-limit.ts) has none of the others. */
function forgetRoutes({ db, forget }: CorrectionDeps): Route[] {
  return [
    route(
      'DELETE /api/observations/:id',
      'Hides memories, or deletes them permanently. One id or several, separated by commas.',
      { parts: { id: asked.SOME_IDS }, query: DeleteShape, answer: answers.ForgetAnswerSchema },
      async ({ query: { erase, related: withRelated }, param, c }) => {
        const refs = asked.readRefs(param('id').split(','));
        const byAgent = c.get('isAgent') ?? false;
        if (byAgent && erase) throw new AskError('conflict', 'Only a person deletes memories.', 'Leave `erase` out.');
        if (byAgent) requireHideable(db, c.get('own'), refs);
        return erase ? await forget.erase(refs, { withRelated }) : forget.hide(refs, { byAgent });
      },
    ),
    route(
      'GET /api/observations/:ids/related',
      'What was made of the same events as these and of nothing else.',
      { parts: { ids: asked.SOME_IDS }, answer: answers.ListAnswerSchema },
      ({ param }) => ({ memories: forget.related(asked.readRefs(param('ids').split(','))) }),
    ),
    route(
      'GET /api/memory/hidden',
      'What is hidden and waits for a person.',
      { query: asked.pageShape(200), answer: answers.HiddenAnswerSchema },
      ({ query }) => listHidden(db, query),
    ),
    route(
      'POST /api/memory/unhide',
      'Shows hidden memories again.',
      { body: { ids: asked.Ids.max(200) }, answer: answers.UnhideAnswerSchema },
      ({ body }) => forget.unhide(asked.readRefs(body.ids)),
    ),
    route(
      'GET /api/memory/scope',
      'What deleting a session, a project, or all that has a text in it would take. Exactly one of the three.',
      { query: asked.ForgetShape, answer: answers.ForgetPreviewSchema },
      ({ query }) => forget.preview(query),
    ),
    route(
      'POST /api/memory/erase',
      'Deletes a whole session or project, or many memories by their ids, permanently, with a report. ' +
        'With ids, `matching` is a text that must be in no file afterwards.',
      { body: { ...asked.ForgetShape, ids: asked.Ids.max(2000).optional() }, answer: answers.ForgetAnswerSchema },
      ({ body: { ids, ...scope } }) => forget.eraseScope({ ...scope, ...(ids ? { refs: asked.readRefs(ids) } : {}) }),
    ),
  ];
}

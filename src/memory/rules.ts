// Rules of the user: decisions that do not age, in the user's own words. Which there are, and what a person says of them.
import type { Database } from 'bun:sqlite';
import { readAll, readColumn } from '../store/read.ts';
import { settle } from './edit.ts';
import { listTellable, readTellable } from './for-context.ts';
import type { Observation } from './observations.ts';

type RuleQuery = {
  projectIds: number[];
  /** Only what came after this moment, from other sessions: for a session that was given the rest before. */
  since?: number;
  exceptSession?: number;
};

/** More than anybody reads; the newest of them. */
const MOST_RULES = 200;

/** Those that hold, newest first: only what a person said, by a hook or in a transcript of the agent, or made one by hand. */
export function listRules(db: Database, { projectIds, ...when }: RuleQuery): Observation[] {
  const ids = projectIds.flatMap((projectId) => listTellable(db, { ...when, projectId, which: 'rules', limit: MOST_RULES }));
  return readTellable(db, ids).observations.filter(({ origin }) => origin === 'user');
}

/** Decisions of the user that nobody has called a rule or none, newest first. */
export function listUserDecisions(db: Database, projectId: number, limit: number): Observation[] {
  return readTellable(db, listTellable(db, { projectId, which: 'maybe-rules', limit })).observations;
}

/** As the user said it. */
export const ruleWords = ({ title, narrative, facts }: Observation): string =>
  narrative ?? (title?.endsWith('…') ? (facts[0] ?? title) : (title ?? facts[0])) ?? '';

/** A person says whether it is one: it stays so, whatever is derived again. Inside a transaction. */
export function sayRule(db: Database, id: number, isRule: boolean, now: number): void {
  db.query('UPDATE observations SET is_rule = ?, rule_said_at = ? WHERE id = ?').run(Number(isRule), now, id);
  settle(db, id);
}

/** Of which project each is; rules alone. */
export function readRuleProjects(db: Database, ids: number[]): Map<number, { projectId: number; isRule: boolean }> {
  const sql = 'SELECT id, project_id AS projectId, is_rule AS isRule FROM observations WHERE id IN (SELECT value FROM json_each(?))';
  const rows = readAll<{ id: number; projectId: number; isRule: number }>(db, sql, JSON.stringify(ids));
  return new Map(rows.map(({ id, projectId, isRule }) => [id, { projectId, isRule: isRule === 1 }]));
}

/** Every project in which the user laid down a rule. */
export const listProjectsWithRules = (db: Database): number[] =>
  readColumn(db, 'SELECT DISTINCT project_id FROM observations WHERE is_rule = 1');

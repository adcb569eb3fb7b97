// An export of ours with as many memories as a test needs, all of one session and moment.
import { writeFileSync } from 'node:fs';

export const EXPORTED_AT = '2026-05-04T10:00:00.000Z';

/** The path, again. */
export function writeExport(path: string, memories: number, { isEdited = false } = {}): string {
  const [project, session] = ['forge.test/team/shop', 'one'];
  const counts = { project: 1, session: 1, prompt: 0, observation: memories, summary: 0, superseded: 0, commit: 0 };
  const told = {
    startedAt: EXPORTED_AT,
    updatedAt: EXPORTED_AT,
    completedAt: EXPORTED_AT,
    status: 'completed',
    endReason: 'other',
    prompts: 1,
  };
  const words = { title: null, subtitle: null, firstPrompt: null };
  const nothing = { subtitle: null, narrative: null, facts: [], concepts: [], filesRead: [], filesModified: [] };
  const said = { isPinned: false, isKept: false, isQuarantined: false, wrongAt: null, editedAt: isEdited ? EXPORTED_AT : null };
  const place = { head: null, branch: null, commit: null, citations: [], errorMarks: [], commits: [] };
  const lines: object[] = [
    { 'claude-mem': 'export', version: 1, at: EXPORTED_AT, project: null, since: null, counts },
    {
      kind: 'project',
      key: project,
      name: 'shop',
      root: '/work/shop',
      remote: project,
      firstCommit: null,
      isRenamed: false,
      aliases: [],
      at: EXPORTED_AT,
    },
    { kind: 'session', session, host: 'claude-code', project, cwd: '/work/shop', root: '/work/shop', branch: null, ...words, ...told },
  ];
  for (let at = 0; at < memories; at++) {
    const own = {
      prompt: 1,
      type: 'decision',
      title: `Use lane ${at} for parcels`,
      outcome: null,
      origin: 'user',
      trust: 3,
      sources: ['e1'],
    };
    lines.push({ kind: 'observation', session, project, ...nothing, ...own, ...said, ...place, at: EXPORTED_AT });
  }
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  return path;
}

// `remember`: keeps a text as a memory of this project, or of all.
import { OBSERVATION_TYPES } from '../../core/observation.ts';
import { plainLine } from '../../core/plain-line.ts';
import { readChoice, readFlag, readText, requireText } from '../arguments.ts';
import type { Tool } from '../tool.ts';

export const remember: Tool = {
  name: 'remember',
  description: 'Keep something for later sessions, when the user asks or a decision must last',
  inputSchema: {
    type: 'object',
    properties: {
      text: { type: 'string' },
      title: { type: 'string' },
      type: { type: 'string', default: 'decision' },
      global: { type: 'boolean', description: 'holds in every project' },
    },
    required: ['text'],
  },
  async run(given, { calls, cwd }) {
    const global = readFlag(given, 'global');
    const { id, title, project, isNew } = await calls.remember({
      text: requireText(given, 'text', 20_000),
      title: readText(given, 'title', 300),
      type: readChoice(given, 'type', OBSERVATION_TYPES),
      global,
      cwd,
      by: 'agent',
    });
    const done = isNew ? 'Remembered' : 'This was known already';
    const where = `${done} as #${id} in ${plainLine(project, 80)}: ${plainLine(title, 160)}`;
    return global ? `${where}\n${TOLD_BY_USER}` : where;
  },
};

const TOLD_BY_USER =
  'Searches find it everywhere. To have every session told, the user runs: claude-mem remember --global "…"';

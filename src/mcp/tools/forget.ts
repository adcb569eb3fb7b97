// `forget`: hides memories at once. Their bytes go when a person says so: what a model was talked into can be undone.
import { requireIds } from '../arguments.ts';
import type { Tool } from '../tool.ts';

export const forget: Tool = {
  name: 'forget',
  description: 'Hide memories at once. Only the user can erase them: `claude-mem forget`',
  inputSchema: {
    type: 'object',
    properties: { ids: { type: 'array', items: { type: 'string' } } },
    required: ['ids'],
  },
  async run(given, { calls }) {
    const ids = requireIds(given, 100);
    await calls.hide(ids);
    const said = ids.map((id) => `#${id}`).join(', ');
    return `Hidden: ${said}. Still on disk until the user runs \`claude-mem forget ${ids.join(' ')}\` in a terminal.`;
  },
};

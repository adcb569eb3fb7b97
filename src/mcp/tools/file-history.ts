// `file_history`: every memory that changed or read a file, under its earlier names too.
import { plainLine } from '../../core/plain-line.ts';
import { renderInOrder } from '../../core/render-index.ts';
import { requireText } from '../arguments.ts';
import { sayMemories } from '../say.ts';
import type { Tool } from '../tool.ts';

const MOST = 60;

export const fileHistory: Tool = {
  name: 'file_history',
  description: 'Memories that changed or read a file, newest first. Worth a look before changing it',
  inputSchema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
  async run(given, { calls, cwd }) {
    const { path, earlierNames, results, total } = await calls.readFileHistory({
      path: requireText(given, 'path'),
      cwd,
    });
    const name = plainLine(path, 300);
    if (results.length === 0) return sayMemories(`No memory of ${name}.`);
    const shown = results.slice(0, MOST);
    const changed = shown.filter(({ did }) => did === 'changed');
    const read = shown.filter(({ did }) => did === 'read');
    return sayMemories(
      `${name}: ${shown.length} of ${total}`,
      earlierNames.length > 0 ? `Earlier names: ${plainLine(earlierNames.join(', '), 400)}` : null,
      ...listUnder('Changed it:', changed),
      ...listUnder('Read it:', read),
    );
  },
};

/** Without their file: it is the one that was asked about. */
function listUnder(heading: string, rows: Parameters<typeof renderInOrder>[0]): string[] {
  if (rows.length === 0) return [];
  return [heading, ...renderInOrder(rows.map((row) => ({ ...row, file: null })))];
}

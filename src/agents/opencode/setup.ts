// OpenCode: a plugin of one file, which also names the server. Nothing else is touched.
import type { AgentSetup } from '../setup.ts';
import plugin from './plugin.txt' with { type: 'text' };

export const openCodeSetup: AgentSetup = {
  title: 'OpenCode',
  folder: '.config/opencode',
  files: [
    {
      path: '.config/opencode/plugin/claude-mem.js',
      // A string in single quotes.
      put: (_, launcher) => plugin.replace('{{launcher}}', () => launcher.replaceAll('\\', '\\\\').replaceAll("'", "\\'")),
      take: () => '',
    },
  ],
  afterwards: '',
  lacks: 'no notes before an edit or after an error, and nothing of sessions from before',
};

// Codex: hooks in a file of their own, in Claude Code's form; the server in its settings, which are TOML: there it is a block at the end.
import { type AgentSetup, hookCommand, jsonFile, SERVER, type SetupFile } from '../setup.ts';

const HOOKS = Object.entries({
  SessionStart: 'context',
  UserPromptSubmit: 'new',
  PostToolUse: 'save',
  SubagentStop: 'save',
  PostCompact: 'save',
  Stop: 'summary',
  SessionEnd: 'cleanup',
});

/** It gives a hook at a session's end no more. */
const TIMEOUT_SECONDS = 3;

export const codexSetup: AgentSetup = {
  title: 'Codex',
  folder: '.codex',
  files: [
    jsonFile('.codex/hooks.json', (launcher) =>
      HOOKS.map(([event, command]) => ({
        list: ['hooks', event],
        value: { hooks: [{ type: 'command', command: hookCommand(launcher, command, 'codex'), timeout: TIMEOUT_SECONDS }] },
      })),
    ),
    serverBlock('.codex/config.toml'),
  ],
  afterwards: 'Codex runs new hooks only once you trust them: start `codex`, type /hooks and trust those of claude-mem.',
  lacks: 'no notes before an edit or after an error',
};

const FIRST = '# claude-mem: begin';
const LAST = '# claude-mem: end';
const BLOCK = new RegExp(`\\n?${FIRST}\\n[\\s\\S]*?${LAST}\\n?`);

function serverBlock(path: string): SetupFile {
  return {
    path,
    put: (text, launcher) => {
      if (new RegExp(`^\\s*\\[mcp_servers\\.["']?${SERVER}["']?\\]`, 'm').test(text))
        throw new Error(`mcp_servers.${SERVER} in it is somebody else's.`);
      const table = `[mcp_servers.${SERVER}]\ncommand = ${JSON.stringify(launcher)}\nargs = ["mcp.js"]\n`;
      return `${text}${text === '' ? '' : '\n'}${FIRST}\n${table}${LAST}\n`;
    },
    take: (text) => text.replace(BLOCK, ''),
  };
}

// What is written into an agent's own files, and that nothing of it is left.
import { describe, expect, test } from 'bun:test';
import { SETUPS } from '../../src/agents/setups.ts';

const LAUNCHER = `/home/ada's "box" $x/.claude-mem/plugin/runtime/bin/start-bun`;
const FOREIGN = {
  'one line': '{"hooks":{"SessionStart":[{"hooks":[{"type":"command","command":"theirs"}]}],"stop":[{"command":"theirs"}]},"a":1}',
  'tabs, CRLF and a comment': '{\r\n\t// mine\r\n\t"theme": "dark",\r\n\t"mcpServers": {\r\n\t\t"other": { "command": "x" }\r\n\t}\r\n}',
  'no end of line': '{\n  "hooks": {}\n}',
  empty: '',
};
const TOML = { 'a table': '[model_providers.x]\nname = "x"', empty: '', 'end of line': 'model = "m"\n\n' };

const files = Object.values(SETUPS).flatMap(({ files: own }) => own);

describe.each(files.map((file) => ({ ...file })))('$path', ({ path, put, take }) => {
  const texts = path.endsWith('.toml') ? TOML : path.endsWith('.js') ? { empty: '' } : FOREIGN;
  test.each(Object.entries(texts))('%s: what was there stays, and ours goes again, byte for byte', (_, text) => {
    const ours = put(text, LAUNCHER);
    expect(ours).toContain('start-bun');
    expect(ours.length).toBeGreaterThan(text.length);
    const left = take(ours, LAUNCHER, text);
    // What was not there before goes as a whole; who made it knows that.
    if (text !== '') expect(left).toBe(text);
    else expect(['', '{}\n', '{\n  "version": 1\n}\n']).toContain(left);
    expect(take(text, LAUNCHER, text)).toBe(text);
  });
});

test("a server of somebody else's by our name is not overwritten", () => {
  const taken = {
    '.gemini/settings.json': '{"mcpServers":{"claude-mem":{"command":"x"}}}',
    '.codex/config.toml': '[mcp_servers.claude-mem]\n',
  };
  for (const { path, put } of files) {
    const text = taken[path as keyof typeof taken];
    if (text !== undefined) expect(() => put(text, LAUNCHER)).toThrow("somebody else's");
  }
});

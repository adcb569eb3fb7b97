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
    const ours = put(text, LAUNCHER, text);
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
    if (text !== undefined) expect(() => put(text, LAUNCHER, text)).toThrow("somebody else's");
  }
});

describe("what others write into a file after us stays, whatever becomes of our own text's place and comments", () => {
  const config = files.find(({ path }) => path === '.codex/config.toml') ?? expect.unreachable();
  const ours = config.put('model = "m"', LAUNCHER, '');
  const tables = ours.slice(ours.indexOf('['));
  const theirs = { model: 'm', features: { shell_snapshot: true } };
  const FEATURES = '[features]\nshell_snapshot = true\n';

  test.each([
    ['a table after it', `${ours}\n# Mine.\n${FEATURES}`],
    ['a table right after it', `${ours}${FEATURES}`],
    [
      'before it, with settings of our server',
      `model = "m"\n${FEATURES}${tables}\n[mcp_servers.claude-mem.tools.search]\napproval_mode = "auto"\n`,
    ],
    ['settings of our server below a comment', `${ours}\n# Longer.\ntool_timeout_sec = 9\n\n${FEATURES}`],
  ])('%s', (_, text) => {
    const left = config.take(text, LAUNCHER, 'model = "m"');
    expect(Bun.TOML.parse(left)).toEqual(theirs);
    expect(left).not.toContain('claude-mem');
    if (text.includes('# Mine.')) expect(left).toContain('\n# Mine.\n[features]');
    // Set up again: with what was set for our server.
    const again = config.put(left, LAUNCHER, text);
    expect(Bun.TOML.parse(again)).toEqual(Bun.TOML.parse(text));
    expect(config.put(config.take(again, LAUNCHER, left), LAUNCHER, again)).toBe(again);
  });

  test.each(['[mcp_servers]\nclaude-mem = { command = "x" }\n', 'mcp_servers."claude-mem".command = "x"\n'])(
    "a server of somebody else's is known however it is written: %j",
    (text) => expect(() => config.put(text, LAUNCHER, text)).toThrow("somebody else's"),
  );

  test("another installation's server is not ours to take", () => {
    expect(config.take(ours, '/elsewhere/start-bun', '')).toBe(ours);
  });

  test('of a server in JSON what was set for it stays when it is set up again', () => {
    const settings = files.find(({ path }) => path === '.gemini/settings.json') ?? expect.unreachable();
    const trusted = settings.put('', LAUNCHER, '').replace('"args"', '"trust": true, "args"');
    const again = settings.put(settings.take(trusted, LAUNCHER, ''), LAUNCHER, trusted);
    expect(JSON.parse(again)).toEqual(JSON.parse(trusted));
    expect(settings.take(again, LAUNCHER, '')).toBe('{}\n');
  });
});

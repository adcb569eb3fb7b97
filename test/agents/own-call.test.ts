// Which tool calls only ask this memory: what they answer is known already.
import { expect, test } from 'bun:test';
import { readAction } from '../../src/agents/claude-code/actions.ts';
import { cpuMs } from '../support/cpu-time.ts';

const isOwn = (tool: string, command = '') =>
  readAction({ tool, input: { command }, response: {}, error: null, cwd: '' }).type === 'memory';

test.each([
  ['mcp__plugin_claude-mem_claude-mem__search', true],
  ['mcp__plugin_mem_claude-mem__search', true],
  ['mcp__claude-mem__remember', true],
  ['mcp__plugin_claude-mem_mcp-search__timeline', true],
  ['mcp__github__search', false],
  ['mcp__notes__claude-mem__x', false],
  ['Bash', false],
])('the tool %s is ours: %p', (tool, own) => expect(isOwn(tool)).toBe(own));

test.each([
  ['claude-mem search retry limit', true],
  ['npx claude-mem search "retry; rm -rf x" --all', true],
  ['npx --yes claude-mem show 12', true],
  ['cd /home/dev/shop && claude-mem search retry 2>/dev/null | head -20', true],
  ['claude-mem search retry 2>&1 | grep -i cache', true],
  ['CLAUDE_MEM_DATA_DIR=/tmp/x ./node_modules/.bin/claude-mem recap --json | jq .', true],
  ['claude-mem remember "It costs \\"nothing\\""', true],
  ['echo claude-mem', false],
  ['claude-mem search retry && npm test', false],
  ['claude-mem search retry > notes.md', false],
  ['claude-mem search "$(cat src/query.txt)"', false],
  ['claude-mem remember - <<EOF\n$(npm test)\nEOF', false],
  ['grep -rn claude-mem src', false],
  ['cat src/claude-mem.ts', false],
  ['git -C claude-mem status', false],
  ['claude-memory search', false],
  ['npm test', false],
  ['', false],
])('the command %p is only ours: %p', (line, own) => expect(isOwn('Bash', line)).toBe(own));

test('a command without end takes no time', () => {
  for (const piece of ['<<A ', '"\\', "'", 'claude-mem ', '> ', 'a=b ']) {
    const command = `claude-mem ${piece.repeat(30_000)}`.slice(0, 20_000);
    expect(cpuMs(() => isOwn('Bash', command))).toBeLessThan(100);
  }
});

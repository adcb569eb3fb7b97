// MCP over HTTP as a client uses it: the official one, with all six tools.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { beginSilence } from '../../../src/capture/silence.ts';
import { type McpApi, NOW, ROOT, serveMcpApi } from '../../support/mcp-api.ts';

let mcp: McpApi;
beforeEach(() => {
  mcp = serveMcpApi();
});
afterEach(() => mcp.close());

const connect = (query?: string) => mcp.connect(query);

async function use(client: Client, name: string, given: Record<string, unknown> = {}) {
  const { content, isError } = await client.callTool({ name, arguments: given });
  return { text: (content as { text: string }[])[0]?.text ?? '', isError: isError === true };
}

describe('the official client', () => {
  test('connects, and finds the six tools', async () => {
    const client = await connect();
    expect(client.getServerVersion()).toMatchObject({ name: 'claude-mem', version: '1.2.3' });
    expect(client.getInstructions()).toContain('claude-mem remembers earlier sessions');
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['search', 'timeline', 'get_observations', 'file_history', 'remember', 'forget']);
    await client.ping();
  });

  test('uses all six of them', async () => {
    const client = await connect();
    expect((await use(client, 'search', { query: 'upload queue' })).text).toContain('#1');
    expect((await use(client, 'timeline', { anchor: '1' })).text).toContain('The upload queue is kept on disk');
    expect((await use(client, 'timeline', { query: 'upload queue' })).isError).toBe(false);
    expect((await use(client, 'get_observations', { ids: ['1', 'P1'] })).text).toContain('survive a restart');
    expect((await use(client, 'file_history', { path: 'src/queue.ts' })).text).toContain('Changed it:');
    const kept = await use(client, 'remember', { text: 'Deploy on Tuesdays only.' });
    expect(kept.text).toStartWith('Remembered as #3 in shop');
    expect((await use(client, 'forget', { ids: ['3'] })).text).toStartWith('Hidden: #3.');
    expect((await use(client, 'get_observations', { ids: ['3'] })).text).toContain('Not there');
    expect(mcp.http.problems).toEqual([]);
  });

  test('is an agent: what it says is believed as that, and what it forgets is only hidden', async () => {
    const client = await connect();
    const spoken = await use(client, 'remember', { text: 'Deploy on Tuesdays only.', by: 'user' });
    expect(spoken.text).toBe('remember does not know by. It knows: text, title, type, global.');
    await use(client, 'remember', { text: 'Deploy on Tuesdays only.' });
    expect((await use(client, 'forget', { ids: ['3'], erase: true })).text).toBe('forget does not know erase. It knows: ids.');
    await use(client, 'forget', { ids: ['3'] });
    const row = mcp.store.db.query('SELECT origin, hidden_at IS NOT NULL AS isHidden FROM observations WHERE id = 3').get();
    expect(row).toEqual({ origin: 'agent', isHidden: 1 });
    const again = await use(client, 'remember', { text: 'Deploy on Tuesdays only.' });
    expect(again.isError).toBe(true);
  });

  test('hears what is wrong and what to do', async () => {
    const client = await connect();
    expect(await use(client, 'search', { query: 'upload', project: 'nope' })).toEqual({
      text: expect.stringContaining('That is another project, and an agent reads only its own. The user can allow'),
      isError: true,
    });
    expect((await use(client, 'juggle')).text).toContain('There is no tool juggle.');
    expect((await use(client, 'timeline', { anchor: '999' })).text).toContain('There is no memory 999.');
    await expect(client.request({ method: 'resources/list' }, {} as never)).rejects.toThrow('There is no resources/list');
  });

  test('counts as activity', async () => {
    const client = await connect();
    const before = mcp.activity();
    await client.ping();
    expect(mcp.activity()).toBe(before + 1);
  });
});

const OTHERS = [
  ['search', { query: 'upload', all: true }],
  ['search', { query: 'upload', project: 'other' }],
  ['search', { query: 'upload', project: 'nobody' }],
  ['timeline', { anchor: '2' }],
  ['timeline', { query: 'upload', project: 'other' }],
  ['get_observations', { ids: ['1', '2'] }],
  ['forget', { ids: ['2'] }],
  ['remember', { text: 'Tuesdays.', global: true }],
] as const;

describe('the place of a client', () => {
  test.each([
    ['?cwd=/home/dev/shop', true, false],
    ['?project=other', false, true],
  ])('by "%s" decides what is searched', async (query, findsShop, findsOther) => {
    const { text } = await use(await connect(query), 'search', { query: 'upload' });
    expect(text.includes('queue is kept on disk')).toBe(findsShop);
    expect(text.includes('page is blue')).toBe(findsOther);
  });

  test.each(OTHERS)('is its own project: %s %j is refused, with what the user can run', async (tool, given) => {
    const { text, isError } = await use(await connect(), tool, given);
    expect(isError).toBe(true);
    expect(text).not.toContain('blue');
    expect(text).toMatch(/claude-mem (config set agentAllProjects true|remember --global)/);
  });

  test('unknown: nothing is read, unless the user allows every project', async () => {
    const { text, isError } = await use(await connect(''), 'search', { query: 'upload' });
    expect([isError, text]).toEqual([true, expect.stringContaining('?cwd=/path/of/the/project')]);
  });

  test('does not matter when the user allows every project', async () => {
    await mcp.close();
    mcp = serveMcpApi({ agentAllProjects: true });
    for (const [tool, given] of OTHERS.filter(([, given]) => !('project' in given && given.project === 'nobody')))
      expect([tool, (await use(await connect(), tool, given)).isError]).toEqual([tool, false]);
    const client = await connect('');
    expect((await use(client, 'search', { query: 'upload' })).text).toContain('kept on disk');
    expect((await use(client, 'file_history', { path: 'src/queue.ts' })).text).toContain('Changed it:');
    expect((await use(client, 'remember', { text: 'Tuesdays.' })).text).toContain('?cwd=/path/of/the/project');
  });

  test('forget never hides what a person said or pinned', async () => {
    mcp.store.db.run('UPDATE observations SET pinned = 1 WHERE id = 1');
    const client = await connect();
    for (const id of ['1', 'P1']) {
      const { text, isError } = await use(client, 'forget', { ids: [id] });
      expect([isError, text]).toEqual([true, expect.stringContaining(`claude-mem forget ${id}`)]);
    }
  });

  test('must be a whole path', async () => {
    const { text } = await use(await connect('?cwd=shop'), 'search', { query: 'upload' });
    expect(text).toBe('cwd is not an absolute path. Give the whole path.');
  });

  test('of another kind is refused', async () => {
    for (const query of ['?cwd=', '?where=/tmp', '?cwd=/a&cwd=/b'])
      expect((await fetch(new URL(`/mcp${query}`, mcp.url), { method: 'POST', body: '{}' })).status).toBe(400);
  });
});

describe('a silence', () => {
  test.each([
    ['everything', '', '?cwd=/home/dev/shop'],
    ['project', ROOT, '?cwd=/home/dev/shop'],
    ['project', ROOT, '?project=shop'],
    ['session', 'session-9', '?cwd=/home/dev/shop&session=session-9'],
  ] as const)('of %s %s refuses what an agent wants to be remembered', async (scope, key, query) => {
    beginSilence(mcp.store.db, { scope, key, since: NOW - 1000, until: null });
    const client = await connect(query);
    const { text, isError } = await use(client, 'remember', { text: 'Deploy on Tuesdays only.' });
    expect(isError).toBe(true);
    expect(text).toContain('nothing is stored or added to sessions');
    expect((await use(client, 'search', { query: 'Tuesdays' })).text).not.toContain('Deploy');
  });
});

// What is not documented does not exist: every setting, command, route and hook has its line.
import { describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AGENTS } from '../../src/agents/agents.ts';
import { isKnownEvent } from '../../src/agents/claude-code/event-names.ts';
import { buildProgram } from '../../src/cli/program.ts';
import { TOOLS } from '../../src/mcp/tools.ts';
import { SETTING_NAMES, SETTINGS } from '../../src/settings.ts';
import { listAllRoutes, readOpenApi } from '../support/all-routes.ts';

const ROOT = join(import.meta.dir, '../..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

describe('the documents name', () => {
  test.each([...SETTING_NAMES, ...SETTING_NAMES.map((name) => SETTINGS[name].variable)])('the setting %s', (name) => {
    expect(read('docs/settings.md')).toContain(`\`${name}\``);
  });

  test.each([
    ['Anyone', 'anyone'],
    ['A person', 'person'],
    ['A person at a terminal', 'terminal'],
  ])('who may change a setting: %s', (who, by) => {
    const line = read('docs/settings.md').match(new RegExp(`^- \\*\\*${who}\\*\\*.*$`, 'm'))?.[0] ?? '';
    const named = [...line.matchAll(/`([A-Za-z.]+)`/g)].map(([, name]) => name);
    expect(named.sort()).toEqual(SETTING_NAMES.filter((name) => SETTINGS[name].by === by).sort());
  });

  test('every variable that the source reads', () => {
    const source = ['src/paths.ts', 'src/config.ts', 'src/environment.ts'].map(read).join('\n');
    const variables = new Set(source.match(/\bCLAUDE_MEM_[A-Z_]+[A-Z]\b/g));
    expect(variables.size).toBeGreaterThan(3);
    for (const variable of variables) expect(read('docs/settings.md')).toContain(`\`${variable}\``);
  });

  const commands = buildProgram().commands.flatMap((command) => [
    [command.name(), command] as const,
    ...command.commands.map((sub) => [`${command.name()} ${sub.name()}`, sub] as const),
  ]);
  test.each(commands)('the command %s and its options', (name, command) => {
    const page = read('docs/operations.md');
    expect(page).toMatch(new RegExp(`\`(claude-mem )?${name}[ \`]`));
    for (const option of command.options) expect(page).toContain(option.short ?? option.long ?? option.flags);
    expect(command.description()).not.toBe('');
  });

  const routes = listAllRoutes();
  test.each(routes.map(({ method, path }) => [method, path]))('the route %s %s', (method, path) => {
    expect(read('docs/api.md')).toContain(`\`${method} ${path}\``);
  });

  test('no route in the page that is not served', () => {
    const served = new Set(routes.map(({ method, path }) => `${method} ${path}`));
    const named = [...read('docs/api.md').matchAll(/`((?:GET|POST|PATCH|PUT|DELETE) \/[^\s`?]*)`/g)];
    expect(named.length).toBeGreaterThan(30);
    for (const [, route = ''] of named) expect(served).toContain(route);
  });

  const onTheWeb = routes.filter(({ access }) => access !== 'socket');
  test.each(onTheWeb.map(({ method, path }) => [method, path]))('%s %s in the OpenAPI document', async (method, path) => {
    const operation = (await readOpenApi()).paths[path.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()];
    expect(operation?.summary).toBeString();
  });

  test.each(TOOLS.map((tool) => [tool.name, tool] as const))('the tool %s and its parameters', (name, tool) => {
    const row = read('docs/mcp.md').match(new RegExp(`^\\| \`${name}\`.*$`, 'm'))?.[0] ?? '';
    for (const parameter of Object.keys(tool.inputSchema.properties)) expect(row).toContain(`\`${parameter}\``);
    expect(read('plugin/skills/mem-search/SKILL.md')).toContain(name);
  });

  test('every event the plugin registers, and the plugin registers what we understand', () => {
    const { hooks } = JSON.parse(read('plugin/hooks/hooks.json'));
    expect(Object.keys(hooks).filter(isKnownEvent)).toHaveLength(9);
    expect(Object.keys(hooks)).toHaveLength(9);
    for (const event of Object.keys(hooks)) expect(read('docs/hooks.md')).toContain(event);
  });

  const pages = ['*.md', 'docs/*.md'].flatMap((pattern) => [...new Bun.Glob(pattern).scanSync({ cwd: ROOT })]);

  test('only files that exist in their links and pictures', () => {
    for (const page of pages) {
      for (const [, link, picture] of read(page).matchAll(/\]\((?!http)([^)#]+)|(?:src|srcset)="([^"]+)"/g)) {
        expect(() => read(join(page, '..', link ?? picture ?? ''))).not.toThrow();
      }
    }
  });

  test('only paths that exist', () => {
    const named = pages.flatMap((page) =>
      [...read(page).matchAll(/`((?:src|test|bench|scripts|viewer|plugin|extensions|docs)\/[^`\s]*)`/g)].map(([, path = '']) => path),
    );
    expect(named.length).toBeGreaterThan(30);
    const isThere = (path: string) => [...new Bun.Glob(path.replace(/\/$/, '')).scanSync({ cwd: ROOT, onlyFiles: false })].length > 0;
    expect(named.filter((path) => !/[A-Z]{3,}/.test(path) && !isThere(path))).toEqual([]);
  });

  test('what a new agent costs: one folder of at most 300 lines', () => {
    const pure = AGENTS.filter(({ name, folders }) => folders.length === 0 && name !== 'vscode');
    expect(pure.length).toBeGreaterThan(1);
    for (const { name } of pure) {
      const files = readdirSync(join(ROOT, 'src/agents', name)).map((file) => read(join('src/agents', name, file)));
      expect(files.join('').split('\n').length).toBeLessThanOrEqual(300);
      expect(read('docs/porting.md')).toContain(`\`${name}/\``);
    }
  });

  // On the npm registry the name is another product's.
  test.each(pages)('the package by its name on npm nowhere but in a clone: %s', (page) => {
    const lines = read(page).match(/^.*\b(?:npx|npm (?:i|install|exec))(?: -\S+)* claude-mem\b.*$/gm) ?? [];
    const isWarned = (line: string) => /\b(?:never|another product|runs a package of that name)\b/i.test(line);
    expect(lines.filter((line) => !isWarned(line) && !line.startsWith('npm install && npx claude-mem '))).toEqual([]);
  });
});

describe('the plugin', () => {
  test('refers to nothing outside of itself, and waits for the hooks that must not be lost', () => {
    const { hooks } = JSON.parse(read('plugin/hooks/hooks.json'));
    for (const [event, groups] of Object.entries<{ hooks: Record<string, unknown>[] }[]>(hooks)) {
      for (const hook of groups.flatMap((group) => group.hooks)) {
        expect(hook.command).toBe(`\${CLAUDE_PLUGIN_ROOT}/bin/start-bun`);
        expect(hook.args).toEqual(['hook.js', expect.any(String)]);
        expect(hook.timeout).toBeGreaterThan(0);
        expect(hook.async === true).toBe(event === 'PostToolUse');
      }
    }
  });

  test('starts the tools from its own files, where no repository has a say', () => {
    const { mcpServers } = JSON.parse(read('plugin/.mcp.json'));
    expect(mcpServers).toEqual({
      'claude-mem': {
        command: `\${CLAUDE_PLUGIN_ROOT}/bin/start-bun`,
        args: ['mcp.js'],
        // Six small tools that are used only if they are seen: their schemas cost less than looking for them would.
        alwaysLoad: true,
      },
    });
  });

  test.each(readdirSync(join(ROOT, 'plugin/commands')))(
    '%s is documented, only for a person, and hands nothing typed to a shell',
    (file) => {
      const [, head = '', body = ''] = read(`plugin/commands/${file}`).split('---\n');
      expect(read('docs/cli.md')).toContain(`\`/mem:${file.replace('.md', '')}`);
      expect(head).toMatch(/^description: [A-Z].+$/m);
      expect(head).toContain('disable-model-invocation: true');
      const commands = [...body.matchAll(/!`([^`]*)`/g)].map(([, command = '']) => command);
      for (const command of commands) {
        expect(command).not.toMatch(/\$(?!\{CLAUDE_PLUGIN_ROOT\})/);
        // What it runs is allowed as it is spelled, and nothing else.
        expect(head).toContain(`Bash(${command})`);
      }
      expect(head.match(/Bash\(/g) ?? []).toHaveLength(commands.length);
    },
  );

  test('has the version of the package', () => {
    expect(JSON.parse(read('plugin/.claude-plugin/plugin.json')).version).toBe(JSON.parse(read('package.json')).version);
  });
});

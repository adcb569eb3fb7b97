// Who may run which command: every command has its line in the table, and every agent is known.
import { expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { buildProgram } from '../../src/cli/program.ts';
import { nameOf, WHO_MAY } from '../../src/cli/who-may.ts';
import { findAgent } from '../../src/environment.ts';
import { AGENT_VARIABLES } from '../../src/hosts/agent-variables.ts';

const listAll = (command: Command): string[] =>
  command.commands.flatMap((one) => [nameOf(one), ...listAll(one)]).filter((name) => name !== 'help');

test('every command is in the table, and nothing else', () => {
  expect(listAll(buildProgram()).sort()).toEqual(Object.keys(WHO_MAY).sort());
});

test('every host says by which variables its shell is known', () => {
  const hosts = join(import.meta.dir, '../../src/hosts');
  const folders = readdirSync(hosts, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  for (const { name } of folders) expect(readdirSync(join(hosts, name))).toContain('agent-variables.ts');
});

test.each(AGENT_VARIABLES)('%s is the mark of an agent', (name) => {
  expect(findAgent({ [name]: '1', HOME: '/h' })).toBe(name);
  expect(findAgent({ [name]: '', HOME: '/h' })).toBeNull();
});

// Who may run which command: every agent is known by its shell.
import { expect, test } from 'bun:test';
import { AGENT_VARIABLES } from '../../src/agents/variables.ts';
import { findAgent } from '../../src/environment.ts';

test.each(AGENT_VARIABLES)('%s is the mark of an agent', (name) => {
  expect(findAgent({ [name]: '1', HOME: '/h' })).toBe(name);
  expect(findAgent({ [name]: '', HOME: '/h' })).toBeNull();
});

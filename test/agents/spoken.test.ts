import { expect, test } from 'bun:test';
import { onlySpoken } from '../../src/agents/record.ts';
import { cpuMs } from '../support/cpu-time.ts';

test.each([
  ['fix it', 'fix it'],
  ['<environment_context>\n<cwd>/x</cwd>\n</environment_context>', ''],
  ['<user_instructions>be nice</user_instructions>\n\nfix it', 'fix it'],
  ['# AGENTS.md instructions for /x\n\n<INSTRUCTIONS>\nrules\n</INSTRUCTIONS>', ''],
  ['# AGENTS.md instructions\n<INSTRUCTIONS>rules</INSTRUCTIONS><environment_context>x</environment_context>go', 'go'],
  ['<session_context>s</session_context><hook_context>h</hook_context>\n\nhello<hook_context>b</hook_context>', 'hello'],
  ['<environment_context>never closed', ''],
  ['what is <environment_context> for?', 'what is <environment_context> for?'],
  ['# Context from my IDE setup:\n\n## Open tabs:\n- a.ts\n\n## My request for Codex:\nfix it', 'fix it'],
  ['explain @a.ts\n--- Content from referenced files ---\nconst a = 1', 'explain @a.ts'],
  ['<hook_context>h</hook_context><private>mine</private>', '<private>mine</private>'],
  ['# AGENTS.md is too long', '# AGENTS.md is too long'],
])('of %p a person said %p', (text, said) => {
  expect(onlySpoken(text)).toBe(said);
});

test('a long text without end is read in no time', () => {
  const texts = ['\n'.repeat(200_000), '<hook_context>'.repeat(20_000), '</hook_context>'.repeat(20_000)];
  const readAll = () => {
    for (const text of texts) onlySpoken(`x${text}x`);
    onlySpoken('<hook_context></hook_context>'.repeat(3000));
  };
  expect(cpuMs(readAll)).toBeLessThan(1000);
});

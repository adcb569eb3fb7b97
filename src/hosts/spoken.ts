// What a person said, without what their agent put around it: the surroundings, rules of the project, what hooks told.

/** Blocks that agents put before or behind the words of a person. */
const INJECTED = [
  'environment_context',
  'user_instructions',
  'INSTRUCTIONS',
  'hook_context',
  'session_context',
  'system-reminder',
  'permissions instructions',
  'collaboration_mode',
  'skills_instructions',
  'plugins_instructions',
  'apps_instructions',
  'skill',
  'model_switch',
  'turn_aborted',
  'subagent_notification',
  'user_shell_command',
  'goal_context',
  'codex_internal_context',
  'recommended_plugins',
];
/** Whole texts of the agent, by how they begin. */
const OF_THE_AGENT = [
  'This is the Gemini CLI. We are setting up the context for our chat.',
  'System: Please continue.',
  '[Request interrupted',
];
const RULES = /^#+ AGENTS\.md instructions[^\n]*\n+(?=<INSTRUCTIONS>)/;
/** An editor tells what is open before it comes to what was asked. */
const EDITOR = /^# Context from my IDE setup:[\s\S]*?^## My request for Codex:\s*/m;
/** What was mentioned by `@file` follows the words, in full. */
const MENTIONED = '--- Content from referenced files ---';

/** Empty when all of it was put there by the agent. */
export function onlySpoken(said: string): string {
  let text = said.trim();
  for (let before = ''; before !== text; ) {
    before = text;
    text = withoutLast(withoutFirst(text.replace(RULES, ''))).trim();
  }
  if (OF_THE_AGENT.some((start) => text.startsWith(start))) return '';
  const [words = ''] = text.replace(EDITOR, '').split(MENTIONED, 1);
  return words.trim();
}

function withoutFirst(text: string): string {
  const name = INJECTED.find((tag) => text.startsWith(`<${tag}>`));
  if (name === undefined) return text;
  const end = text.indexOf(`</${name}>`);
  return end < 0 ? '' : text.slice(end + name.length + 3);
}

function withoutLast(text: string): string {
  const name = INJECTED.find((tag) => text.endsWith(`</${tag}>`));
  const start = name === undefined ? -1 : text.lastIndexOf(`<${name}>`);
  return start < 0 ? text : text.slice(0, start);
}

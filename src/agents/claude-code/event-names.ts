// The Claude Code events we understand, by name. Loaded by the hook: no imports.

const KNOWN_EVENTS = [
  'SessionStart',
  'UserPromptSubmit',
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'SubagentStop',
  'PostCompact',
  'Stop',
  'SessionEnd',
];

/** A payload may leave its name out: then the command tells. */
export function isKnownEvent(name: unknown): boolean {
  return name === undefined || KNOWN_EVENTS.includes(name as string);
}

// A prompt as the person typed it: what IDEs, slash commands and hooks wrap around it is taken off, in one pass.

const DROPPED = new Set(
  (
    'ide_opened_file ide_selection ide_diagnostics system-reminder command-message local-command-stdout local-command-stderr ' +
    'local-command-caveat task-notification bash-stdout bash-stderr user-prompt-submit-hook user-memory-input env environment_details ' +
    'session-start-hook post-tool-use-hook claude-mem-context private files editor_context'
  ).split(' '),
);
const UNWRAPPED = new Set(['command-name', 'command-args', 'bash-input']);

const LONGEST = 40_000;

export function cleanPrompt(text: string): string {
  const kept = dropBlocks(text.length <= LONGEST ? text : `${text.slice(0, LONGEST / 2)}\n${text.slice(-LONGEST / 2)}`);
  return kept
    .replace(/\[Request interrupted by user[^\]\n]{0,40}\]/g, '')
    .replace(/\[(?:Image|Pasted text) #?\d*[^\]\n]{0,40}\]/g, '')
    .replace(/\[\[[^\]\n]{0,80}\]\]/g, '')
    .replace(/^Caveat: The messages below[^\n]*$/gm, '')
    .replace(/[ \t]+/g, ' ')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

function dropBlocks(text: string): string {
  let kept = '';
  let at = 0;
  // A tag whose end was once not found has none further on either: looking again would make this quadratic.
  const unclosed = new Set<string>();
  while (at < text.length) {
    const open = text.indexOf('<', at);
    if (open < 0) return kept + text.slice(at);
    kept += text.slice(at, open);
    const tag = /^<([a-z][a-z_-]{1,40})>/.exec(text.slice(open, open + 50))?.[1];
    if (!tag || unclosed.has(tag) || !(DROPPED.has(tag) || UNWRAPPED.has(tag))) {
      kept += '<';
      at = open + 1;
      continue;
    }
    const close = text.indexOf(`</${tag}>`, open);
    if (close < 0) unclosed.add(tag);
    if (UNWRAPPED.has(tag) && close > 0) kept += ` ${text.slice(open + tag.length + 2, close).trim()}`;
    at = close < 0 ? open + tag.length + 2 : close + tag.length + 3;
  }
  return kept;
}

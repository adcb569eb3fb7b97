// A prompt as the person typed it: what IDEs, slash commands and hooks wrap around it is taken off, in one pass.

/** The editor's, a command's own output, news of background work: whole blocks, each with its tag. */
export const ADDED: ReadonlySet<string> = new Set(
  (
    'ide_opened_file ide_selection ide_diagnostics new-diagnostics local-command-caveat local-command-stdout local-command-stderr ' +
    'bash-stdout bash-stderr task-notification teammate-message user-prompt-submit-hook session-start-hook post-tool-use-hook ' +
    'available-deferred-tools command-contents system-notification'
  ).split(' '),
);
const DROPPED: ReadonlySet<string> = new Set([
  ...ADDED,
  ...'system-reminder command-message user-memory-input env environment_details claude-mem-context private files editor_context'.split(' '),
]);
const UNWRAPPED = new Set(['command-name', 'command-args', 'bash-input']);

const LONGEST = 40_000;

export function cleanPrompt(text: string): string {
  const cut = text.length <= LONGEST ? text : `${text.slice(0, LONGEST / 2)}\n${text.slice(-LONGEST / 2)}`;
  const kept = withoutBlocks(cut, DROPPED, UNWRAPPED);
  return kept
    .replace(/\[Request interrupted by user[^\]\n]{0,40}\]/g, '')
    .replace(/\[(?:Image|Pasted text) #?\d*[^\]\n]{0,40}\]/g, '')
    .replace(/\[\[[^\]\n]{0,80}\]\]/g, '')
    .replace(/^Caveat: The messages below[^\n]*$/gm, '')
    .replace(/[ \t]+/g, ' ')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

const OPENING = /^<([a-z][a-z_-]{1,40})(?:\s[^<>]{0,200})?>/;
const LONGEST_OPENING = 250;

/** Of those unwrapped only the tags go. */
export function withoutBlocks(text: string, dropped: ReadonlySet<string>, unwrapped: ReadonlySet<string> = new Set()): string {
  if (!text.includes('<')) return text;
  const folded = text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
  const closings = findLastClosings(folded);
  let kept = '';
  let at = 0;
  for (let open = folded.indexOf('<'); open >= 0; open = folded.indexOf('<', at)) {
    kept += text.slice(at, open);
    const [opening = '', tag = ''] = OPENING.exec(folded.slice(open, open + LONGEST_OPENING)) ?? [];
    const inner = open + opening.length;
    const last = closings.get(tag) ?? -1;
    if (dropped.has(tag) && last >= inner) at = last + tag.length + 3;
    else if (dropped.has(tag)) at = ADDED.has(tag) ? text.length : inner;
    else if (unwrapped.has(tag)) {
      const close = last >= inner ? folded.indexOf(`</${tag}>`, inner) : inner;
      kept += ` ${text.slice(inner, close).trim()}`;
      at = last >= inner ? close + tag.length + 3 : inner;
    } else {
      kept += '<';
      at = open + 1;
    }
  }
  return kept + text.slice(at);
}

/** Where each tag is closed for the last time: what a block quotes may hold the tag that would end it. */
export const findLastClosings = (text: string): Map<string, number> =>
  new Map([...text.matchAll(/<\/([A-Za-z][\w:.-]{0,60})>/g)].map(({ index, 1: tag = '' }) => [tag, index]));

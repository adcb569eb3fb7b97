// Whether a tool call only asked, or changed, this memory itself: what it says is known, and must not be remembered once more.

/** The server as the plugin brings it, under whatever name, or as a person added it. */
const OWN_TOOL = /^mcp__(?:plugin_(?:claude-)?mem_[\w-]{1,60}|claude-mem)__/;

export const isOwnTool = (tool: string): boolean => OWN_TOOL.test(tool);

/** A shell line that calls claude-mem and besides only moves, prints or filters what it says. When in doubt it is not. */
export function isOwnCommand(line: string): boolean {
  if (!line.includes('claude-mem') || line.length > LONGEST) return false;
  const bare = withoutQuoted(line);
  if (RUNS_MORE.test(bare)) return false;
  const commands = bare.split(/&&|\|\||[;|&\n]/).flatMap((part) => part.trim() || []);
  return commands.some((one) => OWN.test(one)) && commands.every((one) => OWN.test(one) || BESIDES.test(one));
}

const LONGEST = 20_000;
const OWN = /^(?:\w+=\S* +)*(?:(?:npx|bunx)(?: +-\S+)* +)?(?:[\w.~/-]*\/)?claude-mem(?=\s|$)/;
const BESIDES = /^(?:cd|echo|printf|head|tail|grep|egrep|rg|jq|sort|uniq|wc|cut|tr|less|more|true|cat$)(?=\s|$)/;
/** A command inside of a word, a file that is written, or text of any kind behind it. */
const RUNS_MORE = /\$\(|`|[<>]\(|>|<</;

/** What goes nowhere, or to where it would go anyway, is no file. */
const NO_FILE = /\d?&?>{1,2} *(?:\/dev\/null|&\d)/g;

/** Single quotes hide everything; in double ones a command may still run. */
function withoutQuoted(line: string): string {
  const said = (text: string) => (/\$\(|`/.test(text) ? text : 'WORD');
  return line.replace(/'[^']*'|"(?:[^"\\]|\\.)*"|\\./gs, (text) => (text.startsWith('"') ? said(text) : 'WORD')).replace(NO_FILE, '');
}

// How telling each line of a file or a change is: what it declares or says anew before what it repeats.
import { declaredName } from './declared-name.ts';

const IMPORT =
  /^\s*(?:import\b|from \S+ import|use \S+;|using \S+;|#include\b|require\(|(?:const|let|var) .{0,80}= require\(|export (?:\*|\{[^}]{0,200}\}) from\b|package \S+;?$)/;
const HEADING = /^#{1,6} \S|^\[[\w.:" -]{1,80}\]$|^(?:FROM|ENTRYPOINT|CMD) |^[\w.-]{1,60}:\s*$/;
const EXPORT =
  /^\s*(?:export\b|module\.exports|pub\b|public\b|__all__|@app\.|@router\.|(?:app|router|server)\.(?:get|post|put|delete|use)\()/;
const COMMENT = /^\s*(?:\/\/|#(?!!)|\*\s|\/\*\*?\s*\S|"""\s*\S|--\s)/;

/** 4: declares or heads something. 3: exports or explains. 1: plain. 0: only holds others together. */
export function rankCode(text: string): number {
  if (!/[\p{L}\p{N}]/u.test(text) || IMPORT.test(text)) return 0;
  if (HEADING.test(text) || declaredName(text) !== null) return 4;
  return EXPORT.test(text) || COMMENT.test(text) ? 3 : 1;
}

/** The names a file declares, or the headings of a document, each once and in order. */
export function listNames(content: string): string[] {
  const names = new Set<string>();
  for (const line of content.split('\n', 5000)) {
    const heading = /^#{1,6} (.{1,80})/.exec(line)?.[1];
    const name = heading ?? declaredName(line);
    if (name) names.add(name.trim());
  }
  return [...names];
}

// Steps that a message gives its reader, "To test it: 1. Log in …": they tell what somebody may do, not what was done.
import type { Statement } from '../text/markdown.ts';

export function isInstruction(line: Pick<Statement, 'text' | 'section' | 'item'>): boolean {
  return HEADING.test(line.section) && (line.item || IMPERATIVE.test(line.text));
}

/** In lower case, as sections are. */
const HEADING =
  /^(?:(?:if you (?:want|need) )?to (?:test|try|use|run|verify|install|start|check|see|reproduce|set up)\b|how (?:to|you can)\b|usage\b|try it\b|testing (?:it|the|this|steps|instructions)\b|test (?:it|steps|instructions)\b|getting started\b|quick ?start\b|install(?:ation|ing)?\b|you can (?:now )?(?:test|try|use|run|verify)\b)/;

const IMPERATIVE =
  /^(?:then |first,? |now |next,? |finally,? )?(?:please )?(?:run|start|open|ensure|make sure|have|install|go to|visit|click|press|type|enter|set|export|create|copy|paste|log ?in|sign in|restart|check|verify|call|use|try|add|pull|clone|execute|navigate|wait|look)\b/i;

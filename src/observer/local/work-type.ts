// Decides what kind of work a group of edits is: commit first, then the request, the agent's words, the shape of the change.
import type { ObservationType } from '../../core/observation.ts';
import type { FileChange } from './edits/changes.ts';
import { isTestFile, renameIn } from './edits/describe.ts';
import { stripRequest } from './words/lead-in.ts';
import { readSubject, typeOfVerb } from './words/verbs.ts';

export type Evidence = {
  commitSubject: string | null;
  prompt: string;
  headline: string | null;
  changes: FileChange[];
  /** A check was red before anything but a test was edited, and is green now. */
  startedRed: boolean;
  /** Every edit of the group was such a repair. */
  onlyRepairs: boolean;
  /** The agent plainly names a cause. */
  causeStated: boolean;
  /** The agent gives any reason for what was wrong. */
  isExplained: boolean;
};

export function typeOfWork(evidence: Evidence): ObservationType {
  const { changes } = evidence;
  const committed = evidence.commitSubject ? readSubject(evidence.commitSubject).type : null;
  const asked = askedFor(evidence.prompt);
  const isTrouble = asked === 'bugfix' || evidence.startedRed;
  if (isConventional(evidence.commitSubject) && committed && !(committed === 'change' && isTrouble)) return committed;
  if (changes.length > 0 && changes.every((change) => isDocument(change.file))) return 'change';
  if (asked === 'bugfix' || committed === 'bugfix')
    return asked === 'bugfix' || !committed || committed === 'bugfix' ? 'bugfix' : committed;
  const told = evidence.headline ? typeOfVerb(evidence.headline) : null;
  if (isTroubled(evidence.prompt) && told !== 'feature' && told !== 'refactor' && evidence.isExplained) return 'bugfix';
  if (told === 'bugfix' && asked !== 'feature' && asked !== 'refactor') return 'bugfix';
  const isRepair =
    evidence.onlyRepairs || (!TESTS.test(evidence.prompt) && (evidence.startedRed || evidence.causeStated));
  if (isRepair && (asked === null || asked === 'change') && (committed === null || committed === 'change'))
    return 'bugfix';
  if (changes.length > 0 && changes.every((change) => isConfig(change.file))) return 'change';
  return settle(committed, asked, told, changes);
}

function settle(
  committed: ObservationType | null,
  asked: ObservationType | null,
  told: ObservationType | null,
  changes: FileChange[],
): ObservationType {
  const named = committed ?? asked ?? told;
  const shape = shapeOf(changes);
  if (named === 'feature' && shape === 'tests') return 'change';
  if (named) return named;
  return shape === 'tests' ? 'change' : shape;
}

/** Words of trouble: who writes them reports a bug. */
const BUG =
  /\b(?:fix(?:es|ed|ing)?|bugs?|broken?|breaks|crash\w*|regress\w*|fail(?:s|ed|ing|ures?)?|wrong(?:ly)?|incorrect(?:ly)?|leak\w*|hangs?|hung|stuck|freez\w+|flak\w+|stack ?trace|nan|segfault\w*|panics?|deadlock\w*|corrupt\w*|duplicat(?:es|ed)|twice|garbled|truncated|mismatch\w*|oom\w*|out of memory|time(?:s|d) out|timeouts?|unexpected(?:ly)?|returns? (?:an? )?[45]\d\d|off[- ]by|typos?|50\d|fehler|behebe|erreur|corrige[rz]?|arregla[r]?|corrig[ie])\b|\berrors?(?! (?:handl|page|messag|bound|code|class|type))\b|\bexceptions?(?! handl)\b|修复|修正|バグ|错误|报错|버그|수정|исправ|ошибк/i;

/** These may report a bug or ask for something new: what was done about it decides. */
const TROUBLE =
  /\b(?:stale|missing|lost|loses|disappears?|blank|weird|strange|inconsistent|double[- ]\w+|complain\w*|4\d\ds?|red|slow)\b|\b(?:does|is|are|did|was|were|can|could|wo|has|have)(?:n['’]?t| not)\b(?! (?:forget|worry|need|want))|\b(?:they|users?|people|\w+s) do(?:n['’]t| not)\b|\bcannot\b|\bnever (?:\w+s|finish|complete|end|fires?|gets?)\b/i;

/** What the prompt asks for, or null when it does not say. */
export function askedFor(prompt: string): ObservationType | null {
  const text = stripRequest(prompt.slice(0, 600));
  const first = typeOfVerb(text);
  if (first) return first;
  if (BUG.test(text)) return 'bugfix';
  if (TESTS.test(text)) return 'change';
  const verbs = text.split(/[.!?:;,\n]\s+/, 6).map((clause) => typeOfVerb(stripRequest(clause)));
  return verbs.find((type) => type !== null) ?? null;
}

const TESTS = /^(?:more |better |unit |some )?(?:tests?|coverage|specs) (?:for|of|on)\b/i;

/** "The badge flickers on navigation": who states how something behaves, and asks for nothing, reports trouble. */
function isReport(text: string): boolean {
  const sentence = (text.split(/[.!\n]/, 1)[0] ?? '').trim();
  if (ASKING.test(sentence) || sentence.split(' ').length < 3) return false;
  return BEHAVES.test(sentence);
}

/** How an order, a wish or a reply opens. */
const ASKING = new RegExp(
  String.raw`\?|\b(?:should|needs?|must|want|would like|please|could|let['’]?s|as discussed|then)\b|^(?:[\w ]{2,20}:|don['’]?t|do not|never|avoid|always|we|i|you|let|ok|okay|yes|no|sure|go|now|then|next|continue|here|also|and|but|thanks|option|not|with|for|same|good|great|nice|` +
    'write|track|rotate|renew|switch|rename|document|explain|review|plan|deploy|release|publish|clean|extract|split|convert|port|generate|configure|install|enable|disable|upgrade|downgrade|check|test|profile|measure|optimi[sz]e|improve|reduce|speed|make|set|put|move|delete|remove|replace|revert|merge|rebase|commit|push|tag|run|start|stop|restart|finish|complete|implement|build|create|add|support|allow|handle|log|cache|index|migrate|backfill|import|export|render|show|hide|validate|sanitize|format|lint|use|try|compare|find|look|search|read|open|drop|skip|keep|bump|pin|wire|hook|connect|expose|give|get|take|turn|change|update|refactor|simplify|introduce|sketch|draft|prepare|investigate|debug)\\b',
  'i',
);

/** A named verb after a few words; any other verb only after "the …", where its ending tells it from a plural. */
const BEHAVES =
  /^(?:[`\w./'’()-]+\s){1,5}?(?:is|are|was|were|has|have|takes?|took|falls?|fell|shows?|gets?|got|goes|went|hangs?|drops?|loses?|appears?|stays?|keeps?|returns?|leaks?|runs?|ran|stops?|stopped|starts?|comes?|came|ends?|looks?|sees?|jumps?|shifts?|renders?|blocks?|climbs?|grows?|dies|died|ignores?|sends?|wants?|says?|froze|did)\s\S|^(?:[Tt]he|[Oo]ur|[Mm]y|[Aa]n?|[Tt]his|[Tt]hat|[Ii]t|[Ee]ach|[Ee]very)\s(?:[`\w./'’-]+\s){0,3}?[a-z]{3,}(?:es|ed|s)(?:\s\S|$)/;

/** The prompt may be about something that does not work. */
function isTroubled(prompt: string): boolean {
  const text = stripRequest(prompt.slice(0, 600));
  return typeOfVerb(text) === null && (TROUBLE.test(text) || isReport(text));
}

function isConventional(subject: string | null): boolean {
  return (
    subject !== null && /^\W{0,4}\w{2,12}(?:\([^)]{1,60}\))?!?: /.test(subject) && readSubject(subject).type !== null
  );
}

function shapeOf(changes: FileChange[]): ObservationType | 'tests' {
  if (changes.length > 0 && changes.every((change) => isTestFile(change.file))) return 'tests';
  if (renameIn(changes)) return 'refactor';
  if (
    changes.some(
      (change) => !isTestFile(change.file) && isCode(change.file) && (change.created || change.newNames.length > 0),
    )
  )
    return 'feature';
  return 'change';
}

function isDocument(file: string): boolean {
  return /\.(?:md|mdx|rst|txt|adoc)$|(?:^|\/)(?:LICENSE|CHANGELOG|AUTHORS)$/i.test(file);
}

function isConfig(file: string): boolean {
  return (
    isDocument(file) ||
    /\.(?:json|ya?ml|toml|ini|cfg|conf|lock|env|properties|editorconfig)$|(?:^|\/)(?:\.\w[\w.-]*|Dockerfile|Makefile)$/i.test(
      file,
    )
  );
}

function isCode(file: string): boolean {
  return !isConfig(file);
}

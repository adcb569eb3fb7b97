// A decision that applies: what, why, what was rejected, its files and their state, when a session last got it; and what to do with it.
import { useState } from 'preact/hooks';
import type { Memory, RuleOffer } from '../../../../src/core/shapes/memory.ts';
import type { Decision } from '../../../../src/core/shapes/pages.ts';
import { changeRule } from '../../correct.ts';
import { formatAgo, formatDateTime, formatId } from '../../format.ts';
import { filePage } from '../../links.ts';
import { latest } from '../../memories.ts';
import { openPanel } from '../../panel.ts';
import { Icon } from '../../parts/icon.tsx';
import { MemoryActions } from '../../parts/memory-actions.tsx';
import { MemoryLine } from '../../parts/memory-line.tsx';
import { RichLine } from '../../parts/rich-text.tsx';
import { saidIn, sameWords } from '../../same-words.ts';
import { explainFreshness, nameFreshness } from '../../words.ts';

const REJECTED = /^Rejected: /;
/** What was rejected, an answered question (the title says it) and a changed line. */
const NO_REASON = /^Rejected: |The user chose: |\(was `/;
const REASON = /\b(because|since|so that|due to|weil|car|porque)\b/i;

/** `offer`: that it may be meant for good, or for every project. */
export function CurrentDecision({ decision, offer }: { decision: Decision; offer: RuleOffer | undefined }) {
  const [isOpen, setOpen] = useState(false);
  const memory = latest(decision);
  if (!memory) return null;
  const { isGlobal, isUsers, state, lastGivenAt } = decision;
  const why = findWhy(memory);
  const rejected = memory.facts.flatMap((fact) => (REJECTED.test(fact) ? fact.replace(REJECTED, '') : []));
  const files = [...new Set([...memory.filesModified, ...memory.filesRead])];
  return (
    <div class="decision">
      <MemoryLine row={{ ...memory, file: null }}>
        {isGlobal && (
          <span class="tag">
            <Icon name="globe" /> every project
          </span>
        )}
        {isUsers && <span class="tag">your words</span>}
        {state && state !== 'uncited' && (
          <span class="tag" data-state={state} title={explainFreshness(state)}>
            {nameFreshness(state)}
          </span>
        )}
      </MemoryLine>
      <div class="decision-more">
        {why && (
          <p class="clamp" dir="auto">
            <span class="faint">Why</span> <RichLine text={why} />
          </p>
        )}
        {rejected.length > 0 && (
          <p dir="auto">
            <span class="faint">Rejected</span> {rejected.join('; ')}
          </p>
        )}
        <p class="decision-foot">
          {files.slice(0, 4).map((file) => (
            <a key={file} class="mono" href={filePage(file)}>
              {file}
            </a>
          ))}
          {files.length > 4 && <span>and {files.length - 4} more files</span>}
          <span title={lastGivenAt === null ? undefined : formatDateTime(lastGivenAt)}>
            {lastGivenAt === null ? 'not given to a session yet' : `last given ${formatAgo(lastGivenAt)}`}
          </span>
          {offer && <OfferedRule offer={offer} />}
          <button type="button" class="quiet" onClick={() => openPanel(memory.id)}>
            Details
          </button>
          <button
            type="button"
            class="quiet"
            aria-expanded={isOpen}
            aria-label={`Change ${formatId(memory.id)}`}
            onClick={() => setOpen(!isOpen)}
          >
            Change
          </button>
        </p>
        {isOpen && <MemoryActions memory={memory} decision={decision} />}
      </div>
    </div>
  );
}

export const OfferedRule = ({ offer: { id, why } }: { offer: RuleOffer }) =>
  why === 'maybe' ? (
    <button type="button" class="quiet" title="You may have meant it for good" onClick={() => changeRule({ id }, 'accept')}>
      Make it a rule
    </button>
  ) : (
    <button type="button" class="quiet" title="You said it in several projects" onClick={() => changeRule({ id }, 'promote')}>
      Make it a rule everywhere
    </button>
  );

/** The first of its sentences that gives a reason and that the title does not say; else the first that says more. */
function findWhy({ title, narrative, subtitle, facts }: Memory): string | null {
  const texts = [narrative, subtitle, ...facts].flatMap((text) => text ?? []).filter((text) => !NO_REASON.test(text));
  const isRepeat = (text: string) => saidIn(title, text) && text.length < 1.5 * title.length;
  const fresh = texts.filter((text) => !sameWords(text, title) && !saidIn(text, title) && !isRepeat(text));
  return fresh.find((text) => REASON.test(text)) ?? (REASON.test(title) ? null : (fresh[0] ?? null));
}

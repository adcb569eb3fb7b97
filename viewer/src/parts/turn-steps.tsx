// What was said and done in a turn, step by step: commands with their output, edits with their diff.
import { useState } from 'preact/hooks';
import type { TurnStep, WholeMemory } from '../../../src/core/shapes/pages.ts';
import { formatCount } from '../format.ts';
import { filePage } from '../links.ts';
import { RichText } from './rich-text.tsx';
import '../styles/steps.css';

export type TurnStepsProps = { record: Pick<WholeMemory, 'steps' | 'left'>; highlight?: readonly string[] | undefined };

/** A long record in short at first. */
export function TurnSteps({ record: { steps, left }, highlight }: TurnStepsProps) {
  const [isWhole, setWhole] = useState(left === 0);
  return (
    <>
      <ol class="steps-list">
        {steps.map((step, at) => {
          const text = isWhole ? step.text : step.short;
          // Of several that are left out one mark.
          if (text === null) return steps[at + 1]?.short === null ? null : <li key={at}>…</li>;
          return (
            <li key={at} class="step" data-kind={step.kind} data-bad={step.isBad ?? undefined}>
              <span class="step-kind">{NAMES[step.kind] ?? step.kind}</span>
              <div class="step-body">
                <StepText step={{ ...step, text }} highlight={highlight} />
                {step.isUntrusted && <span class="tag">untrusted source</span>}
                {step.detail !== '' && <Detail step={step} mostLines={isWhole ? SHORT_LINES : 0} />}
              </div>
            </li>
          );
        })}
      </ol>
      {!isWhole && (
        <button type="button" class="more" onClick={() => setWhole(true)}>
          Show the whole record ({formatCount(left, 'more character')})
        </button>
      )}
    </>
  );
}

const NAMES: Record<string, string> = {
  said: 'said',
  ran: '$',
  web: 'web page',
  mcp: 'MCP tool',
  todo: 'to do',
  answered: 'answer',
  agent: 'subagent',
};
const IS_CODE = new Set(['ran', 'searched', 'web', 'mcp', 'committed', 'refused']);

function StepText({ step: { kind, text, isBad }, highlight }: { step: TurnStep; highlight: TurnStepsProps['highlight'] }) {
  if (kind === 'edited' || kind === 'wrote' || kind === 'read') {
    const [, file = text, counts = ''] = /^(.*?)( \+\d+ −\d+)?$/.exec(text) ?? [];
    return (
      <p class="mono">
        <a href={filePage(file)}>{file}</a>
        <span class="faint">{counts}</span>
      </p>
    );
  }
  if (IS_CODE.has(kind)) {
    return (
      <p class="mono step-code">
        {text}
        {kind === 'ran' && isBad !== null && <span class={isBad ? 'tag bad' : 'tag'}>{isBad ? 'failed' : 'passed'}</span>}
      </p>
    );
  }
  return (
    <div class="step-text" dir="auto">
      <RichText text={text} words={highlight} withLists={kind !== 'todo'} />
    </div>
  );
}

const SHORT_LINES = 8;

/** A few lines are read at once; more wait to be opened. */
function Detail({ step: { kind, detail }, mostLines }: { step: TurnStep; mostLines: number }) {
  const lines = detail.split('\n');
  const text = kind === 'edited' || kind === 'wrote' ? <Diff lines={lines} /> : detail;
  const body = (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard.
    <pre class="step-detail" tabIndex={0}>
      {text}
    </pre>
  );
  if (lines.length <= mostLines) return body;
  return (
    <details>
      <summary>{formatCount(lines.length, 'line')}</summary>
      {body}
    </details>
  );
}

const Diff = ({ lines }: { lines: readonly string[] }) => (
  <>
    {lines.map((line, at) => (
      <span key={at} class="diff-line" data-sign={/^[-+]/.test(line) ? line.charAt(0) : undefined}>
        {`${line}\n`}
      </span>
    ))}
  </>
);

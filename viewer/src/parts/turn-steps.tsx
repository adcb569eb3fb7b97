// What was said and done in a turn, step by step: commands with their output, edits with their diff.
import { useState } from 'preact/hooks';
import type { TurnStep } from '../../../src/core/shapes/pages.ts';
import { formatCount } from '../format.ts';
import { filePage } from '../links.ts';
import { RichText } from './rich-text.tsx';
import '../styles/steps.css';

export type TurnStepsProps = { steps: readonly TurnStep[]; highlight?: readonly string[] | undefined };

/** More are shown on demand. */
const MOST = 40;

export function TurnSteps({ steps, highlight }: TurnStepsProps) {
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? steps : steps.slice(0, MOST);
  return (
    <>
      <ol class="steps-list">
        {shown.map((step, at) => (
          <li key={at} class="step" data-kind={step.kind} data-bad={step.isBad ?? undefined}>
            <span class="step-kind">{NAMES[step.kind] ?? step.kind}</span>
            <div class="step-body">
              <StepText step={step} highlight={highlight} />
              {step.isUntrusted && <span class="tag">untrusted source</span>}
              {step.detail !== '' && <Detail step={step} />}
            </div>
          </li>
        ))}
      </ol>
      {shown.length < steps.length && (
        <button type="button" class="more" onClick={() => setWhole(true)}>
          Show {formatCount(steps.length - shown.length, 'more step')}
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
function Detail({ step: { kind, detail } }: { step: TurnStep }) {
  const lines = detail.split('\n');
  const text = kind === 'edited' || kind === 'wrote' ? <Diff lines={lines} /> : detail;
  const body = (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard.
    <pre class="step-detail" tabIndex={0}>
      {text}
    </pre>
  );
  if (lines.length <= SHORT_LINES) return body;
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

// What a reader must know of a memory before trusting it, in a word or two each.
import type { MemoryRow, ReplacedBy } from '../../../src/core/shapes/memory.ts';
import { formatDate, formatId } from '../format.ts';
import { memoryPage } from '../links.ts';
import { Icon } from './icon.tsx';

export function MemoryMarks({ row }: { row: MemoryRow }) {
  const { replacedBy } = row;
  return (
    <>
      {row.isPinned && (
        <span class="tag pinned" title="Always included in new sessions">
          <Icon name="pin" /> pinned
        </span>
      )}
      {listMarks(row).map(({ text, title, isBad }) => (
        <span key={text} class={isBad ? 'tag bad' : 'tag'} title={title}>
          {text}
        </span>
      ))}
      {replacedBy && (
        <a class="tag" href={memoryPage(replacedBy.id)} title={explainReplaced(replacedBy)}>
          {replacedBy.isCertain ? 'replaced by' : 'may be replaced by'} {formatId(replacedBy.id)}
          {CHANGED[replacedBy.why] && `: ${CHANGED[replacedBy.why]} on ${formatDate(replacedBy.at)}`}
        </a>
      )}
    </>
  );
}

const CHANGED: Record<string, string> = { 'failed again': 'came back', reverted: 'reverted' };

export function explainReplaced({ isCertain, why, words, at, session }: ReplacedBy): string {
  const when = `Since ${formatDate(at)}${session ? `, session ${session.slice(0, 8)}` : ''}`;
  const given = isCertain ? 'Still found, never given as current.' : 'Given behind the newer one.';
  return `${when}: ${why}${words ? ` (“${words}”)` : ''}. ${given}`;
}

type Mark = { text: string; title: string; isBad?: boolean };

function listMarks(row: MemoryRow): Mark[] {
  const marks: (Mark | false | undefined)[] = [
    row.isWrong && { text: 'incorrect', title: 'You marked it as incorrect: found, never added to a context.', isBad: true },
    OUTCOMES[row.outcome ?? 'none'],
    row.isFromOutside && { text: 'untrusted source', title: 'Words of the web or of an MCP tool. Not added to a context.' },
    row.isQuarantined && { text: 'flagged', title: 'It reads like instructions. Never added to a context.', isBad: true },
    row.isDistrusted && { text: 'blocked source', title: 'You blocked where it comes from. Never added to a context.' },
    row.isAgentNote && { text: 'agent’s note', title: 'An agent noted it by hand.' },
    row.isByOthers && { text: 'by others', title: 'A commit of which nothing shows that you made it here.' },
  ];
  return marks.filter((mark) => mark !== undefined && mark !== false);
}

const OUTCOMES: Record<string, Mark> = {
  passed: { text: 'passed', title: 'A run afterwards passed.' },
  failed: { text: 'failed', title: 'A run afterwards failed.', isBad: true },
  'ruled-out': { text: 'ruled out', title: 'Tried, and it did not work.' },
};

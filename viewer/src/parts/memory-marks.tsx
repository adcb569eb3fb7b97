// What a reader must know of a memory before trusting it, in a word or two each.
import type { MemoryRow, ReplacedBy } from '../../../src/core/shapes/memory.ts';
import { formatId } from '../format.ts';
import { timelineOf } from '../links.ts';

export function MemoryMarks({ row }: { row: MemoryRow }) {
  const { replacedBy } = row;
  return (
    <>
      {row.isPinned && <span class="tag pinned">pinned</span>}
      {listMarks(row).map(({ text, title, isBad }) => (
        <span key={text} class={isBad ? 'tag bad' : 'tag'} title={title}>
          {text}
        </span>
      ))}
      {replacedBy && (
        <a class="tag" href={timelineOf(replacedBy.id)} title={explain(replacedBy)}>
          {replacedBy.isCertain ? 'replaced by' : 'may be replaced by'} {formatId(replacedBy.id)}
          {CHANGED[replacedBy.why] && `: ${CHANGED[replacedBy.why]} on ${new Date(replacedBy.at).toLocaleDateString()}`}
        </a>
      )}
    </>
  );
}

const CHANGED: Record<string, string> = { 'failed again': 'came back', reverted: 'reverted' };

function explain({ isCertain, why, words, at, session }: ReplacedBy): string {
  const when = `Since ${new Date(at).toLocaleDateString()}${session ? `, session ${session.slice(0, 8)}` : ''}`;
  const given = isCertain ? 'Found, never given as current.' : 'Given behind the newer one.';
  return `${when}: ${why}${words ? ` (“${words}”)` : ''}. ${given}`;
}

type Mark = { text: string; title: string; isBad?: boolean };

function listMarks(row: MemoryRow): Mark[] {
  const marks: (Mark | false | undefined)[] = [
    row.isWrong && { text: 'wrong', title: 'You said that it is not so. Found, not told.', isBad: true },
    OUTCOMES[row.outcome ?? 'none'],
    row.isFromOutside && { text: 'from outside', title: 'Words of the web or of an MCP tool. Not told by itself.' },
    row.isQuarantined && { text: 'quarantined', title: 'Reads like instructions. Never told by itself.', isBad: true },
    row.isDistrusted && { text: 'distrusted', title: 'You do not trust where it comes from. Told to nobody.' },
    row.isAgentNote && { text: 'agent’s note', title: 'An agent noted it by hand, with nobody behind it.' },
    row.isByOthers && { text: 'by others', title: 'A commit of which nothing shows that you made it here.' },
  ];
  return marks.filter((mark) => mark !== undefined && mark !== false);
}

const OUTCOMES: Record<string, Mark> = {
  passed: { text: 'passed', title: 'A run said afterwards that it works.' },
  failed: { text: 'failed', title: 'A run said afterwards that it does not work.', isBad: true },
  'ruled-out': { text: 'ruled out', title: 'Tried and given up.' },
};

// How a session stands, where that is worth a word: most are simply over, and one that never said so is no news.

const WORDS: Record<string, { words: string; title: string }> = {
  initialized: { words: 'just started', title: 'Nothing was asked yet.' },
  active: { words: 'active', title: 'It goes on, or has not said that it ended.' },
  summarizing: { words: 'being processed', title: 'Its last turn is being processed.' },
  failed: { words: 'failed', title: 'It was aborted, or could not be processed.' },
};

export function SessionStatus({ status }: { status: string }) {
  const known = WORDS[status];
  if (!known) return <span class="session-status" />;
  const isLive = status === 'active' || status === 'summarizing';
  return (
    <span class="session-status" data-live={isLive} title={known.title}>
      {isLive && <span class="dot" data-state="live" />}
      {known.words}
    </span>
  );
}

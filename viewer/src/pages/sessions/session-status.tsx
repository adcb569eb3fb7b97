// How a session stands, where that is worth a word: most are simply over.

const WORDS: Record<string, { words: string; title: string }> = {
  initialized: { words: 'just begun', title: 'Nothing was asked yet.' },
  active: { words: 'active', title: 'It goes on, or has not said that it ended.' },
  summarizing: { words: 'being summarized', title: 'What happened is being distilled.' },
  interrupted: { words: 'interrupted', title: 'Nothing was heard of it for a day.' },
  failed: { words: 'failed', title: 'It was aborted, or could not be distilled.' },
};

export function SessionStatus({ status }: { status: string }) {
  const known = WORDS[status];
  if (!known) return null;
  const isLive = status === 'active' || status === 'summarizing';
  return (
    <span class="session-status" data-live={isLive} title={known.title}>
      {isLive && <span class="dot" data-state="live" />}
      {known.words}
    </span>
  );
}

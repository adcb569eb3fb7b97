// Tabs of the viewer help each other in: one that was opened from another has no token of its own.

const NAME = 'claude-mem';
const WAIT_MS = 300;

type Message = { kind: 'ask' } | { kind: 'answer'; token: string };

/** The channel reaches pages of this origin in this browser, and nobody else. */
export function answerSiblings(readToken: () => string | null): void {
  const channel = new BroadcastChannel(NAME);
  channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
    const token = data.kind === 'ask' ? readToken() : null;
    if (token) channel.postMessage({ kind: 'answer', token } satisfies Message);
  });
}

/** Null when nobody answers soon. */
export function askSiblings(): Promise<string | null> {
  const channel = new BroadcastChannel(NAME);
  return new Promise<string | null>((resolve) => {
    setTimeout(() => resolve(null), WAIT_MS);
    channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
      if (data.kind === 'answer') resolve(data.token);
    });
    channel.postMessage({ kind: 'ask' } satisfies Message);
  }).finally(() => channel.close());
}

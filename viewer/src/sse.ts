// Server-sent events out of a stream of bytes.

export type ServerEvent = { id: string; type: string; data: string };

export async function* parseEvents(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<ServerEvent> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const blocks = (rest + value).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) yield parseEvent(block);
  }
}

/** Lines that begin with a colon are comments: a sign of life. */
function parseEvent(block: string): ServerEvent {
  const event = { id: '', type: 'message', data: '' };
  for (const line of block.split('\n')) {
    const [, name, value = ''] = /^([a-z]+): ?(.*)$/.exec(line) ?? [];
    if (name === 'id') event.id = value;
    if (name === 'event') event.type = value;
    if (name === 'data') event.data += value;
  }
  return event;
}

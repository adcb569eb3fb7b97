// The text of a body that comes in chunks, up to a size: nobody can fill our memory by answering.

/** Null when it is larger; leaving the loop closes the connection. */
export async function readLimited(chunks: AsyncIterable<Uint8Array>, maxBytes: number): Promise<string | null> {
  const decoder = new TextDecoder();
  let text = '';
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > maxBytes) return null;
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

// The embedder's process (dist/embedder.js ASSETS ENGINE): answers one text after the other, and ends with whoever started it.
import { setPriority } from 'node:os';
import type { ChildAnswer, ChildRequest } from './child-embedder.ts';
import { type Embedder, EmbedderError } from './embedder.ts';
import { ENGINES, type EngineName } from './engines.ts';

/** Two thirds less of a busy processor than a program that somebody waits for. It cannot be taken back, and need not be. */
const BACKGROUND = 5;

if (import.meta.main) serve(process.argv[2] ?? '', process.argv[3] === 'static' ? 'static' : 'minilm');

function serve(assets: string, name: EngineName): void {
  let engine: Embedder | null = null;
  let isBackground = false;
  const answer = async ({ text, kind }: ChildRequest): Promise<ChildAnswer> => {
    try {
      engine ??= ENGINES[name].load(assets);
      const [vector] = await engine.embed([text], kind);
      return vector ? { kind: 'vector', vector } : { kind: 'failure', errorKind: 'transient', reason: 'no vector came' };
    } catch (error) {
      return describeFailure(error);
    }
  };
  process.on('message', async (request: ChildRequest) => {
    if (request.kind === 'document' && !isBackground) {
      isBackground = true;
      stepBack();
    }
    const reply = await answer(request);
    if (process.connected) process.send?.(reply);
  });
  // Nothing else keeps the process alive: without this channel it has ended.
  process.on('disconnect', () => process.removeAllListeners('message'));
}

function stepBack(): void {
  try {
    setPriority(BACKGROUND);
  } catch {
    // A system that does not let us: the work is done all the same.
  }
}

function describeFailure(error: unknown): ChildAnswer {
  if (error instanceof EmbedderError) return { kind: 'failure', errorKind: error.kind, reason: error.message };
  const reason = error instanceof Error ? error.message : String(error);
  const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
  const remedy = isMissing ? ' Install claude-mem again.' : '';
  return { kind: 'failure', errorKind: isMissing ? 'settings' : 'transient', reason: `${reason}.${remedy}` };
}

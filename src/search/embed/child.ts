// The embedder's process (dist/embedder.js ASSETS ENGINE): answers one text after the other, and ends with whoever started it.
import { serveOrders, stepBack } from '../../child-program.ts';
import type { ChildAnswer, ChildRequest } from './child-embedder.ts';
import { type Embedder, EmbedderError } from './embedder.ts';
import { ENGINES, type EngineName } from './engines.ts';

if (import.meta.main) serve(process.argv[2] ?? '', process.argv[3] === 'static' ? 'static' : 'minilm');

function serve(assets: string, name: EngineName): void {
  let engine: Embedder | null = null;
  let isBackground = false;
  serveOrders(async ({ text, kind }: ChildRequest): Promise<ChildAnswer> => {
    if (kind === 'document' && !isBackground) {
      isBackground = true;
      stepBack();
    }
    try {
      engine ??= ENGINES[name].load(assets);
      const [vector] = await engine.embed([text], kind);
      return vector ? { kind: 'vector', vector } : { kind: 'failure', errorKind: 'transient', reason: 'no vector came' };
    } catch (error) {
      return describeFailure(error);
    }
  });
}

function describeFailure(error: unknown): ChildAnswer {
  if (error instanceof EmbedderError) return { kind: 'failure', errorKind: error.kind, reason: error.message };
  const reason = error instanceof Error ? error.message : String(error);
  const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
  const remedy = isMissing ? ' Install claude-mem again.' : '';
  return { kind: 'failure', errorKind: isMissing ? 'settings' : 'transient', reason: `${reason}.${remedy}` };
}

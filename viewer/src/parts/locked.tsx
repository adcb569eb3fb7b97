// Shown to whoever has no token: how to get in.
import { entry } from '../token.ts';
import { Logo } from './logo.tsx';

const WORDS = {
  none: 'This page shows what your coding agent remembers, so it opens only from your own terminal.',
  used: 'This link was used before, or is too old. Each link opens the viewer once.',
  refused: 'The token of this tab is not valid any more: it was rotated, or belongs to another worker.',
};

export function Locked() {
  const { value } = entry;
  return (
    <main class="locked">
      <Logo />
      <h1>{value.kind === 'out' ? 'Open the viewer from your terminal' : 'Opening'}</h1>
      {value.kind === 'out' && (
        <>
          <p class="lead">{WORDS[value.reason]}</p>
          <pre class="command">claude-mem viewer</pre>
        </>
      )}
    </main>
  );
}

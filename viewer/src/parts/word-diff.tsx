// Two texts as one: what went is struck through, what came is marked.

import { diffWords } from '../diff-words.ts';

export function WordDiff({ older, newer }: { older: string; newer: string }) {
  const pieces = diffWords(older, newer);
  return (
    <p class="word-diff" dir="auto">
      {pieces.map(({ kind, text }, at) => {
        if (kind === 'same') return <span key={at}>{text} </span>;
        return kind === 'gone' ? <del key={at}>{text} </del> : <ins key={at}>{text} </ins>;
      })}
    </p>
  );
}

// A stored text as people wrote it: code between backticks and in fences, and where it is meant so, lists. Only ever text nodes.
import type { ComponentChildren } from 'preact';
import { Highlight } from './highlight.tsx';
import { type Block, splitBlocks, splitCode } from './split-text.ts';

export type RichTextProps = { text: string; words?: readonly string[] | undefined };

/** In a line: code, and the words that matched. */
export function RichLine({ text, words }: RichTextProps) {
  return (
    <>
      {splitCode(text).map(({ isCode, text: piece }, at) => {
        const marked = <Highlight key={at} text={piece} words={words} />;
        return isCode ? <code key={at}>{marked}</code> : marked;
      })}
    </>
  );
}

export function RichText({ text, words, withLists = false }: RichTextProps & { withLists?: boolean }) {
  return <>{splitBlocks(text, { withLists }).map((block, at) => show(block, at, words))}</>;
}

function show(block: Block, at: number, words: RichTextProps['words']): ComponentChildren {
  if (block.kind === 'text') return <RichLine key={at} text={block.text} words={words} />;
  if (block.kind === 'code') {
    return (
      <pre key={at} class="rich-code" dir="ltr">
        <code>
          <Highlight text={block.text} words={words} />
        </code>
      </pre>
    );
  }
  return (
    <ul key={at} class="rich-list">
      {block.items.map((item, place) => (
        <li key={place}>
          <RichLine text={item} words={words} />
        </li>
      ))}
    </ul>
  );
}

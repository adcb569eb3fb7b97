// What the timeline is about: an id, a time, or words.
import { useEffect, useState } from 'preact/hooks';
import { go } from '../../router.ts';

export function AroundField({ around }: { around: string }) {
  const [text, setText] = useState(around);
  useEffect(() => setText(around), [around]);
  return (
    <form
      class="around"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim()) go(toPlace(text.trim()));
      }}
    >
      <input
        type="search"
        aria-label="Around what"
        placeholder="Around #123, 2026-01-05 14:30, or words"
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
      <button type="submit">Show</button>
    </form>
  );
}

function toPlace(text: string): string {
  const id = /^#?([SP]?[1-9]\d*)$/i.exec(text)?.[1];
  if (id) return `/view/timeline/${id.toUpperCase()}`;
  const isTime = /^\d{4}-\d{2}(-\d{2}([T ][\d:.]+Z?)?)?$/.test(text);
  return `/view/timeline?${new URLSearchParams(isTime ? { at: text.replace(' ', 'T') } : { q: text })}`;
}

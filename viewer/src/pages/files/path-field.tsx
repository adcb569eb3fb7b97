// The path that is asked about, with those that were touched lately to choose from.
import { useEffect, useState } from 'preact/hooks';
import type { MemoryRow } from '../../../../src/core/shapes/memory.ts';
import { setQuery } from '../../router.ts';
import { useAnswer } from '../../use-answer.ts';

const RECENT = 200;

export function PathField({ path, project }: { path: string; project: string }) {
  const [text, setText] = useState(path);
  useEffect(() => setText(path), [path]);
  const recent = useAnswer<{ items: MemoryRow[] }>('/api/observations', { project, limit: RECENT });
  return (
    <form
      class="around"
      onSubmit={(event) => {
        event.preventDefault();
        setQuery({ path: text.trim() });
      }}
    >
      <input
        type="search"
        class="mono"
        aria-label="Path of a file"
        placeholder="src/…"
        list="recent-files"
        spellcheck={false}
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        onChange={({ currentTarget }) => setQuery({ path: currentTarget.value.trim() })}
      />
      <button type="submit">Show</button>
      <datalist id="recent-files">
        {listFiles(recent.data?.items ?? []).map((file) => (
          <option key={file} value={file} />
        ))}
      </datalist>
    </form>
  );
}

/** The latest first. */
const listFiles = (rows: readonly MemoryRow[]) => [...new Set(rows.flatMap(({ file }) => file ?? []))];

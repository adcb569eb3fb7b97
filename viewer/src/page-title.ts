// The name of what is shown, in the title of the tab: the page's own, unless the page knows better.
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

const own = signal<string | null>(null);

/** For a page about one thing: its title, once it is known. */
export function useTitle(title: string | null | undefined): void {
  useEffect(() => {
    own.value = title || null;
    return () => {
      own.value = null;
    };
  }, [title]);
}

/** By the shell. */
export function useTabTitle(name: string): void {
  const title = own.value ?? name;
  useEffect(() => {
    document.title = `${title} · claude-mem`;
  }, [title]);
}

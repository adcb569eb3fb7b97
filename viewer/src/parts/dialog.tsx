// A dialog of the browser's own: it keeps the focus, closes on Escape, and gives the focus back.
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Icon } from './icon.tsx';

/** What carries `data-first` has the focus at first; otherwise the way out has it. */
export type DialogProps = { title: string; onClose: () => void; className?: string; children: ComponentChildren };

export function Dialog({ title, onClose, className = '', children }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const isShown = useRef(true);
  useLayoutEffect(() => {
    const dialog = ref.current;
    dialog?.showModal();
    dialog?.querySelector<HTMLElement>('[data-first]')?.focus();
    // Taken away while it is open, it would keep the focus for itself.
    return () => {
      isShown.current = false;
      dialog?.close();
    };
  }, []);
  return (
    <dialog ref={ref} class={`stack ${className}`} aria-label={title} onClose={() => isShown.current && onClose()}>
      <header class="row spread">
        <h2>{title}</h2>
        <button type="button" class="quiet" aria-label="Close" onClick={() => ref.current?.close()}>
          <Icon name="close" />
        </button>
      </header>
      {children}
    </dialog>
  );
}

// A dialog of the browser's own: it keeps the focus, closes on Escape, and gives the focus back.
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

export type DialogProps = { title: string; onClose: () => void; children: ComponentChildren };

export function Dialog({ title, onClose, children }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    ref.current?.showModal();
  }, []);
  return (
    <dialog ref={ref} class="stack" aria-label={title} onClose={onClose}>
      <header class="row spread">
        <h2>{title}</h2>
        <button type="button" class="quiet" aria-label="Close" onClick={() => ref.current?.close()}>
          ×
        </button>
      </header>
      {children}
    </dialog>
  );
}

// Short words about what was just done, with a way back where there is one.
import { signal } from '@preact/signals';

export type Toast = {
  id: number;
  text: string;
  isBad?: boolean;
  /** The memories it speaks of: what is said of one of them later takes its place. */
  about?: readonly string[];
  action?: { name: string; run: () => void };
};

const toasts = signal<Toast[]>([]);
let last = 0;

const STAY_MS = 8000;
/** More would cover the page of a phone. */
const MOST = 2;

export function say(text: string, more: Omit<Toast, 'id' | 'text'> = {}): void {
  const toast = { ...more, id: ++last, text };
  const others = toasts.value.filter(({ about }) => !about?.some((one) => toast.about?.includes(one)));
  toasts.value = [...others, toast].slice(-MOST);
  setTimeout(() => dismiss(toast.id), STAY_MS);
}

function dismiss(id: number): void {
  toasts.value = toasts.value.filter((toast) => toast.id !== id);
}

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map(({ id, text, isBad, action }) => (
        <div key={id} class={isBad ? 'toast bad' : 'toast'}>
          <span>{text}</span>
          {action && (
            <button
              type="button"
              onClick={() => {
                dismiss(id);
                action.run();
              }}
            >
              {action.name}
            </button>
          )}
          <button type="button" class="quiet" aria-label="Dismiss" onClick={() => dismiss(id)}>
            ×
          </button>
        </div>
      ))}
    </div>
  );
}

// The keys that hold on this page, on `?`.
import { signal } from '@preact/signals';
import { shortcuts } from '../keyboard.ts';
import { Dialog } from './dialog.tsx';

const isShown = signal(false);

export const showKeys = () => {
  isShown.value = true;
};

export function Keys() {
  if (!isShown.value) return null;
  const known = [...new Map(shortcuts.value.map((one) => [one.key, one])).values()];
  return (
    <Dialog
      title="Keys"
      onClose={() => {
        isShown.value = false;
      }}
    >
      <dl class="keys">
        {known.map(({ key, about }) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{about}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}

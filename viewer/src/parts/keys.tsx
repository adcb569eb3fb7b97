// The keys that hold on this page, on `?`.
import { signal } from '@preact/signals';
import { shortcuts } from '../keyboard.ts';
import { Dialog } from './dialog.tsx';

const isShown = signal(false);

/** What the fields themselves do. */
const ALWAYS = [
  { key: 'Ctrl K', about: 'Commands, pages and memories' },
  { key: '↓', about: 'From the search field to the first result' },
];

export const showKeys = () => {
  isShown.value = true;
};

export function Keys() {
  if (!isShown.value) return null;
  const shown = [...ALWAYS, ...shortcuts.value.filter(({ isHidden }) => !isHidden)];
  const known = [...new Map(shown.map((one) => [one.key, one])).values()];
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

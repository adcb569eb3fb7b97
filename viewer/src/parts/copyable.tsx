// A command to run in a terminal, with a button that copies it.
import { copy } from '../copy.ts';
import { Icon } from './icon.tsx';

/** `whole`: what is copied, where the text is only the part to read. */
export function Copyable({ text, whole = text }: { text: string; whole?: string | undefined }) {
  return (
    <span class="copyable">
      <code>{text}</code>
      <button type="button" class="quiet" title={whole} aria-label={`Copy ${text}`} onClick={() => copy(whole, 'the command')}>
        <Icon name="copy" />
      </button>
    </span>
  );
}

// A command to run in a terminal, with a button that copies it.
import { copy } from '../copy.ts';
import { Icon } from './icon.tsx';

/** `name`: only a button of that name, without the text. */
export function Copyable({ text, name }: { text: string; name?: string }) {
  return (
    <span class="copyable">
      {!name && <code>{text}</code>}
      <button type="button" class="quiet" title={text} aria-label={name ?? `Copy ${text}`} onClick={() => copy(text, 'the command')}>
        <Icon name="copy" />
        {name && <span>{name}</span>}
      </button>
    </span>
  );
}

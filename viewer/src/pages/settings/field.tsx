// A field for a text: it speaks on Enter and when it is left, and only if it says something else than before. Escape takes it back.
import { useEffect, useState } from 'preact/hooks';

export type FieldProps = {
  shown: string;
  label: string;
  describedBy: string;
  isBad: boolean;
  onSay: (text: string) => void;
};

export type Range = { step: number | 'any'; min: number | undefined; max: number | undefined };

export const NumberLine = ({ range, ...rest }: FieldProps & { range: Range }) => <input type="number" {...range} {...useField(rest)} />;

export const TextLine = (props: FieldProps) => <input type="text" {...useField(props)} />;

export const LongField = (props: FieldProps) => <textarea {...useField(props)} />;

function useField({ shown, label, describedBy, isBad, onSay }: FieldProps) {
  const [text, setText] = useState(shown);
  useEffect(() => setText(shown), [shown]);
  const speak = () => {
    if (text.trim() !== shown) onSay(text.trim());
  };
  return {
    value: text,
    spellcheck: false,
    'aria-label': label,
    'aria-describedby': describedBy,
    'aria-invalid': isBad,
    onInput: ({ currentTarget: { value } }: { currentTarget: { value: string } }) => setText(value),
    onBlur: speak,
    onKeyDown: (event: KeyboardEvent) => {
      if (event.key === 'Escape') setText(shown);
      if (event.key !== 'Enter') return;
      event.preventDefault();
      speak();
    },
  };
}

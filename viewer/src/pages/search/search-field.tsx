// The field of the search: asks while one types, and hands over to the results with the arrow or Enter.
import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { focusFirstCard } from '../../card-focus.ts';

export type SearchFieldProps = {
  field: RefObject<HTMLInputElement | null>;
  question: string;
  onQuestion: (question: string) => void;
};

const TYPING_MS = 120;

export function SearchField({ field, question, onQuestion }: SearchFieldProps) {
  const [text, setText] = useState(question);
  const asked = useRef(question);
  const ask = (words: string) => {
    asked.current = words;
    onQuestion(words);
  };
  useEffect(() => {
    // What was asked here comes back as the question, and more may have been typed meanwhile.
    if (question === asked.current) return;
    asked.current = question;
    setText(question);
  }, [question]);
  useEffect(() => {
    if (text === question) return;
    const timer = setTimeout(() => ask(text), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const clear = () => {
    setText('');
    ask('');
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') {
      // The browser's own way would leave the address and what was found as they are.
      event.preventDefault();
      return text === '' ? field.current?.blur() : clear();
    }
    if (event.key !== 'ArrowDown' && event.key !== 'Enter') return;
    event.preventDefault();
    if (text !== question) ask(text);
    else focusFirstCard();
  };
  return (
    <input
      ref={field}
      class="search-field"
      type="search"
      dir="auto"
      aria-label="What to look for"
      placeholder="A question, a word, an error, a file"
      autocomplete="off"
      spellcheck={false}
      value={text}
      onInput={({ currentTarget }) => setText(currentTarget.value)}
      onKeyDown={onKeyDown}
    />
  );
}

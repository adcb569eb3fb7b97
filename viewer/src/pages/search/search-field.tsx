// The field of the search: asks while one types, offers operators, and hands over to the results with the arrow or Enter.
import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { focusFirstCard } from '../../card-focus.ts';
import { projects } from '../../projects.ts';
import { suggest } from './operators.ts';

export type SearchFieldProps = {
  field: RefObject<HTMLInputElement | null>;
  question: string;
  onQuestion: (question: string) => void;
};

const TYPING_MS = 120;

export function SearchField({ field, question, onQuestion }: SearchFieldProps) {
  const [text, setText] = useState(question);
  const [isFocused, setFocused] = useState(false);
  const [at, setAt] = useState(-1);
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
  const offers = isFocused
    ? suggest(
        text,
        projects.value.map(({ value }) => value),
      )
    : [];
  const take = (offer: string) => {
    setText(offer);
    setAt(-1);
    field.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const chosen = offers[at];
    if (event.key === 'Tab' && offers.length > 0 && !event.shiftKey) {
      event.preventDefault();
      return take((chosen ?? offers[0])?.text ?? text);
    }
    // Escape leaves the field as it is: what was asked is not lost by it.
    if (event.key === 'Escape') {
      event.preventDefault();
      return offers.length > 0 ? setFocused(false) : field.current?.blur();
    }
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp' && event.key !== 'Enter') return;
    event.preventDefault();
    if (event.key === 'ArrowUp') return setAt(Math.max(-1, at - 1));
    if (event.key === 'ArrowDown' && offers.length > 0) return setAt((at + 1) % offers.length);
    if (event.key === 'Enter' && chosen) return take(chosen.text);
    if (text !== question) ask(text);
    else focusFirstCard();
  };
  return (
    <div class="search-box">
      <input
        ref={field}
        class="search-field"
        type="search"
        dir="auto"
        // biome-ignore lint/a11y/noRedundantRoles: without a list of the browser's own it is none yet.
        role="combobox"
        list={undefined}
        aria-expanded={offers.length > 0}
        aria-controls="search-offers"
        aria-activedescendant={at >= 0 ? `search-offer-${at}` : undefined}
        aria-label="What to look for"
        placeholder="A question, a word, an error; type:bugfix  file:cart.ts  since:7d  project:shop"
        autocomplete="off"
        spellcheck={false}
        value={text}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value);
          setFocused(true);
          setAt(-1);
        }}
        onFocus={() => setFocused(true)}
        onBlur={() => setFocused(false)}
        onKeyDown={onKeyDown}
      />
      <div id="search-offers" class="offers" role="listbox" aria-label="Suggestions" hidden={offers.length === 0}>
        {offers.map((offer, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field, which keeps the focus.
          <div
            key={offer.name}
            id={`search-offer-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === at}
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => take(offer.text)}
          >
            {offer.name}
          </div>
        ))}
      </div>
    </div>
  );
}

// A value while somebody changes it: shown at once, told when it has settled. Nobody asks for every letter, or every step of a slider.
import { useEffect, useRef, useState } from 'preact/hooks';

const WAIT_MS = 150;

export function useDraft<Value>(value: Value, onSettle: (value: Value) => void): [Value, (draft: Value) => void] {
  const [draft, setDraft] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const settle = useRef(onSettle);
  settle.current = onSettle;
  useEffect(() => setDraft(value), [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  return [
    draft,
    (next) => {
      setDraft(next);
      clearTimeout(timer.current);
      timer.current = setTimeout(() => settle.current(next), WAIT_MS);
    },
  ];
}

// A value once it has stopped changing: nobody asks for every letter.
import { useEffect, useState } from 'preact/hooks';

/** Values are the same when their JSON is. */
export function useSettled<Value>(value: Value, waitMs = 150): Value {
  const [settled, setSettled] = useState(value);
  const json = JSON.stringify(value);
  useEffect(() => {
    if (json === JSON.stringify(settled)) return;
    const timer = setTimeout(() => setSettled(value), waitMs);
    return () => clearTimeout(timer);
  }, [json, settled, waitMs]);
  return settled;
}

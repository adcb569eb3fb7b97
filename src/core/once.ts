// What is read from a value that nobody changes, worked out once for each.

/** Kept as long as the value is. Whoever is given the result does not change it. */
export function oncePer<Value extends object, Read>(read: (value: Value) => Read): (value: Value) => Read {
  const known = new WeakMap<Value, { it: Read }>();
  return (value) => {
    const found = known.get(value) ?? { it: read(value) };
    known.set(value, found);
    return found.it;
  };
}

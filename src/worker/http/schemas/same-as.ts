// A schema that says what a type says, field by field: a field that only one of them has does not compile.
import type { z } from 'zod';

/** Written out: an intersection and the object it amounts to are the same. */
type Plain<Type> = Type extends readonly (infer Item)[]
  ? Plain<Item>[]
  : Type extends object
    ? { [Key in keyof Type]: Plain<Type[Key]> }
    : Type;

/** Assignable both ways would pass over optional fields that only one of them has. */
type IsSame<One, Other> =
  (<T>() => T extends Plain<One> ? 1 : 2) extends <T>() => T extends Plain<Other> ? 1 : 2 ? unknown : never;

/** `sameAs<Memory>()(z.object({…}))`: once for the type that is given, once for the one that is inferred. */
export const sameAs =
  <Type>() =>
  <Schema extends z.ZodType>(schema: Schema & IsSame<z.output<Schema>, Type>): Schema =>
    schema;

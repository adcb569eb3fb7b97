// Schemas as JSON Schema: what a caller writes, with the parts that have a name set apart.
import { z } from 'zod';

export type Json = { [key: string]: unknown };

export type Described = { schema: Json /** The schemas with a name that it refers to. */; named: Json };

/** `z.int()` says where whole numbers end; nobody asked. */
const isBoundary = (value: unknown) => value === Number.MAX_SAFE_INTEGER || value === Number.MIN_SAFE_INTEGER;

/** What is sent or answered as JSON. */
export function describeJson(schema: z.core.$ZodType): Described {
  // Around it, so that a schema with a name is referred to wherever it stands.
  const around = z.toJSONSchema(z.object({ it: schema }), {
    io: 'input',
    override: ({ jsonSchema }) => {
      delete jsonSchema.id;
      if (isBoundary(jsonSchema.minimum)) delete jsonSchema.minimum;
      if (isBoundary(jsonSchema.maximum)) delete jsonSchema.maximum;
    },
  });
  const text = JSON.stringify({ schema: around.properties?.it, named: around.$defs ?? {} });
  return JSON.parse(text.replaceAll('"#/$defs/', '"#/components/schemas/'));
}

/** What is written as text in a query: a number is a number there, a list has commas. */
export function describeText(schema: z.core.$ZodType): Json {
  const description = z.globalRegistry.get(schema)?.description;
  return { ...describeInner(schema), ...(description === undefined ? {} : { description }) };
}

function describeInner(schema: z.core.$ZodType): Json {
  if (schema instanceof z.ZodDefault) {
    return { ...describeText(schema.unwrap()), default: schema.def.defaultValue };
  }
  if (schema instanceof z.ZodOptional) return describeText(schema.unwrap());
  // What comes out says more than that it was a text, unless it is made by a function.
  if (schema instanceof z.ZodPipe) return describeText(schema.out instanceof z.ZodTransform ? schema.in : schema.out);
  return describeJson(schema).schema;
}

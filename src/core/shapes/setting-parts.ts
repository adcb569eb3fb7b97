// What the schemas of settings are made of: a file of its own, so that it is loaded with the first of them, and not the rest of zod.
import { z } from 'zod';

export const oneOf = z.enum;
export const array = z.array;
export const boolean = z.boolean;
export const coerce = z.coerce;
export const object = z.object;
export const preprocess = z.preprocess;
export const string = z.string;
export const stringbool = z.stringbool;
export const toJSONSchema = z.toJSONSchema;
export const union = z.union;
export const url = z.url;

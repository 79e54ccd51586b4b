/** Parameters that may all be left out: a condition is then written without any. */
import { object, type Schema } from "../engine/schema.ts";

/** The same as the schema, and nothing at all counts as an object without keys. */
export const orNothing = <T>(schema: Schema<T>): Schema<T | null> => ({
  json: schema.json,
  check: (value, path) => schema.check(value ?? {}, path),
});

export const noParameters: Schema<object | null> = orNothing(object({}));

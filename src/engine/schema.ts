/** Small schemas for parameters: they check a value, and say what they accept as JSON Schema. No dependency, for the hot path. */
import type { Fields, Json } from "./event.ts";

export interface Mismatch {
  /** Keys and indexes down to the wrong value. */
  path: readonly (string | number)[];
  expected: string;
  found: string;
  /** The value is a key that nothing knows. */
  unknown?: true;
  known?: readonly string[];
}
export interface Schema<T> {
  /** All mismatches, or none. Never throws. */
  check(value: unknown, path?: readonly (string | number)[]): Mismatch[];
  readonly json: Fields;
  /** Carries the type only. */
  readonly type?: T;
}
export type TypeOf<S> = S extends Schema<infer T> ? T : never;

/** What a value is, in a person's words. */
export function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "an object";
  if (typeof value === "string") return value.length > 40 ? "text" : JSON.stringify(value);
  return value === undefined ? "nothing" : String(value);
}

const simple = <T>(json: Fields, expected: string, holds: (value: unknown) => boolean): Schema<T> => ({
  json,
  check: (value, path = []) => (holds(value) ? [] : [{ path, expected, found: kindOf(value) }]),
});

/**
 * Any value that JSON can hold.
 *
 * @example const params = object({ payload: anything });
 */
export const anything: Schema<Json> = simple({}, "anything", (value) => value !== undefined);
/**
 * True or false.
 *
 * @example const params = object({}, { strict: say(flag, "also refuse warnings", false) });
 */
export const flag: Schema<boolean> = simple(
  { type: "boolean" },
  "true or false",
  (value) => typeof value === "boolean",
);
/**
 * A whole number that a double holds exactly.
 *
 * @example const params = object({ lines: integer("how many lines at most", 1) });
 */
export const integer = (description?: string, minimum?: number, maximum?: number): Schema<number> =>
  simple(
    {
      type: "integer",
      ...(minimum === undefined ? {} : { minimum }),
      ...(maximum === undefined ? {} : { maximum }),
      ...described(description),
    },
    minimum === undefined
      ? "a whole number"
      : `a whole number ${maximum === undefined ? `of at least ${minimum}` : `from ${minimum} to ${maximum}`}`,
    (value) =>
      Number.isSafeInteger(value) &&
      (minimum === undefined || Number(value) >= minimum) &&
      (maximum === undefined || Number(value) <= maximum),
  );
/**
 * A text, an empty one too.
 *
 * @example const params = object({ branch: text("the protected branch") });
 */
export const text = (description?: string): Schema<string> =>
  simple({ type: "string", ...described(description) }, "text", (value) => typeof value === "string");
/**
 * A text that says something, such as a name.
 *
 * @example const params = object({ branch: someText("the protected branch") });
 */
export const someText = (description: string): Schema<string> =>
  simple(
    { type: "string", minLength: 1, ...described(description) },
    "a text that is not empty",
    (value) => typeof value === "string" && value !== "",
  );
/**
 * A finite number.
 *
 * @example const params = object({ share: number("of the context, from 0 to 1", 0) });
 */
export const number = (description?: string, minimum?: number): Schema<number> =>
  simple(
    { type: "number", ...(minimum === undefined ? {} : { minimum }), ...described(description) },
    minimum === undefined ? "a number" : `a number of at least ${minimum}`,
    (value) => typeof value === "number" && Number.isFinite(value) && (minimum === undefined || value >= minimum),
  );
export const numberWithin = (minimum: number, maximum: number): Schema<number> =>
  simple(
    { type: "number", minimum, maximum },
    `a number from ${minimum} to ${maximum}`,
    (value) => typeof value === "number" && value >= minimum && value <= maximum,
  );
/**
 * One of these texts.
 *
 * @example const params = object({ level: oneOf("warn", "refuse") });
 */
export const oneOf = <const T extends string>(...values: T[]): Schema<T> =>
  simple({ enum: values }, values.map((one) => `"${one}"`).join(" or "), (value) =>
    values.some((one) => one === value),
  );

/**
 * The same schema, with what its reader should know: what it is for, and what holds where it is left out.
 *
 * @example const params = object({}, { limit: say(integer(), "how many at most", 10) });
 */
export function say<T>(schema: Schema<T>, description: string, otherwise?: Json): Schema<T> {
  const json = { ...schema.json, description, ...(otherwise === undefined ? {} : { default: otherwise }) };
  return { ...schema, json };
}

/**
 * A value that one of these takes. A mismatch is that of the nearer one.
 *
 * @example const params = object({ files: either(text(), listOf(text())) });
 */
export function either<A, B>(first: Schema<A>, second: Schema<B>): Schema<A | B> {
  return {
    json: { anyOf: [first.json, second.json] },
    check: (value, path = []) => {
      const [left, right] = [first.check(value, path), second.check(value, path)];
      if (left.length === 0 || right.length === 0) return [];
      const depth = (found: Mismatch[]): number => Math.max(...found.map((one) => one.path.length));
      if (depth(left) !== depth(right)) return depth(left) > depth(right) ? left : right;
      const [one, other] = [left[0]?.expected, right[0]?.expected];
      return [{ path, expected: `${one} or ${other}`, found: kindOf(value) }];
    },
  };
}

/**
 * A list.
 *
 * @example const params = object({ folders: listOf(text()) });
 */
export const listOf = <T>(item: Schema<T>): Schema<T[]> => ({
  json: { type: "array", items: item.json },
  check: (value, path = []) =>
    Array.isArray(value)
      ? value.flatMap((one, index) => item.check(one, [...path, index]))
      : [{ path, expected: "a list", found: kindOf(value) }],
});

/**
 * An object with keys of the author's own.
 *
 * @example const params = object({ limits: mapOf(integer()) });
 */
export const mapOf = <T>(item: Schema<T>): Schema<{ [key: string]: T }> => ({
  json: { type: "object", additionalProperties: item.json },
  check: (value, path = []) =>
    isRecord(value)
      ? Object.entries(value).flatMap(([key, one]) => item.check(one, [...path, key]))
      : [{ path, expected: "an object", found: kindOf(value) }],
});

type Shape = { [key: string]: Schema<unknown> };
type Needed<S extends Shape> = { [K in keyof S]: TypeOf<S[K]> };

/**
 * An object with exactly these keys; those named in `optional` may be left out.
 *
 * @example const params = object({ branch: text() }, { strict: flag });
 */
export function object<R extends Shape, O extends Shape = Record<never, never>>(
  required: R,
  optional?: O,
): Schema<Needed<R> & Partial<Needed<O>>> {
  const all: Shape = { ...required, ...optional };
  return {
    json: {
      type: "object",
      properties: Object.fromEntries(Object.entries(all).map(([key, one]) => [key, one.json])),
      required: Object.keys(required),
      additionalProperties: false,
    },
    check: (value, path = []) =>
      isRecord(value) ? checkKeys(value, required, all, path) : [{ path, expected: "an object", found: kindOf(value) }],
  };
}

function checkKeys(
  value: Record<string, unknown>,
  required: Shape,
  all: Shape,
  path: readonly (string | number)[],
): Mismatch[] {
  const known = Object.keys(all);
  const found = Object.entries(value).flatMap(([key, one]): Mismatch[] => {
    const schema = Object.hasOwn(all, key) ? all[key] : undefined;
    if (!schema)
      return [{ path: [...path, key], expected: `one of ${known.join(", ")}`, found: key, unknown: true, known }];
    return one === undefined ? [] : schema.check(one, [...path, key]);
  });
  const missing = Object.keys(required)
    .filter((key) => value[key] === undefined)
    .map((key) => ({
      path: [...path, key],
      expected: String(required[key]?.json.description ?? "a value"),
      found: "nothing",
    }));
  return [...found, ...missing];
}

const described = (description?: string): Fields => (description ? { description } : {});

/** Of what was parsed from JSON. */
export const isFields = (value: unknown): value is Fields => isRecord(value);
export const fieldsIn = (value: unknown): Fields => (isFields(value) ? value : {});

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

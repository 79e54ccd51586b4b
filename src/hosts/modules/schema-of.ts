/** A schema from what it says of itself as JSON: its check is a function of the module's process, and files are read without asking that. */
import type { Fields, Json } from "../../engine/event.ts";
import {
  anything,
  either,
  flag,
  integer,
  isRecord,
  listOf,
  mapOf,
  number,
  numberWithin,
  object,
  oneOf,
  type Schema,
  text,
} from "../../engine/schema.ts";

/** Of what no schema of ours says it takes anything: the process of the module checks it again. */
export const schemaOf = (json: Fields): Schema<unknown> => ({ ...built(json), json });

type Build = (json: Fields) => Schema<unknown>;

const built: Build = (json) => {
  if (Array.isArray(json.enum)) return oneOf(...json.enum.filter((one) => typeof one === "string"));
  if (Array.isArray(json.anyOf)) {
    const [first, ...others] = json.anyOf.map(inside);
    return first ? others.reduce((left, right) => either(left, right), first) : anything;
  }
  const { type } = json;
  return typeof type === "string" && Object.hasOwn(byType, type) ? (byType[type]?.(json) ?? anything) : anything;
};

const inside = (json: Json | undefined): Schema<unknown> => (isRecord(json) ? schemaOf(json as Fields) : anything); // what was parsed from JSON holds nothing else

const minimumOf = ({ minimum }: Fields): number | undefined => (typeof minimum === "number" ? minimum : undefined);

const byType: { readonly [type: string]: Build | undefined } = {
  boolean: () => flag,
  string: () => text(),
  integer: (json) => integer(undefined, minimumOf(json)),
  number: (json) =>
    typeof json.maximum === "number"
      ? numberWithin(minimumOf(json) ?? Number.NEGATIVE_INFINITY, json.maximum)
      : number(undefined, minimumOf(json)),
  array: ({ items }) => listOf(inside(items)),
  object({ properties, required, additionalProperties }) {
    if (!isRecord(properties)) return mapOf(inside(additionalProperties));
    const needed = Array.isArray(required) ? required : [];
    const members = Object.entries(properties).map(([key, one]): [string, Schema<unknown>] => [
      key,
      inside(one as Json),
    ]);
    return object(
      Object.fromEntries(members.filter(([key]) => needed.includes(key))),
      Object.fromEntries(members.filter(([key]) => !needed.includes(key))),
    );
  },
};

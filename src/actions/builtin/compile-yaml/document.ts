/**
 * YAML against a JSON Schema: the value, or every mistake with its line and column. It imports two libraries, so it is
 * itself loaded when a document is compiled.
 */
import { Ajv, type ErrorObject, type Schema, type ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import { type Document, LineCounter, parse, parseDocument } from "yaml";
import { messageOf } from "../../../engine/error.ts";
import type { Json } from "../../../engine/event.ts";
import { isRecord } from "../../../engine/schema.ts";

export interface Mistake {
  line: number;
  column: number;
  /** Keys down to the wrong value, joined by dots; "" is the document. */
  at: string;
  message: string;
}
export type Compiled = { value: Json } | { mistakes: Mistake[] };

/** A document has at most so many mistakes: the rest follows from the first. */
const mostMistakes = 20;
/** Each use of an anchor may multiply the document. */
const mostAliases = 100;

/**
 * @param schema a JSON Schema of 2020-12, or of draft 7 where its `$schema` says so
 * @throws Error where the schema itself cannot be used
 */
export function compileDocument(source: string, schema: Json | undefined): Compiled {
  const counter = new LineCounter();
  const document = parseDocument(source, { lineCounter: counter, prettyErrors: false, logLevel: "error" });
  if (document.errors.length > 0)
    return {
      mistakes: document.errors.slice(0, mostMistakes).map((one) => mistake(counter, one.pos[0], "", one.message)),
    };
  let value: Json;
  try {
    value = document.toJS({ maxAliasCount: mostAliases });
  } catch (error) {
    return { mistakes: [mistake(counter, 0, "", messageOf(error))] };
  }
  if (schema === undefined) return { value };
  const validate = validatorOf(schema);
  if (validate(value)) return { value };
  return { mistakes: locate(validate.errors ?? [], document, counter) };
}

/** A schema of another file, as JSON or YAML. Throws where it cannot be read. */
export const readSchema = (text: string): Json => parse(text);

const options = { allErrors: true, strict: false, validateFormats: false, logger: false } as const;

function validatorOf(schema: Json): ValidateFunction {
  if (!isRecord(schema) && typeof schema !== "boolean") throw new Error("a schema is an object");
  const isOlder = isRecord(schema) && /draft-0[4-7]/.test(String(schema.$schema));
  return new (isOlder ? Ajv : Ajv2020)(options).compile(schema as Schema); // just looked at
}

/** In the order of the document; what is said twice about one place is said once. */
function locate(errors: readonly ErrorObject[], document: Document, counter: LineCounter): Mistake[] {
  const found = errors.map((error) => {
    const path = pathOf(error.instancePath, document);
    const key: unknown = error.params.additionalProperty ?? error.params.unevaluatedProperty;
    const whole = typeof key === "string" ? [...path, key] : path;
    const offset = typeof key === "string" ? keyOffset(document, path, key) : offsetOf(document, path);
    return mistake(counter, offset, whole.join("."), sentenceOf(error));
  });
  const different = new Map(found.map((one) => [`${one.line}:${one.column} ${one.at} ${one.message}`, one]));
  return [...different.values()].toSorted((a, b) => a.line - b.line || a.column - b.column).slice(0, mostMistakes);
}

function sentenceOf({ keyword, message = "is wrong", params }: ErrorObject): string {
  if (keyword === "enum") return `must be one of ${JSON.stringify(params.allowedValues).slice(0, 200)}`;
  if (keyword === "const") return `must be ${JSON.stringify(params.allowedValue).slice(0, 200)}`;
  if (keyword === "additionalProperties" || keyword === "unevaluatedProperties") return "is not known here";
  return message;
}

type Path = readonly (string | number)[];

/** A JSON pointer as the keys of the document; a number is an index where there is a list. */
function pathOf(pointer: string, document: Document): Path {
  const path: (string | number)[] = [];
  for (const part of pointer.split("/").slice(1)) {
    const name = part.replaceAll("~1", "/").replaceAll("~0", "~");
    path.push(isList(document.getIn(path, true)) ? Number(name) : name);
  }
  return path;
}

const itemsOf = (node: unknown): readonly unknown[] => (isRecord(node) && Array.isArray(node.items) ? node.items : []);
const isPair = (item: unknown): item is { key: unknown } => isRecord(item) && "key" in item && "value" in item;
const isList = (node: unknown): boolean => itemsOf(node).length > 0 && !itemsOf(node).some(isPair);

/** Where a value begins, or the nearest around it that is written down. */
function offsetOf(document: Document, path: Path): number {
  for (let length = path.length; length >= 0; length--) {
    const offset = startOf(document.getIn(path.slice(0, length), true));
    if (offset !== undefined) return offset;
  }
  return 0;
}

function keyOffset(document: Document, path: Path, key: string): number {
  const pair = itemsOf(document.getIn(path, true)).find(
    (item) => isPair(item) && isRecord(item.key) && String(item.key.value) === key,
  );
  return (isPair(pair) ? startOf(pair.key) : undefined) ?? offsetOf(document, path);
}

function startOf(node: unknown): number | undefined {
  const range = isRecord(node) ? node.range : undefined;
  return Array.isArray(range) ? Number(range[0]) : undefined;
}

function mistake(counter: LineCounter, offset: number, at: string, message: string): Mistake {
  const { line, col } = counter.linePos(offset);
  return { line: Math.max(1, line), column: Math.max(1, col), at, message };
}

/**
 * Tables inside pages that are made from the code's own tables: `<!-- table: actions -->` lists all of a kind,
 * `<!-- parameters: gate -->` the parameters of one, and `<!-- results: read_file -->` what a context step gives; each
 * goes up to `<!-- end -->`.
 */

import { createHandlers } from "../../src/actions/index.ts";
import { conditions } from "../../src/conditions/index.ts";
import type { Fields } from "../../src/engine/event.ts";
import { namedQueries, queryNames } from "../../src/engine/named.ts";
import { isRecord } from "../../src/engine/schema.ts";
import { placeholders } from "../../src/engine/template.ts";
import { automationFields } from "../../src/formats/automations/fields.ts";
import { scriptFields } from "../../src/formats/scripts/fields.ts";
import { operations } from "../../src/operations/index.ts";
import { sentence } from "../../src/operations/serve.ts";
import { groups, listOf } from "./groups.ts";

const handlers = createHandlers(new Map());
const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ");
const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => "---"), ...rows].map((row) => `| ${row.map(cell).join(" | ")} |`).join("\n");

/** All of a kind: the names that authors write, and what each does. */
const lists: Readonly<Record<string, () => string>> = {
  actions: () =>
    table(
      ["action", "what it does", "parameters"],
      [...handlers].flatMap(([name, { action, params }]) =>
        action ? [[`[\`${name}\`](actions.md#${name})`, action.summary, namesIn(params.json)]] : [],
      ),
    ),
  conditions: () =>
    table(
      ["condition", "it holds if", "parameters"],
      [...conditions].flatMap(([name, { summary, params }]) =>
        summary ? [[`[\`${name}\`](conditions.md#${name})`, summary, namesIn(params.json)]] : [],
      ),
    ),
  builtins: () =>
    table(
      ["name", "what it does", "on", "parameters"],
      [...handlers].flatMap(([name, { builtin, params }]) =>
        builtin
          ? [[`[\`${name}\`](handlers.md#${name})`, builtin.summary, onOf(builtin.events), namesIn(params.json)]]
          : [],
      ),
    ),
  "context-steps": () =>
    table(
      ["type", "what it does", "parameters", "limit"],
      [...handlers.values()].flatMap(({ contextStep: step, params }) =>
        step
          ? [
              [
                `[\`${step.type}\`](context-steps.md#${step.type})`,
                step.summary,
                namesIn(params.json),
                `${step.limit} s`,
              ],
            ]
          : [],
      ),
    ),
  "automation-fields": () =>
    table(
      ["field", "kind", "default", "what it is"],
      Object.entries(automationFields).map(([name, { schema, required }]) => [
        `\`${name}\``,
        kindOf(schema.json),
        required ? "required" : schema.json.default === undefined ? "" : `\`${JSON.stringify(schema.json.default)}\``,
        String(schema.json.description ?? ""),
      ]),
    ),
  queries: () =>
    table(
      ["query", "what it answers", "params"],
      queryNames.map((name) => [`\`${name}\``, namedQueries[name].summary, codes(namedQueries[name].params)]),
    ),
  operations: () =>
    table(
      ["operation", "input", "what it does"],
      [...operations].map(([name, { params, summary }]) => [
        `\`hookline.${name}\``,
        namesIn(params.json),
        sentence(summary),
      ]),
    ),
  placeholders: () =>
    table(
      ["placeholder", "what it is"],
      placeholders.map(({ name, meaning }) => [`\`{{${name}}}\``, meaning]),
    ),
  "script-fields": () =>
    table(
      ["field", "of", "left out", "what it says"],
      Object.entries(scriptFields).map(([name, { of, schema, otherwise }]) => [
        `\`${name}\``,
        of?.map((type) => `\`${type}\``).join(", ") ?? "all",
        otherwise,
        String(schema.json.description),
      ]),
    ),
  ...Object.fromEntries(groups.map((group) => [`pages-${group.name}`, () => listOf(group)])),
};

const codes = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(", ");

const onOf = (events: readonly string[] = []): string => events.join(", ") || "any event";

/** `shell` is an action and a condition: `shell-condition` is the latter. */
const schemaOf = (name: string): Fields | undefined =>
  (handlers.get(name) ?? conditions.get(name.replace(/-condition$/, "")))?.params.json;

const propertiesOf = (json: Fields): [string, Fields][] =>
  isRecord(json.properties)
    ? Object.entries(json.properties).flatMap(([key, one]) => (isRecord(one) ? [[key, one as Fields]] : []))
    : [];
const requiredIn = (json: Fields): string[] => (Array.isArray(json.required) ? json.required.map(String) : []);

const namesIn = (json: Fields): string =>
  propertiesOf(json)
    .map(([key]) => (requiredIn(json).includes(key) ? `**\`${key}\`**` : `\`${key}\``))
    .join(", ");

function parametersOf(name: string): string | undefined {
  const json = schemaOf(name);
  if (!json) return undefined;
  const rows = propertiesOf(json).map(([key, one]) => [
    `\`${key}\``,
    kindOf(one),
    requiredIn(json).includes(key) ? "required" : one.default === undefined ? "" : `\`${JSON.stringify(one.default)}\``,
    String(one.description ?? ""),
  ]);
  return rows.length === 0 ? "It takes no parameters." : table(["parameter", "kind", "default", "what it is"], rows);
}

function resultsOf(name: string): string | undefined {
  const { gives } = handlers.get(name)?.contextStep ?? {};
  return (
    gives &&
    table(
      ["field", "what it holds"],
      Object.entries(gives).map(([field, holds]) => [`\`${field}\``, holds]),
    )
  );
}

function kindOf({ type, enum: values, anyOf }: Fields): string {
  if (Array.isArray(values)) return values.map((one) => `\`${String(one)}\``).join(", ");
  if (Array.isArray(anyOf)) return anyOf.map((one) => (isRecord(one) ? kindOf(one as Fields) : "")).join(" or ");
  const kinds: Readonly<Record<string, string>> = {
    string: "text",
    array: "list",
    object: "map",
    boolean: "true or false",
    number: "number",
    integer: "whole number",
    null: "null",
  };
  return kinds[String(type)] ?? "anything";
}

const marker = /^<!-- (table|parameters|results): ([\w-]+) -->\n[\s\S]*?^<!-- end -->$/gm;

const makers: Readonly<Record<string, (name: string) => string | undefined>> = {
  table: (name) => lists[name]?.(),
  parameters: parametersOf,
  results: resultsOf,
};
const made = (kind: string, name: string): string | undefined => makers[kind]?.(name);

/** The page with each such table as the code is now; one that names nothing in the code is left alone. */
export const withTables = (page: string): string =>
  page.replace(marker, (written, kind: string, name: string) => {
    const now = made(kind, name);
    return now === undefined ? written : `<!-- ${kind}: ${name} -->\n\n${now}\n\n<!-- end -->`;
  });

/** What of a page is another text than the code says, by kind and name. */
export const staleTables = (page: string): string[] =>
  [...page.matchAll(marker)].flatMap(([written, kind = "", name = ""]) =>
    made(kind, name) !== undefined && withTables(written) === written ? [] : [`${kind}: ${name}`],
  );

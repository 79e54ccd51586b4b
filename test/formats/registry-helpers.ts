/** How the tests of the registry dialect compile a text, with the real tables. */

import { createHandlers } from "../../src/actions/index.ts";
import { conditions } from "../../src/conditions/index.ts";
import type { Hook, Origin, Problem } from "../../src/engine/hook.ts";
import { type CompiledRegistry, compileRegistry, type RegistryOptions } from "../../src/formats/registry/registry.ts";
import { patterns } from "./rules-helpers.ts";

export const origin: Origin = {
  dialect: "registry",
  layer: "project",
  file: "/project/.system/hooks/tracker.yaml",
  root: "/project",
};

export const compile = (
  text: string,
  options: Partial<RegistryOptions> = {},
  from: Partial<Origin> = {},
): CompiledRegistry =>
  compileRegistry(
    text,
    { ...origin, ...from },
    {
      label: ".system/hooks/tracker.yaml",
      registry: { conditions, handlers: createHandlers(new Map()) },
      patterns,
      ...options,
    },
  );

/** A valid hook, with these lines instead of its own; an empty text leaves a field out. */
export function written(fields: { [field: string]: string } = {}): string {
  const all: { [field: string]: string } = {
    id: "tracker",
    event_type: "PostAbilityCall",
    handler: "{ kind: script, command: ./track.sh }",
    ...fields,
  };
  return Object.entries(all)
    .flatMap(([field, value]) => (value === "" ? [] : [`${field}: ${value}\n`]))
    .join("");
}

export function only({ hooks, problems }: CompiledRegistry): Hook {
  const [hook, ...others] = hooks;
  if (!hook || others.length > 0) throw new Error(`expected one hook: ${JSON.stringify({ hooks, problems })}`);
  return hook;
}

/** As a person is told of it, without the path. */
export const told = ({ problems }: { problems: readonly Problem[] }): string[] =>
  problems.map(
    ({ line, column, severity, code, message, suggestion }) =>
      `${line}:${column} ${severity} ${code} ${message}${suggestion ? ` (${suggestion})` : ""}`,
  );

/** The handler of a repository hook: a script is a command, a built-in handler is one of the registry's (specification 001). */

import type { Fields, Seconds } from "../../engine/event.ts";
import { resolveEvent } from "../../engine/events.ts";
import type { Role, Step } from "../../engine/hook.ts";
import type { BuiltinUse, Handler, Patterns, Registry } from "../../engine/ports.ts";
import { surelyMilliseconds, warnOfUnit } from "../reading/durations.ts";
import { reportWrong, unnamed } from "../reading/mismatches.ts";
import { membersOf, type Node, type Report, reportError } from "../reading/tree.ts";
import type { YamlFile } from "../reading/yaml-tree.ts";
import { type Entry, type ReadHook, usualLimit } from "./entry.ts";

export interface ReadHandler {
  step: Step;
  role: Role;
  /** It needs to know what changed. */
  wantsChanges: boolean;
}
interface HandlerContext {
  registry: Registry;
  patterns: Patterns;
  file: Pick<YamlFile, "origin">;
  report: Report;
}
type Read = ReadHook & { entry: Entry };

/** undefined: it is invalid, which is reported. */
export function readHandler(read: Read, context: HandlerContext): ReadHandler | undefined {
  const { handler } = read.entry;
  const kind = handler.kind ?? impliedKind(read, context.report);
  const reader = Object.hasOwn(kinds, kind) ? kinds[kind] : undefined;
  if (reader) return reader(read, context);
  return reportError(
    context.report,
    placeOf(read, "kind"),
    unnamed("no kind of handler is called", kind, handlerKinds),
  );
}

function impliedKind(read: Read, report: Report): string {
  const { command, name } = read.entry.handler;
  const kind = command === undefined && name !== undefined ? "builtin" : "script";
  if (command !== undefined || name !== undefined) {
    report(placeOf(read), {
      severity: "warning",
      code: "missing-field",
      message: `the handler has no "kind" and is taken for a ${kind}`,
      suggestion: `write kind: ${kind}`,
    });
  }
  return kind;
}

const kinds: { readonly [kind: string]: (read: Read, context: HandlerContext) => ReadHandler | undefined } = {
  script: readScript,
  builtin: readBuiltin,
  /** An action that a module or the program registers; both kinds name one table. */
  function: readBuiltin,
};

export const handlerKinds: readonly string[] = Object.keys(kinds);

function readScript(read: Read, { report }: HandlerContext): ReadHandler | undefined {
  const { handler, env } = read.entry;
  tellIgnored(["name", "with"], "a script", read, report);
  if (handler.command === undefined) return tellMissing("command", "command: ./scripts/hooks/name.sh", read, report);
  return {
    step: {
      uses: "command",
      with: {
        command: handler.command,
        protocol: "registry",
        folder: "root",
        ...(env ? { env: Object.fromEntries(Object.entries(env).map(([name, value]) => [name, String(value)])) } : {}),
      },
      timeout: limitOf(read, usualLimit, report),
      onError: "stop",
    },
    role: "undeclared",
    wantsChanges: read.events.events.includes("SessionStop"),
  };
}

function readBuiltin(read: Read, context: HandlerContext): ReadHandler | undefined {
  const { registry, patterns, file, report } = context;
  const { name, with: given = {} } = read.entry.handler;
  const isFunction = read.entry.handler.kind === "function";
  tellIgnored(["command"], isFunction ? "a function" : "a built-in handler", read, report);
  if (name === undefined) return tellMissing("name", `name: ${builtinNames(registry)[0] ?? "…"}`, read, report);
  const handler = builtinsOf(registry).get(name);
  if (!handler) return tellUnknown(name, read, context);
  const params: Fields = given;
  const shape = handler.params.check(params);
  const wrong = shape.length > 0 ? shape : (handler.inspect?.(params, patterns, file.origin) ?? []);
  const node = nodeOf(read, "with") ?? read.node;
  const members = new Map(membersOf(node === read.node ? undefined : node).map((member) => [member.key, member]));
  reportWrong(wrong, { name: `the ${isFunction ? "function" : "built-in handler"} ${name}`, node, members }, report);
  if (wrong.length > 0) return undefined;
  warnOfNoEffect(name, handler.builtin, read, report);
  return {
    step: {
      uses: name,
      with: params,
      timeout: limitOf(read, handler.builtin.limit?.(params) ?? usualLimit, report),
      onError: "stop",
    },
    role: handler.builtin.role(params),
    wantsChanges: handler.builtin.needsOf?.(params).includes("changes") ?? read.events.events.includes("SessionStop"),
  };
}

export type Builtin = Handler & { builtin: BuiltinUse };

export const builtinsOf = ({ handlers }: Registry): ReadonlyMap<string, Builtin> =>
  new Map([...handlers].filter((entry): entry is [string, Builtin] => entry[1].builtin !== undefined));
const builtinNames = (registry: Registry): string[] => [...builtinsOf(registry).keys()];

const tellUnknown = (name: string, read: Read, { registry, report }: HandlerContext): undefined =>
  reportError(
    report,
    placeOf(read, "name"),
    unnamed(
      read.entry.handler.kind === "function" ? "no function is registered as" : "no built-in handler is called",
      name,
      builtinNames(registry),
    ),
  );

function tellMissing(field: string, example: string, read: Read, report: Report): undefined {
  const message = `the handler needs "${field}"`;
  return reportError(report, placeOf(read), { code: "missing-field", message, suggestion: `write ${example}` });
}

function tellIgnored(fields: readonly string[], what: string, read: Read, report: Report): void {
  const env = what === "a script" ? undefined : read.members.get("env");
  const inHandler = membersOf(read.members.get("handler")?.value).filter(({ key }) => fields.includes(key));
  for (const { key, at } of [...inHandler, ...(env ? [env] : [])])
    report(at, {
      severity: "warning",
      code: "ignored-field",
      message: `"${key}" means nothing to ${what}`,
      suggestion: "remove it",
    });
}

function warnOfNoEffect(name: string, { events }: BuiltinUse, read: Read, report: Report): void {
  if (!events) return;
  const effective = new Set(events.flatMap((event) => resolveEvent(event) ?? []));
  const idle = read.events.written.filter((written) => resolveEvent(written)?.every((event) => !effective.has(event)));
  if (idle.length === 0) return;
  report(placeOf(read, "name"), {
    severity: "warning",
    code: "ignored-field",
    message: `${name} has no effect on ${idle.join(", ")}`,
    suggestion: `write event_type: ${events.join(" or ")}`,
  });
}

/** The handler's own word counts more than the hook's. */
function limitOf(read: Read, usual: Seconds, report: Report): Seconds {
  const { handler, timeout } = read.entry;
  const limit = handler.timeout ?? timeout;
  if (limit === undefined) return usual;
  if (limit >= surelyMilliseconds) {
    const own = read.members.get("timeout")?.value.offset ?? read.node.offset;
    report(handler.timeout === undefined ? own : placeOf(read, "timeout"), warnOfUnit(`timeout ${limit}`, limit));
  }
  return limit;
}

const nodeOf = ({ members }: Read, field: string): Node | undefined =>
  membersOf(members.get("handler")?.value).find(({ key }) => key === field)?.value;

const placeOf = (read: Read, field?: string): number => {
  const handler = read.members.get("handler");
  return (field === undefined ? handler?.at : nodeOf(read, field)?.offset) ?? handler?.at ?? read.node.offset;
};

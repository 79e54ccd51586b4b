/** Patterns of tool names that no known tool has: a warning, because servers and modules may have tools that nobody knows of here (D39). */
import { compileWildcard } from "../../engine/glob.ts";
import { didYouMean } from "../../engine/nearest.ts";
import { allModuleNames, tools as canonical, toolClassNames } from "../../engine/tools.ts";
import type { Node } from "../reading/json-tree.ts";
import type { RuleReport } from "../reading/yaml-nodes.ts";
import type { Typed } from "./parameters.ts";

const knownModules: ReadonlySet<string> = new Set(allModuleNames.map((name) => name.slice(0, name.indexOf("."))));

interface ToolContext {
  modules?: ReadonlySet<string>;
  /** The tools of agents. Absent: the canonical ones. */
  tools?: readonly string[];
  report: RuleReport;
}

export function warnOfUnknownTools({ members }: Typed, context: ToolContext): void {
  const match = members.get("match")?.value;
  if (!match) return;
  const known = new Set([...(context.tools ?? Object.keys(canonical)), ...allModuleNames, ...toolClassNames]);
  for (const node of match.type === "array" ? (match.children ?? []) : [match]) warnAt(node, known, context);
}

function warnAt(node: Node, known: ReadonlySet<string>, { modules, report }: ToolContext): void {
  for (const pattern of String(node.value).split("|")) {
    const name = pattern.trim();
    if (name === "" || mayExist(name, known, modules)) continue;
    const suggestion = didYouMean(name, known);
    report(node.offset, {
      severity: "warning",
      code: "unknown-tool",
      message: `no known tool is called "${name}", so it may match nothing`,
      ...(suggestion ? { suggestion } : {}),
    });
  }
}

/** The parameter that names the tool that an action calls; a module may stand beside it. */
const calls: { readonly [type: string]: string } = {
  pipe: "to",
  module_action: "action",
  module_action_inject: "action",
};

/** A server that nobody has configured may be forgotten or misspelt; the project's modules may still bring it. */
export function warnOfUnknownServer({ type, members }: Typed, { modules, report }: ToolContext): void {
  if (!modules || !Object.hasOwn(calls, type)) return;
  const tool = members.get(calls[type] ?? "")?.value;
  const module = type === "pipe" ? undefined : members.get("module")?.value;
  const name = module?.value ? String(module.value) : serverIn(String(tool?.value ?? ""));
  const place = module?.value ? module : tool;
  if (!place || name === undefined || name.includes("{{") || modules.has(name)) return;
  report(place.offset, {
    severity: "warning",
    code: "unknown-tool",
    message: `no server is called "${name}", so this action can call nothing`,
    suggestion: didYouMean(name, modules) ?? "name it under mcp_servers in hookline.yaml",
  });
}

const serverIn = (tool: string): string | undefined =>
  /^mcp__(.+?)__/.exec(tool)?.[1] ?? (tool.includes(".") ? tool.slice(0, tool.indexOf(".")) : undefined);

function mayExist(name: string, known: ReadonlySet<string>, modules: ReadonlySet<string> | undefined): boolean {
  if (known.has(name) || name.startsWith("mcp__")) return true;
  const pattern = name.replace(/\[!?\]?[^\]]*\]/g, "?"); // any letter will do: whether it is one of the set is not asked
  const dot = pattern.indexOf(".");
  const module = dot === -1 ? undefined : pattern.slice(0, dot);
  if (module !== undefined && modules && [...modules].some(compileWildcard(module))) return true;
  if (/[*?]/.test(pattern) && [...known].some(compileWildcard(pattern))) return true;
  return module !== undefined && modules === undefined && !knownModules.has(module);
}

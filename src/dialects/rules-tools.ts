/** Patterns of tool names that no known tool has: a warning, because servers and modules may have tools that nobody knows of here (D39). */
import { compileWildcard } from "../core/glob.ts";
import { didYouMean } from "../core/nearest.ts";
import { allModuleNames, toolClassNames } from "../core/tools.ts";
import type { Node } from "./json-tree.ts";
import type { Typed } from "./rules-parameters.ts";
import { knownTools, nativeTools } from "./tool-names.ts";
import type { RuleReport } from "./yaml-nodes.ts";

const known: ReadonlySet<string> = new Set([...knownTools, ...nativeTools, ...allModuleNames, ...toolClassNames]);
const knownModules: ReadonlySet<string> = new Set(allModuleNames.map((name) => name.slice(0, name.indexOf("."))));

interface ToolContext {
  modules?: ReadonlySet<string>;
  report: RuleReport;
}

export function warnOfUnknownTools({ members }: Typed, context: ToolContext): void {
  const match = members.get("match")?.value;
  if (!match) return;
  for (const node of match.type === "array" ? (match.children ?? []) : [match]) warnAt(node, context);
}

function warnAt(node: Node, { modules, report }: ToolContext): void {
  for (const pattern of String(node.value).split("|")) {
    const name = pattern.trim();
    if (name === "" || mayExist(name, modules)) continue;
    const suggestion = didYouMean(name, known);
    report(node.offset, {
      severity: "warning",
      code: "unknown-tool",
      message: `no known tool is called "${name}", so it may match nothing`,
      ...(suggestion ? { suggestion } : {}),
    });
  }
}

function mayExist(name: string, modules: ReadonlySet<string> | undefined): boolean {
  if (known.has(name) || name.startsWith("mcp__") || name.includes("[")) return true;
  const dot = name.indexOf(".");
  const module = dot === -1 ? undefined : name.slice(0, dot);
  if (module !== undefined && modules?.has(module)) return true;
  if (/[*?]/.test(name)) {
    const holds = compileWildcard(name);
    if ([...known].some(holds)) return true;
  }
  return module !== undefined && modules === undefined && !knownModules.has(module);
}

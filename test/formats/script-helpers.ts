/** How the tests of the script dialect compile one text: as an executable file of a project. */
import { join } from "node:path";
import { loadPatterns } from "../../src/conditions/patterns.ts";
import type { Hook, Origin, Problem } from "../../src/engine/hook.ts";
import type { Patterns } from "../../src/engine/ports.ts";
import { type CompiledScript, compileScript, type ScriptFacts } from "../../src/formats/scripts/script.ts";

export const patterns: Patterns = await loadPatterns();
export const fixtures: string = join(import.meta.dirname, "../fixtures/scripts");

export function compile(
  text: string,
  { name = "go-fmt.sh", ...facts }: ScriptFacts & { name?: string } = { isExecutable: true },
): CompiledScript {
  const origin: Origin = {
    dialect: "script",
    layer: "project",
    file: `/project/.discobot/hooks/${name}`,
    root: "/project",
  };
  const all = { isExecutable: true, ...facts };
  return compileScript(text, all, origin, { label: `.discobot/hooks/${name}`, family: "discobot", patterns });
}

/** A script with these lines between its delimiters. */
export const script = (...lines: string[]): string =>
  `#!/bin/bash\n#---\n${lines.map((line) => `# ${line}\n`).join("")}#---\ntrue\n`;

export function only({ hooks, problems }: CompiledScript): Hook {
  const [hook] = hooks;
  if (!hook || hooks.length > 1) throw new Error(`expected one hook, got ${hooks.length}: ${JSON.stringify(problems)}`);
  return hook;
}
export const said = (compiled: CompiledScript): Hook["steps"][0]["with"] => only(compiled).steps[0].with;
/** line:column severity code */
export const found = ({ problems }: { problems: readonly Problem[] }): string[] =>
  problems.map(({ line, column, severity, code }) => `${line}:${column} ${severity} ${code}`);

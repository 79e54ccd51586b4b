/** Lines with placeholders as handlers run them: each is read once. Apart, because the reader is loaded only where a line holds one. */
import type { MaybePromise } from "../core/event.ts";
import type { ShellTemplate, TemplateFault } from "../core/ports.ts";
import { isTemplate } from "./values.ts";

/** undefined: there is nothing to fill in. */
export type ReadLine = ShellTemplate | TemplateFault[] | undefined;

/** Hooks and automations have few lines, and their values do not stand in them. */
const remembered = 500;

export function createLineReader(): (line: string) => MaybePromise<ReadLine> {
  const known = new Map<string, ReadLine>();
  return (line) => {
    if (known.has(line)) return known.get(line);
    return isTemplate(line) ? read(line) : undefined;
  };

  async function read(line: string): Promise<ReadLine> {
    const { compileShellTemplate } = await import("./template.ts");
    if (known.size >= remembered) known.clear();
    const template = compileShellTemplate(line);
    known.set(line, template);
    return template;
  }
}

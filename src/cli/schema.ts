/** hookline schema: the JSON Schema of a format, for editors and other tools, with what this project has registered. */
import { HooklineError } from "../core/error.ts";
import { nearest } from "../core/nearest.ts";
import { rulesSchema } from "../dialects/rules-schema.ts";
import type { ExitCode, Invocation } from "./command.ts";
import { registryAt } from "./line.ts";

/** Each format by its name on the command line, and what its files are. */
export const formats = {
  rules: { kind: "rules", files: ".hookline/rules/*.yaml" },
  app: { kind: "app", files: ".hookline/app.yaml and those that `apps` names" },
  config: { kind: "config", files: "hookline.yaml" },
} as const;

export async function schema(invocation: Invocation): Promise<ExitCode> {
  const [written = ""] = invocation.words;
  const format = Object.hasOwn(formats, written) ? formats[written as keyof typeof formats] : undefined; // a key of the table
  if (!format) {
    const near = nearest(written, Object.keys(formats));
    throw new HooklineError("usage", {
      what: written === "" ? "the format's name is missing" : `no format is called "${written}"`,
      where: `hookline ${invocation.usage}`,
      advice: near ? `did you mean "${near}"?` : `choose ${Object.keys(formats).join(", ")}`,
    });
  }
  invocation.terminal.print(JSON.stringify(rulesSchema(await registryAt(invocation), format.kind), null, 2));
  return 0;
}

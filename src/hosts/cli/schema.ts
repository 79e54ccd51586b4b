/** hookline schema: the JSON Schema of a format, for editors and other tools, with what this project has registered. */
import { HooklineError } from "../../engine/error.ts";
import type { Fields } from "../../engine/event.ts";
import { nearest } from "../../engine/nearest.ts";
import type { Registry } from "../../engine/ports.ts";
import { automationSchema, rulesSchema } from "../../formats/json-schema.ts";
import type { ExitCode, Invocation } from "./command.ts";
import { registryAt } from "./loaded.ts";

interface Format {
  make(registry: Registry): Fields;
  files: string;
}

/** Each format by its name on the command line, and what its files are. */
export const formats: Readonly<Record<string, Format>> = {
  rules: { make: (registry) => rulesSchema(registry, "rules"), files: ".hookline/rules/*.yaml" },
  app: { make: (registry) => rulesSchema(registry, "app"), files: ".hookline/app.yaml and those that `apps` names" },
  config: { make: (registry) => rulesSchema(registry, "config"), files: "hookline.yaml" },
  automation: { make: automationSchema, files: ".hookline/automations/*.yaml" },
};

export async function schema(invocation: Invocation): Promise<ExitCode> {
  const [written = ""] = invocation.words;
  const format = Object.hasOwn(formats, written) ? formats[written] : undefined;
  if (!format) {
    const near = nearest(written, Object.keys(formats));
    throw new HooklineError("usage", {
      what: written === "" ? "the format's name is missing" : `no format is called "${written}"`,
      where: `hookline ${invocation.usage}`,
      advice: near ? `did you mean "${near}"?` : `choose ${Object.keys(formats).join(", ")}`,
    });
  }
  invocation.terminal.print(JSON.stringify(format.make(await registryAt(invocation)), null, 2));
  return 0;
}

/** hookline schema: the JSON Schema of a file format, with what this project has registered. */
import { HooklineError } from "../../../engine/error.ts";
import { nearest } from "../../../engine/nearest.ts";
import { formats, schemaText } from "../../../formats/schemas.ts";
import type { ExitCode, Invocation } from "../command.ts";
import { registryAt } from "../loaded.ts";

export async function schema(invocation: Invocation): Promise<ExitCode> {
  const [written = ""] = invocation.words;
  const format = Object.hasOwn(formats, written) ? formats[written] : undefined;
  if (!format) {
    const near = nearest(written, Object.keys(formats));
    throw new HooklineError("usage", {
      what: written === "" ? "missing argument FORMAT" : `no format is called "${written}"`,
      where: `hookline ${invocation.usage}`,
      advice: near ? `did you mean "${near}"?` : `choose ${Object.keys(formats).join(", ")}`,
    });
  }
  invocation.terminal.print(schemaText(format, await registryAt(invocation)).trimEnd());
  return 0;
}

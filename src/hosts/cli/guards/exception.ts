/** A person's exception for one call, written into the rule that refused it: as an author would write it, and only where it surely holds. */
import { statSync } from "node:fs";
import { homedir } from "node:os";
import { loadPatterns } from "../../../conditions/patterns.ts";
import type { Fields, HookEvent } from "../../../engine/event.ts";
import { textField } from "../../../engine/event.ts";
import { compileExempt } from "../../../engine/exception.ts";
import type { Hook } from "../../../engine/hook.ts";
import { isRecord } from "../../../engine/schema.ts";
import { textAt } from "../../../files/regular-file.ts";
import { writeWhole } from "../../../files/write.ts";
import type { Loaded } from "../../../loading/loading.ts";

export interface Exception {
  pattern: string;
  file: string;
  line: number;
}

/** Why none can be written, for a person. */
export interface NoException {
  because: string;
}

/** A call by the letter. Undefined: no pattern means this call and no other. */
async function patternOf({ data, cwd }: HookEvent): Promise<string | undefined> {
  const tool = textField(data, "tool_name");
  const input = isRecord(data.tool_input) ? (data.tool_input as Fields) : undefined; // payloads are JSON
  if (tool === undefined || input === undefined) return undefined;
  const said = textField(input, "command") ?? textField(input, "file_path");
  if (said === undefined || /[\n\r]/.test(said)) return undefined;
  const pattern = `${tool}(${said.replaceAll("*", "\\*")})`;
  try {
    const isExempt = compileExempt([pattern], await loadPatterns());
    return isExempt({ names: [tool], input, cwd, root: cwd, home: homedir() }) ? pattern : undefined;
  } catch {
    return undefined; // no pattern can be made of such a text
  }
}

/**
 * Writes the exception into the rule's file, and takes it back where the file then no longer reads as before.
 *
 * @param reload what is active, as the files are now
 */
export async function writeException(
  hook: Hook | undefined,
  event: HookEvent,
  reload: () => Promise<Pick<Loaded, "problems">>,
): Promise<Exception | NoException> {
  const { file, line, dialect } = hook?.origin ?? {};
  if (hook === undefined || file === undefined || line === undefined || dialect !== "rules")
    return { because: "the guard is in no rules file" };
  const byHand = `write it by hand, as unless: in ${file}:${line}`;
  const pattern = await patternOf(event);
  if (pattern === undefined) return { because: `no pattern means this call alone: ${byHand}` };
  const before = textAt(file);
  if (before === undefined) return { because: `it cannot be read: ${byHand}` };
  const lines = before.split("\n");
  const [, dash, name] = /^(\s*-\s+)(id:\s+[\w.-]+\s*)$/.exec(lines[line - 1] ?? "") ?? [];
  const end = lines.findIndex((text, at) => at >= line && /\S/.test(text) && indentOf(text) < (dash ?? "").length);
  const own = lines.slice(line, end < 0 ? undefined : end);
  if (dash === undefined || name === undefined || own.some((text) => /^\s*unless:/.test(text)))
    return { because: `the rule is not written so that a line could be added: ${byHand}` };
  lines.splice(line, 0, `${" ".repeat(dash.length)}unless: ${JSON.stringify(pattern)}`);
  const mode = statSync(file).mode & 0o777;
  writeWhole(file, lines.join("\n"), { mode });
  const isWorse = (await reload()).problems.some((one) => one.file === file && one.severity === "error");
  if (!isWorse) return { pattern, file, line: line + 1 };
  writeWhole(file, before, { mode });
  return { because: `the file would no longer be valid: ${byHand}` };
}

const indentOf = (text: string): number => text.length - text.trimStart().length;

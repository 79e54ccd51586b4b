/** What an event is about, as a person would name it: the command, the file, the prompt. */
import { type Fields, textField } from "../engine/event.ts";
import { shortened } from "../engine/one-line.ts";
import { fieldsIn } from "../engine/schema.ts";

const longest = 400;

/** First match, in the tool's input before the event's own fields. */
const subjects = ["command", "file_path", "path", "url", "pattern", "prompt", "message", "source", "reason"] as const;

/** Empty: nothing of it has a name. */
export function subjectOf(data: Fields): string {
  const input = fieldsIn(data.tool_input);
  for (const key of subjects) {
    const said = textField(input, key) ?? textField(data, key);
    if (said !== undefined && said !== "") return shortened(said, longest);
  }
  const files = data.changed_files ?? data.files;
  return Array.isArray(files) ? shortened(files.join(", "), longest) : "";
}

/** The call of a tool, else the prompt; undefined: it is neither. */
export function callOf(data: Fields): string | undefined {
  const tool = textField(data, "tool_name");
  const prompt = textField(data, "prompt");
  if (tool === undefined) return prompt === undefined ? undefined : shortened(prompt, longest);
  const said = subjectOf({ tool_input: data.tool_input ?? {} }) || JSON.stringify(data.tool_input ?? {});
  return said === "{}" ? tool : shortened(`${tool}: ${said}`, longest);
}

/** All texts that an ability is given, for tests on them. */
import { type Fields, type Json, textField } from "../core/event.ts";

/** What the host says of it, and each text in the tool's input, however deep. */
export function inputTexts(data: Fields): string[] {
  const said = [textField(data, "planned_input_summary"), textField(data, "input_summary")];
  const texts = [...said.filter((one) => one !== undefined), ...textsIn(data.tool_input)];
  return [...new Set(texts)].filter((one) => one !== "");
}

function textsIn(value: Json | undefined): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}

/** What a program printed, as text for a reader who has no terminal: its control sequences would be noise, or worse. */

/** One that is not ended is no reason to lose the lines behind it. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const sequences = /\u001b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\u0007\u001b\n]*(?:\u0007|\u001b\\)?|[ -/]*[0-~])/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the same
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** Without terminal sequences; of a line that was written over and over, as progress is, the last state. */
export const plainText = (printed: string): string =>
  printed.replace(sequences, "").replaceAll("\r\n", "\n").split("\n").map(lastState).join("\n").replace(controls, "");

function lastState(line: string): string {
  if (!line.includes("\r")) return line;
  return line.split("\r").findLast((state) => state !== "") ?? "";
}

/** A name that has to stay on its line. */
export const onOneLine = (name: string): string => (/[\p{Cc}\u2028\u2029]/u.test(name) ? JSON.stringify(name) : name);

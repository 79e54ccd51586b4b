/** git runs programs by aliases, settings and options of its sub-commands. */
import { type Call, linesIn, readLine } from "./call.ts";
import { isUnknown } from "./expand.ts";
import { readOptions } from "./options.ts";
import { gitLineOptions, gitOptions, gitPlainSettings } from "./programs.ts";
import { giveUp } from "./tree.ts";

/** Also records the command without the options before its sub-command. */
export function git(words: readonly string[], call: Call): void {
  const { given, rest, stops } = readOptions(words, gitOptions);
  if (stops) return;
  if (given.some(({ name }) => name === "--config-env")) giveUp();
  const aliases = new Map<string, string>();
  for (const { name, value } of given) if (name === "c") gitSetting(value, aliases, call);
  const [command = "", ...operands] = rest;
  if (given.length > 0 && rest.length > 0) call.reading.found.push(["git", ...rest]);
  const alias = aliases.get(`alias.${command}`.toLowerCase());
  if (alias !== undefined)
    readLine(`git ${alias} ${operands.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ")}`, call);
  if (command === "config")
    gitSetting(
      operands
        .filter((word) => !word.startsWith("-"))
        .slice(0, 2)
        .join("="),
      new Map(),
      call,
    );
  if (command === "bisect" && operands[0] === "run")
    call.reading.command(operands.slice(1), { ...call, direct: false });
  if (command === "submodule" && operands.includes("foreach")) {
    const script = operands.slice(operands.indexOf("foreach") + 1).filter((word) => !word.startsWith("-"));
    readLine(script.join(" "), call);
  }
  if (
    operands.some((word) => /^ext::|^--config(=|$)|^-c$/.test(word)) &&
    ["clone", "fetch", "pull", "push", "ls-remote"].includes(command)
  )
    giveUp();
  const options = Object.hasOwn(gitLineOptions, command) ? gitLineOptions[command] : undefined;
  for (const line of linesIn([command, ...operands], options)) readLine(line, call);
}

/** `-c alias.x=!program`, `-c core.pager=program`. */
function gitSetting(setting: string, aliases: Map<string, string>, call: Call): void {
  const equals = setting.indexOf("=");
  const name = equals < 0 ? setting : setting.slice(0, equals);
  const value = equals < 0 ? "" : setting.slice(equals + 1);
  if (isUnknown(name)) giveUp();
  if (value === "" || gitPlainSettings.test(name)) return;
  if (isUnknown(value) || /^include/i.test(name)) giveUp();
  if (/^alias\./i.test(name) && !value.startsWith("!")) {
    aliases.set(name.toLowerCase(), value);
    if (call.reading.found.length < 10_000) readLine(`git ${value}`, call);
  } else readLine(value.replace(/^!/, ""), call);
}

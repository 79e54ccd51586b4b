/** Terminals in terminals: what tmux and screen start in a window, and what they type into one. */
import { isUnknown } from "./expand.ts";
import { lookUp } from "./option-words.ts";
import { readOptions } from "./options.ts";
import { programOf } from "./programs.ts";
import { type Call, cannotTell, noteRuns, readLine } from "./shell.ts";

type Words = readonly string[];
type Own = (words: Words, call: Call) => void;

const aside = (call: Call): Call => ({ ...call, direct: false });

const tmuxOpaque =
  /^(source|source-file|set-hook|bind|bind-key|confirm-before|command-prompt|choose-\w+|default-command)$/;

const rowOfTmux = programOf("tmux");

/** `tmux new -d 'npm run dev'`: one word behind the options is a line, several are a command. */
export const tmux: Own = (words, call) => {
  const { reading } = call;
  const { given, rest, fault, stops } = readOptions(words, rowOfTmux);
  if (stops) return;
  if (fault !== undefined) return noteRuns(reading, cannotTell(`tmux ${fault}`));
  for (const { name, value } of given) if (name === "c") readLine(value, call);
  for (const part of splitAt(rest, ";")) tmuxCommand(part, call);
};

function tmuxCommand([written = "", ...operands]: Words, call: Call): void {
  const { reading } = call;
  const { aliases = {}, subcommands = {} } = rowOfTmux;
  const name = lookUp(aliases, written) ?? nameFor(written, Object.keys(subcommands)) ?? written;
  if (name === "send-keys") {
    sendKeys(operands, call);
    return;
  }
  const isOpaque = isUnknown(written) || tmuxOpaque.test(name) || operands.some((word) => tmuxOpaque.test(word));
  if (isOpaque) {
    noteRuns(reading, cannotTell(`tmux ${[written, ...operands].join(" ")}`));
    return;
  }
  if (!Object.hasOwn(subcommands, name)) return;
  const { rest, fault } = readOptions([name, ...operands], rowOfTmux, { subcommand: name });
  if (fault !== undefined) {
    noteRuns(reading, cannotTell(`tmux ${written} ${fault}`));
    return;
  }
  if (name === "if-shell") {
    const [test = "", ...commands] = rest;
    readLine(test, call);
    for (const command of commands) tmuxCommand(command.split(" "), call);
  } else if (rest.length === 1) readLine(rest[0] ?? "", call);
  else reading.command(rest, { ...aside(call), source: `tmux ${written}` });
}

const nameFor = (written: string, all: Words): string | undefined =>
  written.length > 2 ? all.find((name) => name.startsWith(written)) : undefined;

function splitAt(words: Words, sign: string): string[][] {
  const parts: string[][] = [[]];
  for (const word of words) {
    if (word === sign) parts.push([]);
    else parts.at(-1)?.push(word);
  }
  return parts.filter((part) => part.length > 0);
}

/** What is typed into a terminal is read as a line for the shell in it. */
function sendKeys(operands: Words, call: Call): void {
  const { rest } = readOptions(["send-keys", ...operands], rowOfTmux, { subcommand: "send-keys" });
  const keys = rest.filter(
    (word) => !/^(Enter|KPEnter|C-[a-z]|M-.|Escape|Tab|Space|Up|Down|Left|Right|BSpace)$/i.test(word),
  );
  const text = keys.join(" ");
  if (text !== "") readLine(text, call);
}

export const screen: Own = (words, call) => {
  const at = words.indexOf("-X");
  if (at > 0) {
    const [command = "", ...rest] = words.slice(at + 1);
    if (command === "stuff") return readLine((rest[0] ?? "").replace(/\\[nr]|\^M/g, "\n"), call);
    if (/^(quit|kill|hardcopy|log|logfile|title|number|wipe)$/.test(command)) return;
    if (/^(screen|exec)$/.test(command)) return call.reading.command(rest, aside(call));
    return noteRuns(call.reading, cannotTell(words.join(" ")));
  }
  const { rest, fault } = readOptions(words, programOf("screen"));
  const isDetached = /^-[dDrRx]/.test(words[1] ?? "") && !words.some((word) => /m/.test(word) && /^-\w+$/.test(word));
  if (fault !== undefined) return noteRuns(call.reading, cannotTell(words.join(" ")));
  if (!isDetached) call.reading.command(rest, { ...aside(call), source: "screen" });
};

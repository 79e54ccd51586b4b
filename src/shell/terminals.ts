/** Terminals in terminals: what tmux and screen start in a window, and what they type into one. */
import { isUnknown } from "./expand.ts";
import { readOptions } from "./options.ts";
import { type Call, cannotTell, noteRuns, readLine } from "./shell.ts";

type Words = readonly string[];
type Own = (words: Words, call: Call) => void;

const aside = (call: Call): Call => ({ ...call, direct: false });

/** `tmux new -d 'npm run dev'`: one word behind the options is a line, several are a command. */
const tmuxCommands: { readonly [name: string]: string } = {
  "new-session": "A d D E P X c: e: f: F: n: s: t: x: y:",
  "new-window": "a b d k P S c: e: F: n: t:",
  "split-window": "b d f h I v P Z c: e: l: p: t: F:",
  "respawn-pane": "k c: e: t:",
  "respawn-window": "k c: e: t:",
  "run-shell": "b C c: d: t:",
  "pipe-pane": "I O o t:",
  "display-popup": "B C E b: c: d: e: h: s: S: t: T: w: x: y:",
  "if-shell": "b F t:",
};
/** Short names that are not the beginning of one name alone. */
const tmuxNames: { readonly [short: string]: string } = {
  new: "new-session",
  neww: "new-window",
  splitw: "split-window",
  respawnp: "respawn-pane",
  respawnw: "respawn-window",
  run: "run-shell",
  pipep: "pipe-pane",
  popup: "display-popup",
  if: "if-shell",
  send: "send-keys",
};
const tmuxOpaque =
  /^(source|source-file|set-hook|bind|bind-key|confirm-before|command-prompt|choose-\w+|default-command)$/;

export const tmux: Own = (words, call) => {
  const { reading } = call;
  const { rest, fault, stops } = readOptions(words, "2 8 C D l N q u v V! h! c$ f: L: S: T:");
  if (stops) return;
  if (fault !== undefined) return noteRuns(reading, cannotTell(`tmux ${fault}`));
  for (const part of splitAt(rest, ";")) tmuxCommand(part, call);
};

function tmuxCommand([written = "", ...operands]: Words, call: Call): void {
  const { reading } = call;
  const name = tmuxNames[written] ?? nameFor(written, [...Object.keys(tmuxCommands), "send-keys"]) ?? written;
  if (name === "send-keys") {
    sendKeys(operands, call);
    return;
  }
  const isOpaque = isUnknown(written) || tmuxOpaque.test(name) || operands.some((word) => tmuxOpaque.test(word));
  if (isOpaque) {
    noteRuns(reading, cannotTell(`tmux ${[written, ...operands].join(" ")}`));
    return;
  }
  const table = Object.hasOwn(tmuxCommands, name) ? tmuxCommands[name] : undefined;
  if (table === undefined) return;
  const { rest, fault } = readOptions([name, ...operands], table);
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
  const { rest } = readOptions(["send-keys", ...operands], "F H K l M R X c: N: t:");
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
  const { rest, fault } = readOptions(
    words,
    "A a d D i l L m O q r R u U v x ls list c: e: h: p: s: S: t: T: Logfile:",
  );
  const isDetached = /^-[dDrRx]/.test(words[1] ?? "") && !words.some((word) => /m/.test(word) && /^-\w+$/.test(word));
  if (fault !== undefined) return noteRuns(call.reading, cannotTell(words.join(" ")));
  if (!isDetached) call.reading.command(rest, { ...aside(call), source: "screen" });
};

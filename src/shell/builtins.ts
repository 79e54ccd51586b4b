/** Builtins of the shell that change what the rest of the line means, or run what they are given as text. */
import { baseName } from "../engine/pattern.ts";
import { across, blanks, isUnknown, mayVanish, mentionedIn, textOf, unknownPath, within } from "./expand.ts";
import { pathIn, printed } from "./made.ts";
import { linesIn } from "./options.ts";
import { forgetPossible } from "./possible.ts";
import { textOfFile } from "./script-files.ts";
import { printSettings } from "./settings-programs.ts";
import {
  type Call,
  cannotTell,
  checkText,
  everyName,
  forgetElements,
  forget as forgetNames,
  newShell,
  noteRuns,
  readLine,
  type Shell,
  setFolder,
  setVariable,
  suffixesOf,
} from "./shell.ts";
import { checkVariable } from "./wrappers.ts";

type Own = (words: readonly string[], call: Call) => void;

const identifier = /^[A-Za-z_]\w*/;

/** These may set any variable that they name. */
const forget: Own = (words, { shell, reading }) => {
  for (const word of words.slice(1)) {
    checkText(word, reading);
    if (isUnknown(word)) shell.variables.clear();
    if (/^-\w/.test(word)) for (const attached of suffixesOf(word.slice(1))) shell.variables.delete(attached);
    const name = identifier.exec(word.replace(/^-v/, ""))?.[0];
    if (name === undefined) continue;
    if (name === "PATH") reading.changesPath = true;
    for (const one of mentionedIn(name)) reading.mentioned.add(one);
    forgetElements(name, shell.variables);
    forgetPossible(name, shell.variables);
    shell.variables.delete(name);
    if (words[0] === "unset" && shell.functions.has(name)) shell.functions.set(name, "unsure");
  }
};

/** `read -r a b <<< text`: of one line that is known, each name has its words. */
const read: Own = (words, call) => {
  forget(words, call);
  const { input, shell, direct } = call;
  const names = words.slice(1).filter((word) => word !== "-r");
  if (!direct || typeof input !== "object" || !names.every((name) => /^[A-Za-z_]\w*$/.test(name))) return;
  const [line = ""] = input.text.split("\n", 1);
  if (isUnknown(line) || line.includes("\\") || shell.variables.get("IFS") !== blanks) return;
  let rest = line.trim();
  for (const [index, name] of names.entries()) {
    const [, word = "", behind = ""] = /^(\S*)\s*([\s\S]*)$/.exec(rest) ?? [];
    setVariable(name, index === names.length - 1 ? rest : word, call);
    rest = behind;
  }
};

const declare: Own = (words, call) => {
  const [program = "", ...operands] = words;
  const letters = operands.filter((word) => /^[-+]/.test(word)).join("");
  const isExport = baseName(program) === "export";
  if (/n/.test(letters) && !isExport) noteRuns(call.reading, cannotTell(words.join(" ")));
  // Other shells know no declare and no typeset, and leave the variable as it was.
  const isKnown = call.shell.isBash || /^(?:export|readonly|local)$/.test(baseName(program));
  const isPlain = call.direct && isKnown && !/[aAilu]/.test(letters);
  const isList = /[aA]/.test(letters);
  for (const word of operands.filter((one) => !/^[-+]/.test(one))) {
    const [, name, value] = /^(\w+)=([\s\S]*)$/.exec(word) ?? [];
    if (isUnknown(word.slice(0, 1))) call.shell.variables.clear();
    if (name === undefined || value === undefined) {
      checkText(word, call.reading);
      if (!isExport && baseName(program) !== "readonly") call.shell.variables.delete(word);
      continue;
    }
    checkVariable(name, value, call);
    checkText(value, call.reading);
    // The text of a list is read as the line has it: declare -a 'x=($(rm y))'.
    if (isList && /^\(.*[$`]/s.test(value)) noteRuns(call.reading, cannotTell(words.join(" ")));
    setVariable(name, isPlain ? value : undefined, call);
  }
};

/** What set-up files and settings leave as it was. */
const kept = ["PWD", "HOME", "IFS"];

function forgetSettings({ variables }: Shell): void {
  const before = kept.flatMap((name) => {
    const value = textOf(variables, name);
    return value === undefined ? [] : [[name, value] as const];
  });
  variables.clear();
  for (const [name, value] of before) variables.set(name, value);
}

const evaluate: Own = (words, call) => {
  const { shell, reading, given } = call;
  const text = words.slice(words[1] === "--" ? 2 : 1).join(" ");
  if (!isUnknown(text)) return reading.line(text, sameShell(call));
  if (/^\0+$/.test(text.trim()) && printSettings(given.map((index) => reading.found[index])))
    return forgetSettings(shell);
  noteRuns(reading, cannotTell(words.join(" ")));
  shell.variables.clear();
};

const sameShell = ({ shell, input, from, by, prints }: Call): Shell => ({
  ...shell,
  input,
  from,
  ...(by === undefined ? {} : { by }),
  ...(prints ? {} : { output: [] }),
});

function setAtAnyTime(names: ReadonlySet<string>, { reading, shell }: Pick<Call, "reading" | "shell">): void {
  for (const name of names) reading.unsteady.add(name);
  forgetNames(names, shell);
}

const trap: Own = (words, call) => {
  const { reading } = call;
  const operands = words.slice(1).filter((word, index) => !(index === 0 && word === "--"));
  const [action = "-"] = operands;
  if (operands.length < 2 || /^(-.*|\d+)$/.test(action) || action === "") return;
  if (isUnknown(action)) return noteRuns(reading, cannotTell(words.join(" ")));
  setAtAnyTime(reading.assignedBy(action), call);
  // It runs in this shell, which splits words as it does then.
  if (reading.mentioned.has("IFS") && /\$/.test(action)) noteRuns(reading, cannotTell(words.join(" ")));
  readLine(action, { ...call, input: "fed" }, { isBash: call.shell.isBash });
};

/** Set-up files by their names: they set variables and functions, and stay in the folder. */
const setUp =
  /(^|\/)(activate|env|\.env[\w.]*|nvm\.sh|asdf\.sh|bash_completion|sdkman-init\.sh|[\w.-]*env[\w.-]*\.sh|set(up|env)[\w.-]*\.(sh|bash)|\.?(bash|zsh)?rc|\.(bash_|zsh)?(profile|env|aliases|login)|profile|conda\.sh|emsdk_env\.sh|git-completion\.bash)$/;

const source: Own = (words, call) => {
  const { reading, shell, given } = call;
  const [operand, ...args] = words.slice(words[1] === "--" ? 2 : 1);
  if (operand === undefined) return;
  const isGiven = /^\/dev\/fd\/\0$/.test(operand);
  if (isGiven && printSettings(given.map((index) => reading.found[index]))) return forgetSettings(shell);
  const text = textOfFile(operand, call);
  if (text === "unknown") noteRuns(reading, cannotTell(words.join(" ")));
  else if (text !== "elsewhere") {
    const own = sameShell(call);
    if (args.length > 0) own.variables.set("@", args);
    return reading.line(text.text, own);
  }
  if (setUp.test(operand)) forgetSettings(shell);
  else shell.variables.clear();
};

/** `alias x='…'` runs nothing; `x` behind it does. */
const alias: Own = (words, { reading, shell }) => {
  for (const word of words.slice(1)) {
    const [, name, text] = /^([^=\s]+)=([\s\S]*)$/.exec(word) ?? [];
    if (name === undefined || text === undefined) continue;
    // A line that is read already has the earlier text of the alias.
    const isOther = (reading.aliases.get(name) ?? text) !== text;
    if (isUnknown(word) || isOther || /\n|(?:^|\s)#/.test(text)) noteRuns(reading, cannotTell(`alias ${word}`));
    else {
      reading.aliases.set(name, text);
      setAtAnyTime(reading.assignedBy(text), { reading, shell });
    }
  }
};

const set: Own = (words, { shell, direct, reading }) => {
  // Variables are then set from words behind the program, too.
  if (words.some((word, index) => /^-\w*k|^keyword$/.test(word) && words.indexOf("--") < 0 && index > 0))
    noteRuns(reading, cannotTell(words.join(" ")));
  const at = words.indexOf("--");
  const operands = at < 0 ? [] : words.slice(at + 1);
  const isOptions =
    at < 0 && words.slice(1).every((word, index) => /^[-+]/.test(word) || /^[-+]\w*o$/.test(words[index] ?? ""));
  if (isOptions) return;
  if (at < 0 || !direct || operands.some(mayVanish)) shell.variables.delete("@");
  else shell.variables.set("@", operands);
};

const shift: Own = (words, { shell }) => {
  const args = shell.variables.get("@");
  const count = words[1] === undefined ? 1 : Number(words[1]);
  if (typeof args === "object" && Number.isInteger(count) && words.length < 3)
    shell.variables.set("@", args.slice(count));
  else shell.variables.delete("@");
};

function cd(words: readonly string[], call: Call): void {
  if (!call.direct) return;
  const { shell } = call;
  const operands = words.slice(1).filter((word) => !/^-[LPe@]+$/.test(word) && word !== "--");
  const [target = textOf(shell.variables, "HOME")] = operands;
  const path = target === "-" ? textOf(shell.variables, "OLDPWD") : target;
  setFolder(operands.length > 1 ? undefined : absolute(path, shell), call);
}

/** What `mktemp -d` prints. */
const madeFolder = `/tmp/${within}`;

function absolute(path: string | undefined, { variables }: Shell): string | undefined {
  if (path === madeFolder || (`${path}/`.startsWith(unknownPath) && isNear(`${path}/`))) return path;
  if (path === undefined || path === "" || isUnknown(path) || mayLeadUp.test(path)) return undefined;
  const isSearched = !/^\.{0,2}(?:\/|$)/.test(path) && variables.get("CDPATH");
  const folder = textOf(variables, "PWD");
  // One folder that is not this one: the shell looks there first.
  if (typeof isSearched === "string" && isSearched !== "")
    return /^\/[^:\0]*$/.test(isSearched) ? pathIn(isSearched, path) : undefined;
  if (!path.startsWith("/") && folder === undefined) return undefined;
  return pathIn(folder, path);
}

/** `$(npm root -g)`: of a folder that another program tells, the names below are known. */
const isNear = (path: string): boolean => !/[*?[]|\/\.\.\//.test(path) && !isUnknown(path.slice(unknownPath.length));

/** `.*` may be the folder above. */
const mayLeadUp = /(?:^|\/)(?:\.[*?[]|[*?[]\.|[*?[]{2})[^/]*(?:\/|$)/;

/** The folders that popd goes back to are a list that no variable of a line is called. */
const stack = "dirs()";

const pushd: Own = (words, call) => {
  if (!call.direct) return;
  if (!call.shell.isBash) return setFolder(undefined, call); // other shells may not know it
  const { variables } = call.shell;
  const before = textOf(variables, "PWD");
  const rest = variables.get(stack) ?? [];
  const [target] = words.slice(1);
  if (target === undefined || /^[-+]/.test(target)) {
    variables.delete(stack);
    return setFolder(undefined, call);
  }
  cd(words, call);
  if (before !== undefined && typeof rest === "object") variables.set(stack, [before, ...rest]);
};

const popd: Own = (words, call) => {
  if (!call.direct) return;
  const { variables } = call.shell;
  const list = variables.get(stack);
  const [last, ...rest] = typeof list === "object" && words.length === 1 ? list : [];
  variables.set(stack, rest);
  setFolder(last, call);
};

/** The shell adds words to the line that it is given: rm becomes rm 0 x. */
function readCallback(words: readonly string[], call: Call): void {
  for (const line of linesIn(words, ["-C"]))
    if (isUnknown(line)) noteRuns(call.reading, cannotTell(words.join(" ")));
    else call.reading.line(line, newShell(call), [across]);
}

const mapfile: Own = (words, call) => {
  readCallback(words, call);
  forget(words, call);
  const [option, name = "", ...more] = words.slice(1);
  const { input } = call;
  if (option !== "-t" || more.length > 0 || !/^[A-Za-z_]\w*$/.test(name) || typeof input !== "object") return;
  if (call.direct) setVariable(name, input.text.replace(/\n$/, "").split("\n"), call);
};

const compgen: Own = (words, call) => {
  readCallback(words, call);
  for (const [index, word] of words.entries()) {
    const value = /^-[A-Za-z]*W$/.test(word) ? words[index + 1] : undefined;
    if (value === undefined) continue;
    // It is expanded, never run as a list: what ends a command is text there, unless it stands in a substitution.
    if (isUnknown(value) || (/[$`]/.test(value) && /[;&|<>\n]/.test(value)))
      noteRuns(call.reading, cannotTell(words.join(" ")));
    else if (/[$`]/.test(value)) readLine(`: ${value}`, call);
  }
};

const hash: Own = (words, { reading }) => {
  const at = words.findIndex((word) => /^-[a-z]*p$/.test(word));
  if (at < 0) return;
  const [path, ...names] = words.slice(at + 1);
  if (path === undefined || [path, ...names].some(isUnknown)) return noteRuns(reading, cannotTell(words.join(" ")));
  for (const name of names) reading.hashed.set(name, path);
};

/** `-eq` and `-v` read arithmetic. */
const compare: Own = (words, { reading }) => {
  for (const word of words) checkText(word, reading);
};

const never =
  (option: RegExp): Own =>
  (words, { reading }) => {
    if (words.slice(1).some((word) => option.test(word) || isUnknown(word.slice(0, 1))))
      noteRuns(reading, cannotTell(words.join(" ")));
  };

export const builtins: { readonly [program: string]: Own } = {
  eval: evaluate,
  trap,
  source,
  ".": source,
  export: declare,
  declare,
  typeset: declare,
  local: declare,
  readonly: declare,
  read,
  mapfile,
  readarray: mapfile,
  getopts: forget,
  unset: forget,
  let: (words, { shell, reading }) => {
    for (const word of words) checkText(word, reading);
    reading.changesPath ||= words.some((word) => word.includes("PATH"));
    shell.variables.clear();
  },
  test: compare,
  "[": compare,
  printf: (words, call) => {
    if (!words[1]?.startsWith("-v")) return;
    forget(words, call);
    const [, option, name, ...rest] = words;
    if (option !== "-v" || name === undefined || !/^[A-Za-z_]\w*$/.test(name) || !call.direct) return;
    const command = { words: ["printf", ...rest], input: [], given: [], redirects: [] };
    setVariable(name, printed(command, call.reading), call);
  },
  wait: (words, call) => (words.includes("-p") ? forget(words, call) : undefined),
  alias,
  set,
  shift,
  cd,
  pushd,
  popd,
  compgen,
  hash,
  enable: never(/^-[a-z]*f/),
  complete: never(/^-[a-zA-Z]*C$/),
  bind: never(/^-[a-z]*x$/),
  fc: (words, { reading }) => {
    if (!words.some((word) => /^-[a-z]*l/.test(word))) noteRuns(reading, cannotTell(words.join(" ")));
  },
  shopt: (words, { reading, shell }) => {
    if (!words.includes("lastpipe")) return;
    reading.unsteady.add(everyName); // the last command of a pipe then sets variables here
    shell.variables.clear();
  },
};

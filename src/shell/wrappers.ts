/** Programs that run what their operands name, shells, and variables that hold a program: all by the table of programs. */
import { baseName } from "../engine/pattern.ts";
import { isUnknown, mayVanish, within } from "./expand.ts";
import { movedTo } from "./folders.ts";
import { pathIn } from "./made.ts";
import { readOptions } from "./options.ts";
import { type Program, programOf } from "./programs.ts";
import { readGivenFile, textOfFile } from "./script-files.ts";
import { type Call, cannotTell, folderOf, noteRuns, readLine, setFolder, shortened } from "./shell.ts";

/** Variables whose value is a shell line that another program will run. */
const lineVariables: RegExp =
  /^(GIT_(SSH_COMMAND|SSH|EDITOR|PAGER|SEQUENCE_EDITOR|EXTERNAL_DIFF|ASKPASS|PROXY_COMMAND)|EDITOR|VISUAL|PAGER|MANPAGER|BROWSER|SSH_ASKPASS|SUDO_ASKPASS|LESSOPEN|LESSCLOSE|FCEDIT|RSYNC_RSH|PROMPT_COMMAND|SHELL|CC|CXX)$/;
/** The same of build tools and of other programs. What one of them holds that only the shell will know is a program by far most often. */
const toolVariables: RegExp =
  /^(?:CPP|LD|AR|AS|FC|NM|RANLIB|STRIP|OBJCOPY|RUSTC|RUSTDOC|RUSTC(?:_WORKSPACE)?_WRAPPER|CARGO_BUILD_RUST\w+|CARGO_TARGET_\w+_(?:RUNNER|LINKER)|CMAKE_\w+_(?:COMPILER|LAUNCHER|LINKER)|CC_WRAPPER|CCACHE_PREFIX\w*|CCACHE_COMPILER|FZF_(?:DEFAULT|CTRL_T|ALT_C)_COMMAND|RSYNC_CONNECT_PROG|SVN_(?:SSH|EDITOR|MERGE)|CVS_RSH|CVSEDITOR|HG(?:EDITOR|MERGE)|[Nn][Pp][Mm]_[Cc][Oo][Nn][Ff][Ii][Gg]_(?:\w+_)?(?:shell|editor|viewer|browser)|\w+_(?:PAGER|EDITOR|ASKPASS|SHELL_COMMAND))$/;
/** Variables with options of a program. */
const optionVariables: { readonly [name: string]: string } = {
  FZF_DEFAULT_OPTS: "fzf",
  GOFLAGS: "go build",
  BAT_OPTS: "bat",
};
/** Variables that change what the rest of the line means. */
const opaqueVariables: RegExp =
  /^(SHELLOPTS|BASHOPTS|LD_PRELOAD|LD_AUDIT|DYLD_INSERT_LIBRARIES|GIT_CONFIG_(?:COUNT|KEY.*|VALUE.*|PARAMETERS)|GIT_EXEC_PATH|GIT_TEMPLATE_DIR|PERL5OPT|RUBYOPT|PYTHONSTARTUP|TAR_OPTIONS|BASH_FUNC.*|BASH_ALIASES|BASH_CMDS|PERL5DB)$/;
/** Variables with the name of a file that a shell reads first, or with a text in which it fills in what stands in `$( … )`. */
const startVariables: RegExp = /^(BASH_ENV|ENV|PS[0-4]|MAKEFLAGS|GIT_CONFIG(?:_GLOBAL|_SYSTEM)?)$/;

/** Another program runs what this variable holds. */
export const holdsLine = (variable: string): boolean => lineVariables.test(variable) || toolVariables.test(variable);

export function runWrapped(words: readonly string[], row: Program, outer: Call): void {
  const { reading } = outer;
  let options = readOptions(words, row);
  const operands = typeof row.runs === "number" ? row.runs : 0;
  const folder = options.given.findLast(({ name }) => name === row.folder)?.value;
  let call: Call = folder === undefined ? outer : movedTo(folder, outer);
  for (const line of options.lines) readLine(line, call);
  if (row.permutes && operands > 0) {
    // Other systems have the program behind the file: `script -q /dev/null ls`.
    const own = readOptions(words, row, { permutes: false }).rest.slice(operands);
    if (own.length > 0 && !own[0]?.startsWith("-")) reading.command(own, { ...call, direct: false });
  }
  if (options.fault !== undefined) {
    // Without one of its sub-commands it runs nothing of ours, whatever its options are.
    const mayRun = !row.after || words.some((word) => row.after?.includes(word) || isUnknown(word));
    if (mayRun) noteRuns(reading, cannotTell(`${words[0]} ${options.fault}`));
    return;
  }
  if (options.stops || row.permutes) return;
  if (row.after) {
    const [command] = options.rest;
    if (command === undefined) return;
    if (isUnknown(command)) {
      noteRuns(reading, cannotTell(words.join(" ")));
      return;
    }
    if (!row.after.includes(command)) return;
    options = readOptions(options.rest, row);
    for (const line of options.lines) readLine(line, call);
    if (options.fault !== undefined) {
      noteRuns(reading, cannotTell(`${words[0]} ${command} ${options.fault}`));
      return;
    }
    if (options.stops) return;
  }
  const dashes = row.dashes ? options.rest.indexOf("--") : -1;
  let rest = options.rest.slice(dashes + 1);
  for (let count = operands; count > 0; count--) {
    const [operand = "", ...others] = rest;
    if (mayVanish(operand)) {
      noteRuns(reading, cannotTell(words.join(" ")));
      return;
    }
    rest = others;
  }
  if (operands > 0 && /^(-c|--command)/.test(rest[0] ?? "")) rest = ["sh", "-c", ...rest.slice(1)];
  while (row.assignments && /^\w+=/.test(rest[0] ?? "")) {
    const [assignment = "", ...others] = rest;
    const equals = assignment.indexOf("=");
    if (mayVanish(assignment)) {
      noteRuns(reading, cannotTell(words.join(" ")));
      return;
    }
    checkVariable(assignment.slice(0, equals), assignment.slice(equals + 1), call);
    // It runs with a shell of its own, which knows the home folder.
    if (assignment.startsWith("HOME=")) call = withoutHome(call);
    rest = others;
  }
  if (row.lines) for (const line of rest) readLine(line, call);
  else if (row.line && rest.length > 0) readLine(rest.join(" "), call);
  else if (row.isBuiltin) {
    reading.command(rest, { ...call, bare: true });
    // Other shells know no `builtin`, and stay where they are.
    if (baseName(words[0] ?? "") === "builtin" && !call.shell.isBash && rest[0] === "cd") setFolder(undefined, call);
  } else reading.command(rest, { ...call, direct: false });
}

/** `bash -n script`. A word that is not known may be `+n`, and what follows it would run. */
function onlyLooks([, first, ...rest]: readonly string[], { input }: Call): boolean {
  const [file = ""] = rest;
  return (
    first === "-n" && rest.length < 2 && !mayVanish(file) && (!isUnknown(file.slice(0, 1)) || input === "inherited")
  );
}

function withoutHome(call: Call): Call {
  const variables = new Map(call.shell.variables);
  variables.delete("HOME");
  return { ...call, shell: { ...call.shell, variables } };
}

export function runShell(words: readonly string[], call: Call): void {
  const { reading } = call;
  const isBash = baseName(words[0] ?? "") === "bash";
  if (onlyLooks(words, call)) return;
  const { given, stops, rest, fault } = readOptions(words, programOf("bash"));
  if (fault !== undefined) {
    noteRuns(reading, cannotTell(`${words[0]} ${fault}`));
    return;
  }
  if (stops) return;
  for (const { name, value } of given) if (name === "init-file") readGivenFile(value, call);
  const [operand, ...others] = rest;
  if (given.some(({ name }) => name === "c")) {
    if (operand !== undefined) readLine(operand, call, { args: others.slice(1), zero: others[0], isBash });
    return;
  }
  if (operand !== undefined && !given.some(({ name }) => name === "s")) {
    if (mayVanish(operand) || (isUnknown(operand.slice(0, 1)) && others.length > 0)) {
      noteRuns(reading, cannotTell(words.join(" ")));
      return;
    }
    readGivenFile(operand, call, { args: others, isBash });
    return;
  }
  if (call.input === "fed") noteRuns(reading, `cannot tell what \`${shortened(words.join(" "))}\` is given to run`);
  if (typeof call.input === "object")
    readLine(call.input.text, { ...call, input: "inherited", from: [] }, { args: rest, isBash });
}

const mostStarts = 20;

/** Made before this line: what lies there is read as well. */
function readStartFile(name: string, path: string, call: Call): void {
  if (name === "MAKEFLAGS" || path === "/dev/null" || textOfFile(path, call) !== "elsewhere") return;
  const full = pathIn(folderOf(call), path);
  const text = full.startsWith("/") ? call.reading.textAt(full) : undefined;
  if (text === undefined || (name.startsWith("GIT_") && runsOfGit.test(text)))
    noteRuns(call.reading, `cannot tell what the variable ${name} runs`);
  else if (!name.startsWith("GIT_")) readLine(text, call);
}
/** Settings of git that run something. */
const runsOfGit =
  /^\s*\[\s*(?:alias|include|filter|credential)|^\s*(?:hookspath|sshcommand|editor|pager|fsmonitor|helper|external|textconv|command|driver|program|askpass|gitproxy)\s*=/im;

/** Variables given to a program can themselves be programs, or name what a shell reads first. */
export function checkVariable(name: string, value: string, place: Pick<Call, "reading" | "shell">): void {
  const { reading } = place;
  if (name === "PATH") reading.changesPath = true;
  if (opaqueVariables.test(name)) {
    noteRuns(reading, `cannot tell what the variable ${name} runs`);
    return;
  }
  const options = Object.hasOwn(optionVariables, name) ? optionVariables[name] : undefined;
  const isOfTool = options !== undefined || toolVariables.test(name);
  if (!isOfTool && !lineVariables.test(name) && !startVariables.test(name)) return;
  const call: Call = {
    ...place,
    input: "inherited",
    from: [],
    given: [],
    redirects: [],
    prints: false,
    by: place.shell.by,
    direct: false,
    depth: 0,
    source: name,
  };
  if (isOfTool && !lineVariables.test(name)) {
    if (!isUnknown(value)) readLine(options === undefined ? value : `${options} ${value}`, call);
    return;
  }
  if (isUnknown(value) && !/^\0?[\w./-]*$/.test(value)) {
    noteRuns(reading, `cannot tell what the variable ${name} runs`);
    return;
  }
  if (lineVariables.test(name)) {
    if (isUnknown(value)) noteRuns(reading, cannotTell(`${name}=${value}`));
    else readLine(value, call);
    return;
  }
  if (/[$`]/.test(value))
    readLine(`: "${value.replaceAll('"', "")}"`, movedTo(within, call)); // the shell expands it, wherever it then is
  else if (!/^PS/.test(name) && value !== "") {
    readStartFile(name, value, call);
    readGivenFile(value, call);
    if (reading.starts.length < mostStarts) reading.starts.push(() => readGivenFile(value, call));
  }
}

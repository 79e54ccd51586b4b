/**
 * Whether code runs something that only it knows: a text that it evaluates, or a program that it puts together. A program that stands
 * in the code as a constant is read as what it is, and is nothing that came from elsewhere.
 */
import type { Range } from "./tree.ts";
import type { Code } from "./values.ts";

/** By their own name, and as what is handed on: `.then(eval)`. */
const evaluators =
  /^(?:exec|eval|compile|execfile|Function|instance_eval|class_eval|runInThisContext|runInNewContext)$/;
/** With any owner. */
const starters =
  /^(?:execv[pe]*|system|popen|Popen|spawn|spawnSync|execSync|execFile|execFileSync|execa|check_output|check_call|getoutput|getstatusoutput|run_path|run_module|passthru|shell_exec|proc_open|iex|posix_spawnp?|create_subprocess_\w+|runIn\w+)$/;
/** Of a module that starts programs, or without an owner. */
const ofModules = /^(?:run|call|fork|Command)$/;
const modules =
  /^(?:child_process|cp|os|vm|globalThis|window|builtins|__builtins__|Kernel|subprocess|sp|Bun|Deno|asyncio|IO)$/;
const startsPrograms = /child_process|\bsubprocess\b/;
/** They have methods of these names that start nothing. `0` is a regular expression. */
const startsNothing =
  /^(?:0|re|rx|reg\w*|pattern\w*|db|conn\w*|cur\w*|asyncio|uvicorn|app|loop|pytest|console|Promise|\w*[rR]egex\w*|\w*RE|self|this|super|model|session|client)$/;
const isOption = /^(?:=|:)$/;

export function runsUnknown(code: Code, text: string): boolean {
  const hasModule = startsPrograms.test(text);
  return code.words.some(({ is, word, isVariable }, at) => {
    if (is !== "name" || isVariable) return false;
    const isMethod = code.is(at - 1, ".", "->", "?.", "::");
    const owner = isMethod ? ownerOf(code, at) : undefined;
    const isOfModule = owner !== undefined && modules.test(owner);
    const isOther = isMethod && !isOfModule;
    if (starters.test(word)) return isPutTogether(code, at, text);
    if (evaluators.test(word)) {
      if (isOther)
        return word === "exec" && hasModule && !startsNothing.test(owner ?? "0") && isPutTogether(code, at, text);
      return code.is(at + 1, ")", ",") ? code.is(at - 1, "(", ",") : isPutTogether(code, at, text);
    }
    if (!ofModules.test(word) || !code.is(at + 1, "(")) return false;
    return isOther
      ? hasModule && !startsNothing.test(owner ?? "0") && isPutTogether(code, at, text)
      : isPutTogether(code, at, text);
  });
}

/** `require("child_process").exec`: the name of the module that is loaded there. */
function ownerOf({ words, is, openOf }: Code, at: number): string | undefined {
  const open = is(at - 2, ")") ? openOf(at - 2) : undefined;
  const own = open === undefined ? words[at - 2] : words[open + 1];
  return own?.is === "end" || own?.is === "mark" ? undefined : own?.word.replace(/^node:/, "");
}

/** What stands behind the name is no constant. */
function isPutTogether(code: Code, at: number, text: string): boolean {
  const own = code.is(at + 1, "(") ? code.partsOf(at + 1) : withoutBrackets(code, at + 1);
  const run = own.filter(([from]) => !code.is(from, "{") && !isOption.test(code.words[from + 1]?.word ?? ""));
  const words = run.flatMap(([from, to]) => code.words.slice(from, to));
  if (run.length === 0) return false;
  const isOpen = words.some(
    ({ is, word, parts }, index) =>
      (is === "name" && !/^\d/.test(word) && !isOwnProgram(words[index - 2]?.word, word)) ||
      (is === "mark" && /^[+%]$/.test(word)) ||
      (parts?.length ?? 0) > 1,
  );
  return isOpen || words.some(({ is, word }) => is === "text" && isNamedTwice(word, text));
}

/** `sys.executable`, `process.execPath` */
const isOwnProgram = (owner: string | undefined, name: string): boolean =>
  /^(?:sys|process)$/.test(name) || (/^(?:sys|process)$/.test(owner ?? "") && /^(?:executable|execPath)$/.test(name));

/** `system $x`, `eval URI.open("x").read` */
function withoutBrackets(code: Code, from: number): Range[] {
  const first = code.words[from];
  if (first === undefined || first.is === "end" || (first.is === "mark" && first.word !== "[")) return [];
  return code.divide(from, code.endOf(from));
}

/** A file that the code names elsewhere too may be one that it has just written. */
function isNamedTwice(constant: string, text: string): boolean {
  const last = constant.split(/\s+/).at(-1) ?? "";
  return /\.\w+$|^\/tmp\//.test(last) && text.split(last.replace(/^.*\//, "")).length > 2;
}

/**
 * Whether code of another language runs something that only it knows: a text that it evaluates, or a program that it puts together.
 * A program that stands in the code as a constant is read as what it is, and is nothing that came from elsewhere.
 */

/** What evaluates or starts something: as a function of its own, of a module, or of the module that starts programs. */
const runners =
  /(?<![.\w])(?:exec|eval|compile|run|call)(?=\s*[("'`$@])|(?<![.\w])(?:eval|exec)(?=\s+[\w:]+[\s.(]|\s*\))|\b(?:child_process|cp|os|vm|globalThis|window|builtins|__builtins__|Kernel|subprocess|sp|Bun|Deno|asyncio)["')]*\.(?:exec\w*|eval|spawn\w*|fork|popen\d?|system|posix_spawn\w*|runIn\w+|run|call|check_\w+|Popen|getoutput|getstatusoutput|create_subprocess_\w+|Command)\b|\b(?:execfile|execv[pe]*|system|popen|Popen|spawn|spawnSync|execSync|execFile|execFileSync|execa|check_output|check_call|getoutput|run_path|run_module|instance_eval|class_eval|passthru|shell_exec|proc_open|Function|IO\.popen|Invoke-Expression|iex)\b(?=\s*(?:[("'`$@]|\[))/g;
/** A name for the module is any name: there `.exec` runs something, and a regular expression's does not. */
const startsPrograms = /child_process|\bsubprocess\b/;
const methods = /(?<![\w/.])([\w$]+)\.(?:exec|run|call|fork)(?=\s*\()/g;
const isNoProgram =
  /^(?:re|rx|reg\w*|pattern\w*|db|conn\w*|cur\w*|asyncio|uvicorn|app|loop|pytest|console|Promise|\w*[rR]egex\w*|\w*RE|self|this|super|model|session|client)$/;
const longestCall = 2_000;

export function runsUnknown(text: string): boolean {
  for (const { 0: word, index } of text.matchAll(runners)) if (isPutTogether(text, index + word.length)) return true;
  if (!startsPrograms.test(text)) return false;
  for (const { 0: word, 1: object = "", index } of text.matchAll(methods))
    if (!isNoProgram.test(object) && isPutTogether(text, index + word.length)) return true;
  return false;
}

/** What stands behind the name is no constant. */
function isPutTogether(text: string, at: number): boolean {
  const rest = text.slice(at, at + longestCall);
  if (/^\s*\)/.test(rest)) return true; // `.then(eval)`
  const call = /^\s*\(/.exec(rest);
  const words = call ? insideOf(rest.slice(call[0].length)) : (/^[^;\n]*/.exec(rest)?.[0] ?? "");
  const own = withoutConstants(words);
  // Options come last and by name: what is run stands before them.
  const run = own.replace(/,\s*(?:\w+\s*=(?!=)|\{).*$/s, "").replace(/\b(?:sys\.executable|process\.execPath)\b/g, "");
  if (/[\w$@`+%]/.test(run)) return true;
  return constantsOf(words).some((one) => isNamedTwice(one, text));
}

/** A file that the code names elsewhere too may be one that it has just written. */
function isNamedTwice(constant: string, text: string): boolean {
  const [last = ""] = constant.split(/\s+/).slice(-1);
  const name = last.replace(/^.*\//, "");
  return /\.\w+$|^\/tmp\//.test(last) && text.split(name).length > 2;
}

const constant = /(?<![\w])[rbu]{0,2}(?:"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\$]|\\.|\$(?!\{))*`)/g;
const withoutConstants = (words: string): string => words.replace(constant, "");
const constantsOf = (words: string): string[] =>
  (words.match(constant) ?? []).map((one) => one.replace(/^\w*.|.$/gs, ""));

/** Up to the bracket that closes. */
function insideOf(text: string): string {
  let depth = 1;
  let quote = "";
  for (let at = 0; at < text.length; at++) {
    const one = text.charAt(at);
    if (quote !== "") {
      if (one === "\\") at++;
      else if (one === quote) quote = "";
    } else if (/["'`]/.test(one)) quote = one;
    else if (/[([{]/.test(one)) depth++;
    else if (/[)\]}]/.test(one) && --depth === 0) return text.slice(0, at);
  }
  return text;
}

/** Programs that code of another language names by literal texts: `os.system("git push")`, `spawn("rm", ["x"])`, backticks. */
import { plainCode } from "./code-names.ts";

export interface ProgramsInCode {
  /** Shell lines. */
  lines: string[];
  /** Shell lines that the code gives something to read. */
  fed: string[];
  /** Words that run without a shell. */
  commands: string[][];
  /** The code without what was read. */
  rest: string;
}

/** What a call of that name takes first. line: a shell's. words: the program, then its arguments. both: a list is words, a text is a line. */
type Takes = "line" | "words" | "both";

const names: { readonly [name: string]: Takes } = {
  ...Object.fromEntries(
    "system popen popen2 popen3 popen4 getoutput getstatusoutput shell_exec passthru proc_open exec execSync execute do_shell_script qx capture2 capture3 capture2e spawnShell executeShell os_execute backtick shell capture run_command"
      .split(" ")
      .map((name) => [name, "both" as const]),
  ),
  ...Object.fromEntries(
    "run call check_call check_output Popen create_subprocess_shell".split(" ").map((name) => [name, "both" as const]),
  ),
  ...Object.fromEntries(
    "spawn spawnSync execFile execFileSync fork execv execvp execve execvpe execl execlp execle execlpe spawnl spawnlp spawnle spawnlpe spawnv spawnvp spawnve spawnvpe create_subprocess_exec posix_spawn posix_spawnp pcntl_exec execa execaSync ProcessBuilder Command"
      .split(" ")
      .map((name) => [name, "words" as const]),
  ),
};

const allNames = Object.keys(names).join("|");
const calls = new RegExp(
  String.raw`(?:\brequire\(["'](?:node:)?child_process["']\)\.|\b__import__\(["']\w+["']\)\.|\bgetRuntime\(\)\.|\b(?:os|subprocess|child_process|cp|pty|asyncio|io|IO|Kernel|Open3|commands|Deno|Bun)(?:\.|::)|(?<![\w$.:>]))(${allNames})(?:\s*\(\s*|\s+(?=["'\x60]))(?:os\.P_\w+\s*,\s*)?`,
  "g",
);

/** Languages in which backticks run a line, and those whose double quotes fill variables in. */
const backticks = /^(ruby|perl|php|irb)$/;
const fillsIn: { readonly [program: string]: RegExp } = { ruby: /#\{/, perl: /[$@]\w/, php: /[$]\w|\{\$/ };

/** @param home the folder that the code may name by a function or a variable */
export function programsInCode(written: string, program: string, home: string): ProgramsInCode {
  const code = plainCode(written, allNames, { program, folder: home });
  const found: ProgramsInCode = { lines: [], fed: [], commands: [], rest: "" };
  let rest = "";
  let at = 0;
  for (const match of code.matchAll(calls)) {
    if (match.index < at) continue;
    const start = match.index + match[0].length;
    const [, name = ""] = match;
    if (name === "exec" && /^(python|pypy)$/.test(program)) continue; // its own code
    const end = readCall(code, { start, name, program }, found);
    if (end === undefined) continue;
    rest += `${code.slice(at, match.index)} `;
    at = end;
  }
  rest += code.slice(at);
  found.rest = readMarked(rest, program, found);
  return found;
}

interface CallAt {
  start: number;
  name: string;
  program: string;
}

/** @returns where the call ends; undefined: it holds more than literals */
function readCall(code: string, { start, name, program }: CallAt, found: ProgramsInCode): number | undefined {
  const isList = code[start] === "[";
  const { texts, end } = readTexts(code, isList ? start + 1 : start, program);
  if (texts.length === 0) return undefined;
  const close = isList ? /\s*\]/y : /\s*/y;
  close.lastIndex = end;
  if (!close.test(code)) return undefined;
  const [first = ""] = texts;
  const behind = /\s*,\s*(?:\{\s*args\s*:\s*)?\[\s*/y;
  behind.lastIndex = close.lastIndex;
  const hasList = !isList && behind.test(code);
  const list = hasList ? readTexts(code, behind.lastIndex, program) : undefined;
  const listEnd = /\s*\]/y;
  listEnd.lastIndex = list?.end ?? 0;
  if (list && !listEnd.test(code) && code[list.end] !== "]") return undefined;
  const last = list ? listEnd.lastIndex : close.lastIndex;
  const bracket = /\s*(?:,[^()'"`;\n]*)?\)?/y;
  bracket.lastIndex = last;
  bracket.test(code);
  // What exec of the system is given begins with what the program is told that it is called.
  if (list) found.commands.push([first, ...list.texts.slice(/^(?:exec|spawn)v|^posix_spawn/.test(name) ? 1 : 0)]);
  else if (isList || texts.length > 1)
    found.commands.push(/^(exec|spawn)lp?e?$/.test(name) ? texts.slice(1) : [...texts]);
  else if (names[name] === "words" && !/\s/.test(first)) found.commands.push([first]);
  else found.lines.push(first);
  return bracket.lastIndex;
}

/** Literal texts with commas between them. */
function readTexts(code: string, start: number, program: string): { texts: string[]; end: number } {
  const texts: string[] = [];
  let at = start;
  for (;;) {
    const text = readText(code, at, program);
    if (!text) return { texts, end: at };
    texts.push(text.text);
    at = text.end;
    const comma = /\s*,\s*(?=[rbu]?["'`])/y;
    comma.lastIndex = at;
    if (!comma.test(code)) return { texts, end: at };
    at = comma.lastIndex;
  }
}

function readText(code: string, start: number, program: string): { text: string; end: number } | undefined {
  const opening = /[rbuf]{0,2}("""|'''|["'`])/y;
  opening.lastIndex = start;
  const [open, quote] = opening.exec(code) ?? [];
  if (open === undefined || quote === undefined) return undefined;
  const from = start + open.length;
  let end = code.indexOf(quote, from);
  while (end > 0 && isEscaped(code, end, from)) end = code.indexOf(quote, end + 1);
  if (end < 0) return undefined;
  const raw = code.slice(from, end);
  const fills = quote === "`" ? /\$\{/ : quote === '"' ? fillsIn[program] : undefined;
  if (fills?.test(raw) || (/^r?f/.test(open) && raw.includes("{"))) return undefined;
  return { text: unescaped(raw), end: end + quote.length };
}

function isEscaped(code: string, at: number, from: number): boolean {
  let count = 0;
  while (at - 1 - count >= from && code[at - 1 - count] === "\\") count++;
  return count % 2 === 1;
}

const controls: { readonly [letter: string]: string } = { n: "\n", t: "\t", r: "\r", "\n": "" };

const unescaped = (text: string): string =>
  text.replace(/\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|[0-7]{1,3}|[\s\S])/g, (_, code: string) => {
    if (/^[xu]./.test(code)) return String.fromCharCode(Number.parseInt(code.slice(1), 16));
    if (/^[0-7]/.test(code)) return String.fromCharCode(Number.parseInt(code, 8));
    return controls[code] ?? code;
  });

interface Marked {
  form: RegExp;
  in: RegExp;
  isFed?: true;
}

/** Lines that signs of the language mark. */
const marked: readonly Marked[] = [
  { form: /`([^`]*)`/g, in: backticks },
  { form: /\$`([^`$]*)`/g, in: /^(node|nodejs|bun|deno|zx)$/ },
  { form: /(?:%x|\bqx)(?:\(([^()]*)\)|\{([^{}]*)\}|\[([^[\]]*)\]|\/([^/]*)\/)/g, in: backticks },
  { form: /\bopen\w*\s*\(?[^"'()]{0,40},\s*["']([^"'|]*)\|\s*["']\s*\)?/g, in: /^perl$/ },
  { form: /\bopen\w*\s*\(?[^"'()]{0,40},\s*["']\s*\|([^"']*)["']\s*\)?/g, in: /^perl$/, isFed: true },
  { form: /(?:^|[\n;])[ \t]*(?:\w+\s*=\s*)?!{1,2}[ \t]*([^\n]+)/g, in: /^ipython$/ },
  { form: /%{1,2}(?:system|sx|bash|sh)\b[ \t]*(?:\n([\s\S]+)|([^\n]+))/g, in: /^ipython$/ },
  { form: /(?:"([^"\n]+)"|'([^'\n]+)')\s*\.\s*(?:execute\(\)|!{1,2}(?![=\w]))/g, in: /^(?:groovy|scala)$/ },
  { form: /\bdo shell script\s+"([^"]*)"/g, in: /^osascript$/ },
  { form: /"([^"\\]*)"\s*\|&?\s*getline(?:\s+\w+)?/g, in: /awk$/ },
  { form: /\|&?\s*"([^"\\]*)"/g, in: /awk$/, isFed: true },
  { form: /(?:^|[;{}\n])[ \t]*(?:(?:\d+|\$|\/[^/\n]*\/)[ \t]*)?e[ \t]+([^;\n]+)/g, in: /sed$/ },
];

function readMarked(code: string, program: string, found: ProgramsInCode): string {
  let rest = code;
  for (const { form, in: languages, isFed } of marked) {
    if (!languages.test(program)) continue;
    rest = rest.replace(form, (whole: string, ...groups: unknown[]) => {
      const text = groups.find((group): group is string => typeof group === "string" && group !== whole);
      if (text === undefined || text.trim() === "" || fillsIn[program]?.test(text)) return whole;
      (isFed ? found.fed : found.lines).push(text);
      return " ";
    });
  }
  return rest;
}

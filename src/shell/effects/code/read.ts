/** What code of another language does with the paths that stand in it as literals, as far as its words tell. */

import { unknownText } from "../../../engine/pattern.ts";
import type { Doing } from "../doings.ts";
import { changedPaths } from "./paths.ts";
import type { Range } from "./tree.ts";
import { type Code, readValues } from "./values.ts";

const literal = /"((?:[^"\\\n]|\\.){1,400})"|'((?:[^'\\\n]|\\.){1,400})'|`((?:[^`\\]|\\.){1,400})`/g;
/** The rest is not read. */
const longest = 100_000;
const isPath =
  /^(?:~|\$ENV\{HOME\}|\.{1,2}|\$HOME|[A-Za-z]:)?[/\\][\w.~*@-]|^~$|^\/$|^\.[a-z][\w.-]+$|^[\w.-]+\/[\w./*-]+$/;

const deleting =
  /\b(?:rmtree|remove_tree|rm_rf|rm_r|remove_dir_all|rmSync|rmdirSync|unlinkSync|rimraf|removedirs|unlink|rmdir|FileUtils\.rm|File\.delete|remove_entry|remove_file)\b|\b(?:os|fs|fsp|promises|pathlib|File|Deno)\.(?:remove|removeSync|rm|unlink|rmdir|delete)\b|\.unlink\(|\.rmdir\(/;
const writing =
  /\bopen\s*\(.{0,200}?["'](?:w|a|x|r\+)[bt+]*["']|\bopen\b[^;]{0,60}["']\+?>>?|\b(?:writeFile|appendFile|writeFileSync|appendFileSync|createWriteStream|write_text|write_bytes|copyFile|copyFileSync|copyfile|renameSync|file_put_contents|writeTextFile|symlinkSync|truncateSync|chmodSync)\b|\bFile\.(?:write|open)\b|\bshutil\.(?:copy\w*|move)\b|\bos\.(?:rename|replace|symlink|chmod|chown)\b|\bBun\.write\b|\.touch\(|\b(?:rename|symlink|link)\s*\(?\s*["'](?=[^;\n]*,)/;
const fetching =
  /\b(?:urlopen|https?['"]?\)?\.(?:get|request)|urlretrieve|urllib|requests\.(?:get|post|put)|httpx?\.(?:get|post|request|put)|fetch\s*\(|axios|LWP|Net::HTTP|open-uri|URI\.open|HTTP::Tiny|curl_exec|aiohttp|XMLHttpRequest|socket\.(?:create_connection|socket|connect)|\bnet['"]?\)?\.(?:connect|createConnection|Socket)|\bconnect\s*\(\s*\w+\s*,|TCPSocket|IO::Socket|fsockopen|stream_socket_client|socket\.tcp|\/inet\/tcp|(?:curl|wget)\s[^\n]{0,80}https?:|get\s*\(?\s*["']https?:|\/dev\/tcp\/)|(?:file_get_contents|fopen|include|require)\s*\(\s*["']https?:/;
const environment = /\bos\.environ\b|\bprocess\.env\b|\bENV\.to_h\b|\bgetenv\(\s*\)|%ENV\b/g;
/** The name of a variable whose value is a secret. */
export const secretName: RegExp = /token|secret|passw|passphrase|api_?key|credential|private|auth/i;
/** Behind `process.env` and `os.environ`: one variable. */
const oneVariable =
  /^\s*(?:(?:\?\.)?\[\s*["'`]?([\w$]*)|\.(?:get|setdefault|pop|update)\(\s*["']?(\w*)|\??\.(?!(?:copy|items|values|keys)\()([A-Za-z_]\w*))/;
/** Before them: another program gets them, one is looked for, some are taken out by name. */
const forAnother =
  /\benv\s*[:=]\s*(?:\{\s*(?:\.\.\.|\*\*)|dict\(\s*|Object\.assign\(\s*\{\s*\}\s*,\s*)?$|["'`\w]\s+(?:not\s+)?in\s+$/;
const takenOut = /\{([^{}]*)\}\s*=\s*$/;
/** To show a service the key that is its own is what the key is for. */
const authorizes = /authorization|bearer|headers|auth\s*[=:(]|x-[\w-]*(?:key|token)/i;

/** What a client or a server shows that it is, or checks the other by. */
const identity =
  /\b(?:cert|key|ca|verify|cafile|certfile|keyfile|pfx)["']?\s*[=:]\s*\(?\s*(?:\w+\.)*(?:readFileSync|readFile|open|read_text|load_cert_chain)?\(?\s*["']([^"'\n]+)["'](?:\s*,\s*["']([^"'\n]+)["'])?/g;

const decoding =
  /\b(?:fromhex|unhexlify|a2b_\w+|b64decode|b32decode|b85decode|decodebytes|atob|decode64|unpack1?|pack\s*\(?\s*["']H|base64_decode|hex2bin|gzinflate|str_rot13|marshal\.loads|codecs\.decode|zlib\.decompress)\b|["'](?:base64|hex)["']\s*\)/;

/** The root, the home folder and where the line runs: texts that are split, joined and compared as well. */
const whole = /^(?:\/|\.{1,2}\/?|~\/?|\/?\*)$/;
export interface CodeEffects {
  doings: readonly Doing[];
  /** It asks the network for something, and it runs what is no constant of the code. */
  fetches: boolean;
  runs: boolean;
  /** All variables, or one by a secret name that is no service's own key. */
  readsEnvironment: boolean;
  /** It makes text out of data that a person cannot read. */
  decodes: boolean;
}

export function readCode(code: string): CodeEffects {
  const text = code.slice(0, longest);
  const values = readValues(text);
  const isDeleting = deleting.test(text);
  const paths = new Set([...text.matchAll(literal)].map(([, one, two, three]) => one ?? two ?? three ?? ""));
  if (/expanduser\(\s*["']~["']/.test(text)) paths.delete("~");
  for (const path of putTogether(values)) paths.add(path);
  const named = [...paths].filter((path) => isPath.test(path) && !/^\/[dgimsuy]*$|^https?:/.test(path));
  const doings: Doing[] = [];
  const changed = changedPaths(values, text, { deleting: isDeleting, writing: writing.test(text) });
  const perhaps = named
    .filter((path) => !changed.said.has(path) && !whole.test(path))
    .map((path) => fromHome(path, text));
  const deleted = [...changed.deletes, ...(changed.deletesUnknown ? perhaps : [])];
  const written = [...changed.writes, ...(changed.writesUnknown ? perhaps : [])];
  for (const word of new Set(deleted)) doings.push({ does: "deletes", word, below: true });
  for (const word of new Set(written)) doings.push({ does: "writes", word });
  if (!isDeleting)
    for (const [, one = "", two = ""] of text.matchAll(identity)) for (const path of [one, two]) paths.delete(path);
  for (const path of named) if (paths.has(path)) doings.push({ does: "reads", word: fromHome(path, text) });
  return {
    doings,
    fetches: fetching.test(text),
    runs: runsUnknown(values, text),
    readsEnvironment: readsSecretVariables(text),
    decodes: decoding.test(text),
  };
}

/** `join(home, "a", "b")`, `Path.home() / "a" / "b"`, `f"{home}/a"`: what the code puts together of what it knows. */
function putTogether(code: Code): string[] {
  const texts = code.words.flatMap(({ is, word, parts }, at) => {
    if (is === "text") return (parts?.length ?? 0) > 1 ? code.valueOf(at, at + 1).texts : [];
    if (is !== "name") return [];
    if (/^(?:join|joinpath|resolve|Path|catfile|File)$/.test(word) && code.is(at + 1, "("))
      return code.valueOf(code.beginOf(at), code.closeOf(at + 1) + 1).texts;
    const isHome = code.is(at + 1, "/", "+") && code.valueOfName(word).texts.includes("~");
    return isHome ? code.valueOf(code.beginOf(at), code.endOf(at)).texts : [];
  });
  const paths = texts.map((path) => path.replaceAll(new RegExp(`${unknownText}+`, "g"), "*"));
  return [...new Set(paths)].filter((path) => /^(?:~|\.\.)?\/[^*]/.test(path));
}

/** `fetch(url + process.env.PORT)` sends no secret. */
function readsSecretVariables(text: string): boolean {
  const showsKey = authorizes.test(text);
  return [...text.matchAll(environment)].some(({ 0: word, index }) => {
    const before = text.slice(Math.max(0, index - 200), index);
    const one = oneVariable.exec(text.slice(index + word.length, index + word.length + 100));
    const names = one ? (one[1] ?? one[2] ?? one[3]) : takenOut.exec(before)?.[1];
    if (names !== undefined) return secretName.test(names) && !showsKey;
    return !forAnother.test(before);
  });
}

/** `Path.home() / ".ssh"`, `os.homedir() + "/.ssh"`, `$ENV{HOME}/.ssh` */
function fromHome(word: string, text: string): string {
  if (word.startsWith("$ENV{HOME}")) return `~${word.slice("$ENV{HOME}".length)}`;
  if (/^\$HOME\b/.test(word)) return `~${word.slice("$HOME".length)}`;
  const isBesideHome = /\bhome\(\)|\bhomedir\(\)|HOME\b|Dir\.home|\bexpanduser\b/.test(text);
  if (isBesideHome && /^\/?\.[a-z]/i.test(word)) return `~/${word.replace(/^\//, "")}`;
  return word;
}

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

function runsUnknown(code: Code, text: string): boolean {
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

/**
 * Code of another language with its names made plain: what an import, a constant or a list of words stands for is put where it
 * is used. Apart from literal-programs.ts, which then finds the programs in it.
 */

const modules = "os|subprocess|child_process|pty|commands|asyncio|shutil|Open3";
const text = String.raw`"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'`;
const texts = String.raw`(?:${text})(?:\s*,\s*(?:${text}))*`;
/** Each is put in by a search of its own. */
const mostNames = 20;

/** The home folder, as languages write it. */
const home =
  /(?:require\(["'](?:node:)?os["']\)|\bos)\.homedir\(\)|\bDir\.home\b(?:\(\))?|\b(?:pathlib\.)?Path\.home\(\)|(?:os\.path\.)?\bexpanduser\(["']~["']\)|\bprocess\.env(?:\.HOME\b|\[["']HOME["']\])|\b(?:os\.)?(?:getenv|env(?:iron)?\.get|ENV\.fetch)\(["']HOME["']\)|\b(?:os\.environ|ENVIRON|ENV|_SERVER)\[["']HOME["']\]|\$ENV\{["']?HOME["']?\}|\bDeno\.env\.get\(["']HOME["']\)/g;

/** @param names those of functions that run programs, with a bar between them @param folder the home folder */
export function plainCode(
  code: string,
  names: string,
  { program, folder }: { program: string; folder: string },
): string {
  let plain = withHome(code, program, folder);
  if (/^(?:ruby|irb|pry|crystal|perl|raku)$/.test(program)) plain = withoutWordLists(plain);
  for (const [form, by] of spellings) plain = plain.replace(form, by);
  plain = joined(withConstants(plain), program);
  plain = plain.replace(new RegExp(String.raw`\[\s*["'](${names})["']\s*\]\s*(?=\()`, "g"), ".$1");
  for (const [alias, name] of aliasesIn(plain, names))
    plain = plain.replace(
      new RegExp(String.raw`(?<![\w$.])${alias}(?=\s*${name.of === "module" ? "\\." : "\\("})`, "g"),
      name.is,
    );
  return plain;
}

/** In a text it is filled in, elsewhere it is a text of its own. */
function withHome(code: string, program: string, folder: string): string {
  if (folder === "" || !/home|HOME|expanduser/.test(code)) return code;
  const filled = code.replace(new RegExp(String.raw`(?:#|\$)?\{\s*(?:${home.source})\s*\}`, "g"), (whole) =>
    whole.startsWith("$ENV") ? whole : folder,
  );
  return filled.replace(home, (_, at: number) => {
    const before = filled.slice(filled.lastIndexOf("\n", at) + 1, at);
    const isInText = program === "perl" && (before.split('"').length - 1) % 2 === 1;
    return isInText ? folder : JSON.stringify(folder);
  });
}

const brackets = String.raw`(?:\(([^()]*)\)|\{([^{}]*)\}|\[([^[\]]*)\]|<([^<>]*)>|\|([^|]*)\||\/([^/]*)\/|!([^!]*)!)`;
const wordLists = new RegExp(String.raw`\*?(?:%[wW]|\bqw\s?)${brackets}`, "g");
const quotedTexts = new RegExp(String.raw`(?:%[qQ]|(?<![\w%])qq?)${brackets}`, "g");

/** `%w[git push]`, `qw(git push)`, `%q(git push)` */
function withoutWordLists(code: string): string {
  const inside = (groups: readonly unknown[]): string =>
    String(groups.slice(0, 7).find((group) => typeof group === "string") ?? "");
  return code
    .replace(wordLists, (_, ...groups: unknown[]) =>
      inside(groups)
        .split(/\s+/)
        .filter(Boolean)
        .map((word) => JSON.stringify(word))
        .join(","),
    )
    .replace(quotedTexts, (_, ...groups: unknown[]) => JSON.stringify(inside(groups)));
}

/** Other ways to write the same. */
const spellings: readonly (readonly [RegExp, string])[] = [
  [/\bgetattr\(\s*([\w.]+|__import__\(["']\w+["']\))\s*,\s*["'](\w+)["']\s*\)/g, "$1.$2"],
  [/\b(?:importlib\.)?import_module\(/g, "__import__("],
  [/\bgetBuiltinModule\(/g, "require("],
  [/\(?\s*await\s+import\(\s*(["'][\w:/]+["'])\s*\)\s*\)?(?=\s*\.)/g, "require($1)"],
  [/\.__dict__(?=\[)/g, ""],
  [new RegExp(String.raw`\bshlex\.split\(\s*(${text})\s*\)`, "g"), "$1"],
  [new RegExp(String.raw`(${text})\.split\(\s*(?:["'] ["'])?\s*\)`, "g"), "$1"],
];

/** Names that the code gives to a text or a list of texts, once and for all. */
function withConstants(code: string): string {
  const given = new RegExp(
    String.raw`(?:^|[;\n{]|\b(?:const|let|var|my)\s)[ \t]*([@$]?[A-Za-z_]\w*)\s*=\s*(${text}|\[\s*${texts}\s*\]|\(\s*${texts}\s*\))\s*(?=[;\n]|$)`,
    "g",
  );
  let plain = code;
  for (const [, name = "", value = ""] of [...code.matchAll(given)].slice(0, mostNames)) {
    const own = name.replaceAll("$", "\\$");
    if ([...code.matchAll(new RegExp(String.raw`(?<![\w$@.])${own}\s*[-+.]?=(?!=)`, "g"))].length > 1) continue;
    const inside = value.startsWith("(") ? value.slice(1, -1) : value;
    plain = plain.replace(new RegExp(String.raw`(?<=[(,[*+\s])${own}(?=\s*(?:[,)\];+}]|$))`, "g"), () => inside);
  }
  return plain;
}

/** `"rm " + "x"`; awk has no sign for it. */
function joined(code: string, program: string): string {
  const sign = /awk$/.test(program)
    ? ""
    : /^(?:perl|php|lua|raku)$/.test(program)
      ? String.raw`\.{1,2}`
      : String.raw`\+`;
  return code.replace(new RegExp(String.raw`(?<=[\w ~/.-])(["'])\s*${sign}\s*\1(?=[\w ~/.-])`, "g"), "");
}

interface Alias {
  is: string;
  of: "module" | "function";
}

/** `import subprocess as s`, `from os import system as x`, `const {execSync: x} = require(…)`, `f = os.system` */
function aliasesIn(code: string, names: string): Map<string, Alias> {
  const found = new Map<string, Alias>();
  const add = (forms: readonly string[], of: Alias["of"]): void => {
    for (const form of forms)
      for (const { groups } of code.matchAll(new RegExp(form, "g"))) {
        const { alias = "", is = "" } = groups ?? {};
        if (alias !== is && found.size < mostNames) found.set(alias, { is, of });
      }
  };
  const module = `["'](?:node:)?(?<is>${modules})["']`;
  add(
    [
      String.raw`\b(?<is>${modules})\s+as\s+(?<alias>\w+)`,
      String.raw`\bimport\s+(?:\*\s*as\s+)?(?<alias>\w+)\s+from\s+${module}`,
      String.raw`\b(?<alias>\w+)\s*=\s*(?:await\s+)?(?:process\.\w+\.)?(?:require|import|__import__)\s*\(\s*${module}\s*\)\s*(?=[;,\n]|$)`,
      String.raw`\b(?<alias>\w+)\s*=\s*(?<is>${modules})\s*(?=[;\n]|$)`,
      String.raw`\bimport\(\s*${module}\s*\)\s*\.then\(\s*(?:async\s*)?\(?(?<alias>\w+)`,
    ],
    "module",
  );
  add(
    [
      String.raw`\b(?<is>${names})\s+as\s+(?<alias>\w+)`,
      String.raw`[{,]\s*(?<is>${names})\s*:\s*(?<alias>\w+)(?=[^{}]{0,200}\}\s*=)`,
      String.raw`\b(?<alias>\w+)\s*=\s*[^;\n=]{0,80}?[.\s(](?<is>${names})\s*\)?\s*(?=[;\n]|$)`,
    ],
    "function",
  );
  return found;
}

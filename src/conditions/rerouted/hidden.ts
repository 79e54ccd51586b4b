/** Files that a call runs: what stands in them is a part of what it does, though its own text does not tell. */
import { posix } from "node:path";
import { baseName } from "../../engine/command-pattern.ts";
import type { CallEffects, SimpleCommand } from "../../engine/effects.ts";
import { isRecord } from "../../engine/schema.ts";

/** Text that is run, and how. */
export interface Hidden {
  /** The file it stands in. */
  path: string;
  text: string;
  /** code: of this program, such as `python3 -c`. text: nobody here reads it. */
  is: "shell" | "statements" | "text" | { code: string };
  cwd: string;
}

type Read = (path: string) => string | undefined;
const longest = 200_000;

const byEnding: readonly (readonly [RegExp, Hidden["is"]])[] = [
  [/\.(?:sh|bash|zsh|ksh|envrc|command)$/, "shell"],
  [/\.py$/, { code: "python3 -c" }],
  [/\.[cm]?[jt]sx?$/, { code: "node -e" }],
  [/\.rb$/, { code: "ruby -e" }],
  [/\.p[lm]$/, { code: "perl -e" }],
  [/\.php$/, { code: "php -r" }],
  [/\.sql$/, "statements"],
];
const byProgram: readonly (readonly [RegExp, Hidden["is"]])[] = [
  [/^(?:ba|z|da|k|a)?sh$|^(?:source|\.)$/, "shell"],
  [/^(?:python|pypy)[\d.]*$/, { code: "python3 -c" }],
  [/^(?:node|nodejs|bun|deno|tsx|ts-node)$/, { code: "node -e" }],
  [/^ruby$/, { code: "ruby -e" }],
  [/^perl$/, { code: "perl -e" }],
  [/^php$/, { code: "php -r" }],
  [/^(?:psql|mysql|mariadb|sqlite3?|duckdb|mongosh?|sqlcmd|cqlsh)$/, "statements"],
];

function kindOf(path: string, text: string, program: string): Hidden["is"] {
  const [, interpreter = ""] = /^#!\s*(?:\/\S*\/)?(?:env\s+(?:-S\s+)?)?(?:\/\S*\/)?([\w.+-]+)/.exec(text) ?? [];
  const find = (table: typeof byEnding, name: string): Hidden["is"] | undefined =>
    table.find(([form]) => form.test(name))?.[1];
  return (
    find(byProgram, program) ??
    find(byProgram, interpreter) ??
    find(byEnding, path) ??
    (interpreter === "" && !text.includes("\0") && !/\.\w+$/.test(path) ? "shell" : "text")
  );
}

/** Runs files that it is given as operands or by an option, beside those whose effects say so. */
const runsGiven =
  /^(?:tsx|ts-node|bun|deno|go|cargo|Rscript|lua|julia|java|osascript|awk|gawk|sed|jq|expect|tclsh|swift|pytest|jest|vitest|psql|mysql|mariadb|sqlite3?|duckdb|mongosh?|sqlcmd|cqlsh|ansible-playbook|crontab|at|batch|parallel|xargs|vim|nvim|ex|ed|gdb|msbuild|pwsh|powershell|docker|docker-compose|nix-shell|just|task|gmake|gradle|ant|rake|source|\.)$/;

/** Never throws. @param read the text of a file; undefined: there is none to be read */
export function hiddenIn({ commands, effects }: CallEffects, cwd: string, read: Read): Hidden[] {
  const found = new Map<string, Hidden>();
  const take = (path: string, program: string, folder: string): void => {
    const text = found.has(path) ? undefined : read(path)?.slice(0, longest);
    if (text !== undefined) found.set(path, { path, text, is: kindOf(path, text, program), cwd: folder });
  };
  for (const { is, path = "", command } of effects) {
    if (is !== "executes" || !path.startsWith("/") || /^\/(?:usr|bin|sbin|opt|lib)\//.test(path)) continue;
    const one = command === undefined ? undefined : commands[command];
    take(path, programOf(one), one?.cwd ?? cwd);
  }
  for (const [index, command] of commands.entries()) {
    const { words, redirects, cwd: folder = cwd } = command;
    const program = programOf(command);
    const at = (word: string): string => posix.resolve(folder, word);
    for (const hidden of tasksOf(program, words.slice(1), folder, read))
      found.set(`${hidden.path} ${hidden.text}`, hidden);
    const isReader = runsGiven.test(program) || byProgram.some(([form]) => form.test(program));
    if (!isReader) continue;
    const given = words.slice(1).map((word) => word.replace(/^(?:@|--?[\w-]+=)/, ""));
    for (const word of given.filter((one) => /[./]/.test(one) && !one.startsWith("-") && one.length < 300))
      take(at(word), program, folder);
    for (const { how, path } of redirects) if (how === "reads") take(at(path), program, folder);
    const [flag, name = ""] = words.slice(1);
    if (flag === "-m" && /^python/.test(program))
      for (const end of [".py", "/__main__.py"]) take(at(name.replaceAll(".", "/") + end), program, folder);
    for (const from of command.input)
      for (const effect of effects)
        if (effect.command === from && effect.is === "reads" && effect.path?.startsWith("/"))
          take(effect.path, program, folder);
    if (index > mostCommands) break;
  }
  return [...found.values()];
}
const mostCommands = 100;

const programOf = (command: SimpleCommand | undefined): string => baseName(command?.words[0] ?? "");

/** Tasks of a project that a file of it names. */
function tasksOf(program: string, words: readonly string[], cwd: string, read: Read): Hidden[] {
  if (/^(?:npm|pnpm|yarn|bun)$/.test(program)) return scriptsOf(words, cwd, read);
  if (words.some((word) => /^(?:-n|-q|--just-print|--dry-run|--recon|--question)$/.test(word))) return [];
  if (/^g?make$/.test(program)) return recipesOf(words, cwd, read, ["Makefile", "makefile", "GNUmakefile"]);
  if (program === "just") return recipesOf(words, cwd, read, ["justfile", "Justfile", ".justfile"]);
  return [];
}

const ownCommands =
  /^(?:i|install|add|ci|remove|uninstall|publish|pack|audit|outdated|ls|list|view|info|init|create|dlx|exec|x|why|link|login|config|cache|version|update|upgrade|rm)$/;

function scriptsOf(words: readonly string[], cwd: string, read: Read): Hidden[] {
  const folderAt = words.findIndex((word) => /^(?:--prefix|-C|--cwd|--dir)$/.test(word));
  const folder = folderAt < 0 ? cwd : posix.resolve(cwd, words[folderAt + 1] ?? ".");
  const plain = words.filter((word, index) => !word.startsWith("-") && (folderAt < 0 || index !== folderAt + 1));
  const name = /^run(?:-script)?$/.test(plain[0] ?? "")
    ? plain[1]
    : ownCommands.test(plain[0] ?? "")
      ? undefined
      : plain[0] === "t"
        ? "test"
        : plain[0];
  const path = posix.join(folder, "package.json");
  const text = name === undefined ? undefined : read(path);
  if (name === undefined || text === undefined) return [];
  try {
    const parsed: unknown = JSON.parse(text);
    const scripts = isRecord(parsed) && isRecord(parsed.scripts) ? parsed.scripts : {};
    return [`pre${name}`, name, `post${name}`].flatMap((one) => {
      const line = Object.hasOwn(scripts, one) ? scripts[one] : undefined;
      return typeof line === "string" ? [{ path, text: line, is: "shell" as const, cwd: folder }] : [];
    });
  } catch {
    return []; // npm cannot read it either
  }
}

/** The lines of a target and of what it needs. */
function recipesOf(words: readonly string[], cwd: string, read: Read, names: readonly string[]): Hidden[] {
  const valueBehind = (...flags: string[]): string | undefined =>
    words[words.findIndex((word) => flags.includes(word)) + 1];
  const has = (...flags: string[]): boolean => words.some((word) => flags.includes(word));
  const folder = has("-C", "--directory") ? posix.resolve(cwd, valueBehind("-C", "--directory") ?? ".") : cwd;
  const files = has("-f", "--file", "--makefile") ? [valueBehind("-f", "--file", "--makefile") ?? ""] : names;
  const path = files.map((name) => posix.resolve(folder, name)).find((one) => read(one) !== undefined);
  const text = path === undefined ? undefined : read(path);
  if (path === undefined || text === undefined) return [];
  const variables = new Map(
    [...text.matchAll(/^(\w+)\s*[:?]?:?=\s*(.*)$/gm)].map(([, name = "", value = ""]) => [name, value]),
  );
  const filled = (line: string): string =>
    line.replaceAll(/\$[({](\w+)[)}]/g, (whole, name: string) => variables.get(name) ?? whole).replaceAll("$$", "$");
  const rules = new Map<string, { needs: string[]; lines: string[] }>();
  for (const [, targets = "", needs = "", body = ""] of text.matchAll(
    /^([\w./ %-]+?)\s*:(?!=)([^\n]*)\n((?:[\t ]+[^\n]*\n?|\n(?=[\t ]))*)/gm,
  ))
    for (const target of targets.split(/\s+/))
      rules.set(target, {
        needs: needs.split(/\s+/).filter(Boolean),
        lines: body.split("\n").map((line) => filled(line.trim().replace(/^[@+-]+/, ""))),
      });
  const wanted = words.filter((word) => rules.has(word));
  const lines: string[] = [];
  const seen = new Set<string>();
  const open = wanted.length > 0 ? [...wanted] : [...rules.keys()].filter((name) => !name.startsWith(".")).slice(0, 1);
  for (let target = open.shift(); target !== undefined && seen.size < 50; target = open.shift()) {
    if (seen.has(target)) continue;
    seen.add(target);
    const rule = rules.get(target);
    lines.push(...(rule?.lines ?? []));
    open.push(...(rule?.needs ?? []));
  }
  const own = lines.filter((line) => line !== "").join("\n");
  return own === "" ? [] : [{ path, text: own, is: "shell", cwd: folder }];
}

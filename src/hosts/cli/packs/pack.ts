/** The packs of rules that come with Hookline: rules files whose rules name their level, cut to what a person wants of them. */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isRecord } from "../../../engine/schema.ts";
import { jsonOf } from "../../../formats/reading/tree.ts";
import { openYaml } from "../../../formats/reading/yaml-tree.ts";

export const levels = ["quiet", "standard", "strict"] as const;
export type Level = (typeof levels)[number];
export const isLevel = (name: string): name is Level => levels.some((one) => one === name);

export const packNames = ["guard"] as const;
export type PackName = (typeof packNames)[number];
export const isPackName = (name: string): name is PackName => packNames.some((one) => one === name);

export interface PackRule {
  id: string;
  level: Level;
  decision: string;
  reason: string;
  /** As the pack's file has it, with its comments. */
  text: string;
}
export interface Pack {
  name: PackName;
  version: number;
  about: string;
  rules: readonly PackRule[];
}

interface PackFile {
  version: number;
  description: string;
  hooks: unknown[];
}

/** @param bin of the package that the pack comes with */
export function readPack(name: PackName, bin: string): Pack {
  const text = readFileSync(join(dirname(bin), "..", "packs", `${name}.yaml`), "utf8");
  const { root } = openYaml(text, { dialect: "rules", layer: "user" });
  // A file of this very package, which a test reads whole.
  const { version, description, hooks } = (root ? jsonOf(root) : {}) as unknown as PackFile;
  const texts = textsOf(text);
  const rules = hooks.filter(isRecord).map((hook): PackRule => {
    const id = String(hook.id);
    const [level = ""] = Array.isArray(hook.tags) ? hook.tags.map(String) : [];
    const action = isRecord(hook.action) ? hook.action : {};
    const own = texts.get(id);
    if (!isLevel(level) || own === undefined) throw new Error(`the rule ${id} of the pack ${name} has no level`);
    return { id, level, decision: String(action.decision ?? "deny"), reason: String(action.reason ?? ""), text: own };
  });
  return { name, version, about: description, rules };
}

/** Each rule as it is written, with the heading that stands before it. */
function textsOf(file: string): ReadonlyMap<string, string> {
  const [, body = ""] = file.split(/^hooks:\n/m);
  const texts = new Map<string, string>();
  let heading = "";
  for (const part of body.replace(/^x-[\s\S]*/m, "").split(/^(?= {2}- id: )/m)) {
    const [, id] = /^ {2}- id: (\S+)/.exec(part) ?? [];
    const lines = part.trimEnd().split("\n");
    const end = lines.findLastIndex((line) => line !== "" && !line.startsWith("  #")) + 1;
    if (id !== undefined) texts.set(id, `${heading}${lines.slice(0, end).join("\n")}\n`);
    const next = lines.slice(end).filter((line) => line !== "");
    heading = next.length === 0 ? "" : `${next.join("\n")}\n\n`;
  }
  return texts;
}

export const rulesAt = ({ rules }: Pack, level: Level): readonly PackRule[] =>
  rules.filter((rule) => levels.indexOf(rule.level) <= levels.indexOf(level));

/** For editors, from our folder of rules. */
const schemaLine = "# yaml-language-server: $schema=../schemas/rules.json";

const mark = (name: PackName): string => `# Hookline's ${name} pack, version`;

export interface PackOptions {
  level: Level;
  /** Each rule only records what it would do. */
  report: boolean;
  /** Rules of the person's own that stood in the file. */
  kept?: string;
}

/** The rules file that a person gets. */
export function fileOf(pack: Pack, { level, report, kept = "" }: PackOptions): string {
  const mode = report ? ", report only" : "";
  const head = `${mark(pack.name)} ${pack.version}, level ${level}${mode}. The file is yours: change what you like.\n# hookline add ${pack.name} --update shows what a newer version would change.\n${schemaLine}\n`;
  const own = kept.trim() === "" ? "" : `\n${kept.trimEnd()}\n`;
  return `${head}hooks:\n${rulesAt(pack, level)
    .map(({ text }) => (report ? text.replace(/^( {4})(?=on: )/m, "$1report: true\n$1") : text))
    .join("\n")}${own}`;
}

/** The level that a file was written with; undefined: it is not of this pack. */
export function levelOf(text: string, name: PackName): Level | undefined {
  const [, level = ""] = new RegExp(`^${mark(name)} \\d+, level (\\w+)`).exec(text) ?? [];
  return isLevel(level) ? level : undefined;
}

export const isReportOnly = (text: string): boolean => /^.*, report only\./.test(text);

/** Rules in the file that are not the pack's. */
export const ownRules = (text: string, { rules }: Pack): string =>
  [...textsOf(text)].flatMap(([id, one]) => (rules.some((rule) => rule.id === id) ? [] : [one])).join("\n");

/** hookline add: writes a pack of rules into a rules file, after it has shown what comes. */
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { configFolder } from "../../../agents/index.ts";
import { nearest } from "../../../engine/nearest.ts";
import { writeWhole } from "../../../files/write.ts";
import { findProject } from "../../../loading/project.ts";
import { trustRecords } from "../../compose/trust.ts";
import { type ExitCode, type Invocation, textFlag, usageError } from "../command.ts";
import { whyAgent } from "../guards/person.ts";
import { patchLines } from "../patch-lines.ts";
import { askForKey, isPersonThere, safeText, shortPath } from "../terminal.ts";
import { foldersAt } from "../trust/folders.ts";
import {
  fileOf,
  isLevel,
  isPackName,
  isReportOnly,
  type Level,
  levelOf,
  levels,
  ownRules,
  type Pack,
  packNames,
  readPack,
  rulesAt,
} from "./pack.ts";

export async function add(invocation: Invocation): Promise<ExitCode> {
  const [name] = invocation.words;
  if (name === undefined || invocation.flags.list === true) return list(invocation, name);
  const pack = packOf(name, invocation);
  const file = fileFor(pack, invocation);
  const before = existsSync(file) ? readFileSync(file, "utf8") : undefined;
  const level =
    wantedLevel(invocation) ?? (before === undefined ? undefined : levelOf(before, pack.name)) ?? "standard";
  const shown = shortPath(file, invocation.cwd, invocation.home);
  if (before !== undefined && !mayReplace(before, pack, invocation)) {
    invocation.terminal.print(
      `nothing to do: ${shown} is there already; hookline add ${name} --update compares it with the pack`,
    );
    return 0;
  }
  const report =
    invocation.flags.report === true ||
    (before !== undefined && invocation.flags.obey !== true && isReportOnly(before));
  const after = fileOf(pack, { level, report, kept: before === undefined ? "" : ownRules(before, pack) });
  if (before === after) {
    invocation.terminal.print(
      `nothing to do: ${shown} holds the pack ${name}, version ${pack.version}, level ${level}`,
    );
    return 0;
  }
  const agent = before === undefined ? undefined : whyAgent(invocation.environment);
  if (agent !== undefined) {
    invocation.terminal.error(
      `hookline: ${shown} was not changed — ${agent} — only a person can change the rules that an agent works under: type the command in a terminal of your own`,
    );
    return 1;
  }
  show(pack, level, { before, after, shown, invocation });
  if (!(await isWanted(invocation, shown))) {
    invocation.terminal.print("nothing was written");
    return 1;
  }
  mkdirSync(dirname(file), { recursive: true });
  writeWhole(file, after);
  await trustFile(file, invocation);
  invocation.terminal.print(`written: ${shown}, ${rulesAt(pack, level).length} rules, level ${level}`);
  invocation.terminal.print(
    'try it: hookline explain PreToolUse --data \'{"tool_name":"Bash","tool_input":{"command":"git push --force"}}\'',
  );
  return 0;
}

function packOf(name: string, { self: [, bin], usage }: Invocation): Pack {
  if (isPackName(name)) return readPack(name, bin);
  const near = nearest(name, packNames);
  throw usageError(
    `no pack is called "${name}"${near === undefined ? `; there is ${packNames.join(", ")}` : `; did you mean "${near}"?`}`,
    usage,
  );
}

function wantedLevel({ flags, usage }: Invocation): Level | undefined {
  const level = textFlag(flags, "level");
  if (level === undefined || isLevel(level)) return level;
  throw usageError(`no level is called "${level}"; there are ${levels.join(", ")}`, usage);
}

/** A file that is there is replaced only where a person asks for that: another level, or --update. */
const mayReplace = (before: string, { name }: Pack, { flags }: Invocation): boolean =>
  flags.update === true ||
  flags.report === true ||
  flags.obey === true ||
  (textFlag(flags, "level") !== undefined && textFlag(flags, "level") !== levelOf(before, name));

function fileFor({ name }: Pack, invocation: Invocation): string {
  if (invocation.flags.user === true) return join(configFolder(invocation), "rules", `${name}.yaml`);
  return join(findProject(invocation.cwd, invocation.home).root, ".hookline", "rules", `${name}.yaml`);
}

interface Change {
  before: string | undefined;
  after: string;
  shown: string;
  invocation: Invocation;
}

function show(pack: Pack, level: Level, { before, after, shown, invocation: { terminal } }: Change): void {
  if (before === undefined) {
    terminal.print(`${shown} (new): the pack ${pack.name}, level ${level}`);
    for (const { id, decision, reason } of rulesAt(pack, level))
      terminal.print(`  ${decision.padEnd(5)} ${id}: ${reason}`);
    return;
  }
  terminal.print(shown);
  for (const line of patchLines(before, after)) terminal.print(`  ${safeText(line)}`);
}

/** Who asks for it without a terminal has asked; at one, a person sees first what comes. */
async function isWanted(invocation: Invocation, shown: string): Promise<boolean> {
  if (invocation.flags.yes === true || !isPersonThere(invocation)) return true;
  return (await askForKey(`Write ${safeText(shown)}? [y/N] `, invocation)) === "y";
}

/** The person who asked for the pack has read it here: of the folder nothing else is trusted by that. */
async function trustFile(file: string, invocation: Invocation): Promise<void> {
  const records = trustRecords(invocation);
  for (const { path, items } of await foldersAt(invocation, records)) {
    const own = items.filter(({ item, isTrusted }) => isTrusted || join(path, item.file) === file);
    if (own.some(({ isTrusted }) => !isTrusted))
      records.add(
        path,
        own.map(({ item }) => item),
        Date.now(),
      );
  }
}

function list({ self: [, bin], terminal, json, usage }: Invocation, name: string | undefined): ExitCode {
  if (name !== undefined && !isPackName(name))
    throw usageError(`no pack is called "${name}"; there is ${packNames.join(", ")}`, usage);
  const packs = (name === undefined ? packNames : [name]).map((one) => readPack(one, bin));
  if (json) {
    terminal.print(
      JSON.stringify(packs.map((pack) => ({ ...pack, rules: pack.rules.map(({ text: _text, ...rule }) => rule) }))),
    );
    return 0;
  }
  for (const pack of packs) {
    const counts = levels.map((level) => `${level} ${rulesAt(pack, level).length}`).join(", ");
    terminal.print(`${pack.name}, version ${pack.version}: ${pack.about} (rules: ${counts})`);
    for (const { id, level, decision, reason } of pack.rules)
      terminal.print(`  ${level.padEnd(8)} ${decision.padEnd(5)} ${id}: ${reason}`);
  }
  return 0;
}

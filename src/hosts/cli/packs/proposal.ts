/** What a pack or a recipe would write: shown first, then written and trusted. `add` and `init` share it. */
import { mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { configFolder } from "../../../agents/index.ts";
import { type FileEdit, readText } from "../../../agents/install/files.ts";
import { writeWhole } from "../../../files/write.ts";
import { findProject } from "../../../loading/project.ts";
import { trustRecords } from "../../compose/trust.ts";
import { type Invocation, textFlag, usageError } from "../command.ts";
import { showEdit } from "../patch-lines.ts";
import { shortPath } from "../terminal.ts";
import { foldersAt } from "../trust/folders.ts";
import {
  fileOf,
  isLevel,
  isReportOnly,
  type Level,
  levelOf,
  levels,
  ownRules,
  type PackName,
  type PackRule,
  readPack,
  rulesAt,
} from "./pack.ts";
import { type RecipeName, readRecipe } from "./recipe.ts";

export interface Proposal {
  name: string;
  about: string;
  /** Those that change something. */
  edits: readonly ProposedEdit[];
  /** What is there already, in words; a file that its owner has changed is there too. */
  same: readonly string[];
}
export interface ProposedEdit extends FileEdit {
  /** Shown instead of the lines of a new file, where these are too many to read. */
  instead?: readonly string[];
  /** Of a pack. */
  rules?: readonly PackRule[];
  /** Made from the code: nothing in it is a person's. */
  isGenerated?: true;
}

export interface ProposedPack extends Proposal {
  level: Level;
}

/** Our folder of the project, or of the user. */
export function ownFolder(invocation: Invocation): string {
  if (invocation.flags.user === true) return configFolder(invocation);
  return join(findProject(invocation.cwd, invocation.home).root, ".hookline");
}

/** With the flags of `add`. */
export function packProposal(name: PackName, invocation: Invocation): ProposedPack {
  const { flags, self } = invocation;
  const pack = readPack(name, self[1]);
  const folder = ownFolder(invocation);
  const file = join(folder, "rules", `${name}.yaml`);
  const before = readText(file);
  const now = before === undefined ? undefined : levelOf(before, name);
  const level = wantedLevel(invocation) ?? now ?? "standard";
  const shown = shortPath(file, invocation.cwd, invocation.home);
  const asked = flags.update === true || flags.report === true || flags.obey === true || level !== (now ?? level);
  const about = `${pack.about} (level ${level})`;
  if (before !== undefined && !asked) {
    const same = `${shown} is there already; hookline add ${name} --update compares it with the pack`;
    return { name, about, edits: [], same: [same], level };
  }
  const report = flags.report === true || (before !== undefined && flags.obey !== true && isReportOnly(before));
  const after = fileOf(pack, { level, report, kept: before === undefined ? "" : ownRules(before, pack) });
  if (before === after)
    return {
      name,
      about,
      edits: [],
      same: [`${shown} holds the pack ${name}, version ${pack.version}, level ${level}`],
      level,
    };
  const rules = rulesAt(pack, level);
  const instead = rules.map(({ id, decision, reason }) => `${decision.padEnd(5)} ${id}: ${reason}`);
  return {
    name,
    about,
    level,
    edits: [{ file, before, after, instead, rules }, ...schemaEdit(folder, invocation)],
    same: [],
  };
}

function wantedLevel({ flags, usage }: Invocation): Level | undefined {
  const level = textFlag(flags, "level");
  if (level === undefined || isLevel(level)) return level;
  throw usageError(`no level is called "${level}"; there are ${levels.join(", ")}`, usage);
}

/** The parts of a recipe that fit the project; none: `looksFor` says why. */
export function recipeProposal(
  name: RecipeName,
  invocation: Invocation,
): Proposal & { looksFor: readonly string[]; runs: string[] } {
  const folder = ownFolder(invocation);
  const { root } = findProject(invocation.cwd, invocation.home);
  const { about, parts, looksFor } = readRecipe(name, root, invocation.self[1]);
  const files = parts.map(({ file, text }): FileEdit => {
    const isScript = file.endsWith(".sh");
    const path = join(folder, isScript ? "hooks" : "rules", file);
    return { file: path, before: readText(path), after: text, mode: isScript ? 0o755 : 0o644 };
  });
  const isOpen = ({ before, after }: FileEdit): boolean =>
    before === undefined || (before !== after && invocation.flags.update === true);
  const edits = files.filter(isOpen);
  const isRules = edits.some(({ file }) => file.endsWith(".yaml"));
  return {
    ...{ name, about, looksFor },
    runs: parts.flatMap(({ runs = [] }) => runs),
    edits: [...edits, ...(isRules ? schemaEdit(folder, invocation) : [])],
    same: files
      .filter((edit) => !isOpen(edit))
      .map(({ file, before, after }) => {
        const shown = shortPath(file, invocation.cwd, invocation.home);
        return before === after
          ? `${shown} is the recipe ${name}`
          : `${shown} is there already; hookline add ${name} --update compares it with the recipe`;
      }),
  };
}

/** What the first line of our rules names, so that an editor completes and explains them. */
const schemaEdit = (folder: string, invocation: Invocation): ProposedEdit[] =>
  schemaEdits(["rules"], folder, invocation);

/** The schemas of formats, beside the files that name them. A project's own are kept. */
export function schemaEdits(
  names: readonly string[],
  folder: string,
  { self: [, bin], flags }: Invocation,
): ProposedEdit[] {
  return names.flatMap((name) => {
    const file = join(folder, "schemas", `${name}.json`);
    const before = readText(file);
    const after = readFileSync(join(dirname(bin), "..", "schema", `${name}.schema.json`), "utf8");
    if (before === after || (before !== undefined && flags.update !== true)) return [];
    const instead = [`what editors know of the format ${name}, as \`hookline schema ${name}\` prints it`];
    return [{ file, before, after, isGenerated: true, instead }];
  });
}

/** Each file with what would change in it. */
export function showProposal({ edits }: Pick<Proposal, "edits">, invocation: Invocation): void {
  for (const { instead, ...edit } of edits)
    showEdit(edit, invocation, instead && (edit.before === undefined || edit.isGenerated) ? { instead } : {});
}

/** The person who asked for it has read it: of the folder nothing else is trusted by that. */
export async function writeProposals(
  proposals: readonly Pick<Proposal, "edits">[],
  invocation: Invocation,
): Promise<void> {
  const edits = proposals.flatMap((one) => one.edits);
  for (const { file, after = "", mode } of edits) {
    mkdirSync(dirname(file), { recursive: true });
    writeWhole(file, after, mode === undefined ? {} : { mode });
  }
  const files = new Set(edits.map(({ file }) => file));
  const records = trustRecords(invocation);
  for (const { path, items } of await foldersAt(invocation, records)) {
    const own = items.filter(({ item, isTrusted }) => isTrusted || files.has(join(path, item.file)));
    if (own.some(({ isTrusted }) => !isTrusted))
      records.add(
        path,
        own.map(({ item }) => item),
        Date.now(),
      );
  }
}

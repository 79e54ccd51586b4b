/** The settings of VS Code in a project, with which it completes and explains hook files, and the schemas that they name. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { readText } from "../../../agents/install/files.ts";
import { elementsOf, parseObject, propertyOf, valueUnder, withValue } from "../../../agents/install/json-edit.ts";
import { formats } from "../../../formats/schemas.ts";
import type { Invocation } from "../command.ts";
import { ownFolder, type Proposal, type ProposedEdit, schemaEdits } from "../packs/proposal.ts";
import { shortPath } from "../terminal.ts";
import type { Here } from "./look.ts";

/** What stands in the settings by the key: `yaml.schemas` is read by the extension YAML, `json.schemas` by VS Code itself. */
const settings = { yaml: "yaml.schemas", json: "json.schemas" } as const;

/** Throws HooklineError settings_unusable. */
export function editorProposal(
  { root, loaded }: Pick<Here, "root" | "loaded">,
  coming: readonly string[],
  invocation: Invocation,
): Proposal & { isHere: boolean } {
  const folder = join(root, ".vscode");
  const file = join(folder, "settings.json");
  const paths = [...loaded.files.map(({ path }) => path), ...coming].map((path) => shortPath(path, root, ""));
  const used = Object.entries(formats).filter(
    ([, { language, files }]) => language && files.some((glob) => paths.some((path) => isIn(glob, path))),
  );
  const before = readText(file);
  let after = before ?? "{}\n";
  for (const [name, { language, files }] of used)
    if (language) after = withSchema(after, { file, name, language, files });
  const edits: ProposedEdit[] = [
    ...(after === (before ?? "{}\n") ? [] : [{ file, before, after }]),
    ...schemaEdits(
      used.map(([name]) => name),
      ownFolder(invocation),
      invocation,
    ),
  ];
  return {
    name: "VS Code",
    about: "completes and explains hook files by their schemas",
    edits,
    same:
      edits.length === 0 && before !== undefined && used.length > 0
        ? [`${shortPath(file, invocation.cwd, invocation.home)} names the schemas`]
        : [],
    isHere: existsSync(folder),
  };
}

/** The globs of the table have one `*`, in the name. */
const isIn = (glob: string, path: string): boolean => {
  const [start = "", end] = glob.split("*");
  return end === undefined
    ? path === glob
    : path.startsWith(start) && path.endsWith(end) && !path.slice(start.length).includes("/");
};

interface Wired {
  file: string;
  name: string;
  language: keyof typeof settings;
  files: readonly string[];
}

function withSchema(text: string, { file, name, language, files }: Wired): string {
  const url = `./.hookline/schemas/${name}.json`;
  const there = valueUnder(propertyOf(parseObject(text, file), settings[language]));
  if (language === "yaml")
    return propertyOf(there, url) ? text : withValue(text, file, [settings.yaml, url], [...files]);
  const list = elementsOf(there);
  const isThere = list.some((one) => valueUnder(propertyOf(one, "url"))?.value === url);
  return isThere ? text : withValue(text, file, [settings.json, list.length], { fileMatch: [...files], url });
}

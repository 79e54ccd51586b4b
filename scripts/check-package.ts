/**
 * What people get from npm, looked at as a package: its fields and files (publint), its types under each way of finding modules
 * (are the types wrong), its exported names, and the examples of these, which must compile. `--write` writes docs/exports.md.
 */
import { globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { checkPackage, Package } from "@arethetypeswrong/core";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import ts from "typescript-for-its-server";
import { assemblePackage } from "./package/assemble.ts";
import { type Exported, exportedOf, exportsPage } from "./package/exports-page.ts";

const page = join("docs", "exports.md");
const folder = assemblePackage();
const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
const entries = Object.fromEntries(
  Object.entries<{ types?: string }>(manifest.exports).flatMap(([name, { types }]) =>
    types === undefined ? [] : [[join("hookline", name), join(folder, types)]],
  ),
);
const types = ts.createProgram(Object.values(entries), settings());
const exported = exportedOf(types, entries);
const made = exportsPage(exported);
if (process.argv.includes("--write")) writeFileSync(page, made);

const complaints = [
  ...(await publintComplaints()),
  ...(await typeComplaints()),
  ...(readFileSync(page, "utf8") === made ? [] : [`${page}: it is stale — node scripts/check-package.ts --write`]),
  ...exported.flatMap(({ entry, name, isValue, example }) =>
    isValue && example === undefined ? [`${entry}: ${name} has no @example in its docstring`] : [],
  ),
  ...compileComplaints(exported),
];
for (const complaint of complaints) console.log(complaint);
console.log(`${exported.length} exported names, ${complaints.length} complaints`);
process.exitCode = complaints.length === 0 ? 0 : 1;

/** Files that are links here are files of the package: only the fields and the entries are looked at. */
async function publintComplaints(): Promise<string[]> {
  const { messages } = await publint({ pkgDir: folder, pack: false, level: "warning", strict: true });
  return messages.map((message) => `package.json: ${formatMessage(message, manifest) ?? message.code}`);
}

/** Programs import it as a module: Node 22 and later, and bundlers. */
async function typeComplaints(): Promise<string[]> {
  const files = globSync("{package.json,dist/*.js,dist/types/**/*.d.ts}", { cwd: folder });
  const texts = files.map((file) => [`/node_modules/hookline/${file}`, readFileSync(join(folder, file), "utf8")]);
  const found = await checkPackage(new Package(Object.fromEntries(texts), "hookline", manifest.version));
  if (found.types === false) return ["the package has no types"];
  return found.problems.flatMap((problem) => {
    const way = "resolutionKind" in problem ? problem.resolutionKind : "";
    const isMeant = way !== "node10" && problem.kind !== "CJSResolvesToESM"; // neither knows modules, or entries
    return isMeant ? [`types: ${problem.kind} ${"entrypoint" in problem ? problem.entrypoint : ""} ${way}`] : [];
  });
}

/** The examples of docstrings and test/types, as programs of their own beside the installed package. */
function compileComplaints(exported: readonly Exported[]): string[] {
  const place = dirname(dirname(folder));
  mkdirSync(join(place, "types"));
  const programs: [string, string][] = exported.flatMap(({ name, example, entry }) =>
    example === undefined ? [] : [[`${entry.replaceAll("/", "-")}-${name}.ts`, programOf(example)]],
  );
  for (const file of globSync("test/types/*.ts"))
    programs.push([join("types", relative("test/types", file)), readFileSync(file, "utf8")]);
  for (const [name, text] of programs) writeFileSync(join(place, name), text);
  writeFileSync(join(place, "package.json"), `{"type": "module"}`);
  const compiled = ts.createProgram(
    programs.map(([name]) => join(place, name)),
    settings(),
  );
  return ts.getPreEmitDiagnostics(compiled).map((found) => {
    const { line = 0 } =
      found.start === undefined ? {} : (found.file?.getLineAndCharacterOfPosition(found.start) ?? {});
    const file = found.file ? relative(place, found.file.fileName) : "";
    return `${file}:${line + 1} ${ts.flattenDiagnosticMessageText(found.messageText, "\n")}`;
  });
}

/** An example names what it imports; one that imports nothing is given all of the entry. */
function programOf(example: string): string {
  const text = example.replace(/^```\w*\n|\n```$/g, "");
  const used = exported.filter(({ name, isValue }) => isValue && new RegExp(`\\b${name}\\b`).test(text));
  const imports = [...new Set(used.map(({ entry }) => entry))].map(
    (entry) => `import { ${used.filter((one) => one.entry === entry).map(({ name }) => name)} } from "${entry}";\n`,
  );
  return `${text.includes('from "hookline') ? "" : imports.join("")}${text}\nexport {};\n`;
}

function settings(): ts.CompilerOptions {
  return {
    ...{
      strict: true,
      noEmit: true,
      skipLibCheck: false,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
    },
    ...{ target: ts.ScriptTarget.ES2023, types: ["node"] },
    ...{ module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext },
  };
}

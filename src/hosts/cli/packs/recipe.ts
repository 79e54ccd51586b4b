/** The recipes that come with Hookline: ordinary hook files, and by which files of a project one sees that they fit. Nothing of the project runs. */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isRecord } from "../../../engine/schema.ts";
import { readSmallFile } from "../../../loading/read-file.ts";

/** What a file in the project's folder shows. */
interface Sign {
  file: string;
  /** In its text. */
  holds?: RegExp;
  /** In its JSON, something stands there, which is not `but`. */
  at?: readonly string[];
  but?: RegExp;
}

interface Part {
  /** In packs/recipes/. */
  file: string;
  /** One of them is enough; absent: it fits everywhere. */
  signs?: readonly Sign[];
  /** The tool that it runs, as a person types it. */
  runs?: string;
  /** Only where no other part of the recipe fits. */
  otherwise?: true;
}

const dependency = (name: string): Sign[] =>
  ["devDependencies", "dependencies"].map((list) => ({ file: "package.json", at: [list, name] }));
const pyproject = (holds: RegExp): Sign => ({ file: "pyproject.toml", holds });

/** In the order in which `init` proposes them. */
export const recipeNames = ["push", "tests", "format", "waits"] as const;
export type RecipeName = (typeof recipeNames)[number];
export const isRecipeName = (name: string): name is RecipeName => recipeNames.some((one) => one === name);

const recipes: Readonly<Record<RecipeName, readonly Part[]>> = {
  push: [{ file: "push.yaml", signs: [{ file: ".git" }] }],
  tests: [
    {
      file: "tests-node.sh",
      runs: "npm test",
      signs: [{ file: "package.json", at: ["scripts", "test"], but: /no test specified/ }],
    },
    {
      file: "tests-python.sh",
      runs: "pytest",
      signs: [
        pyproject(/^\[tool\.pytest\b|["']pytest\b|^pytest\s*=/m),
        { file: "pytest.ini" },
        { file: "conftest.py" },
        { file: "setup.cfg", holds: /^\[tool:pytest\]/m },
        { file: "tox.ini", holds: /\bpytest\b/ },
        { file: "requirements-dev.txt", holds: /^pytest\b/m },
        { file: "requirements.txt", holds: /^pytest\b/m },
      ],
    },
    { file: "tests-rust.sh", runs: "cargo test", signs: [{ file: "Cargo.toml" }] },
    { file: "tests-go.sh", runs: "go test ./...", signs: [{ file: "go.mod" }] },
    { file: "tests-make.sh", runs: "make test", signs: [{ file: "Makefile", holds: /^test\s*:/m }], otherwise: true },
  ],
  format: [
    {
      file: "format-prettier.sh",
      runs: "prettier",
      signs: [
        ...dependency("prettier"),
        ...["", ".json", ".yaml", ".yml"].map((end) => ({ file: `.prettierrc${end}` })),
      ],
    },
    {
      file: "format-biome.sh",
      runs: "biome",
      signs: [...dependency("@biomejs/biome"), { file: "biome.json" }, { file: "biome.jsonc" }],
    },
    {
      file: "format-ruff.sh",
      runs: "ruff format",
      signs: [pyproject(/^\[tool\.ruff\b/m), { file: "ruff.toml" }, { file: ".ruff.toml" }],
    },
    { file: "format-black.sh", runs: "black", signs: [pyproject(/^\[tool\.black\]/m)] },
    { file: "format-rustfmt.sh", runs: "cargo fmt", signs: [{ file: "Cargo.toml" }] },
    { file: "format-gofmt.sh", runs: "gofmt", signs: [{ file: "go.mod" }] },
  ],
  waits: [{ file: "waits.yaml" }],
};

/** Of a project, by the file that shows it. */
const languages: readonly (readonly [language: string, files: readonly string[]])[] = [
  ["TypeScript", ["tsconfig.json"]],
  ["JavaScript", ["package.json"]],
  ["Python", ["pyproject.toml", "setup.py", "setup.cfg", "requirements.txt"]],
  ["Rust", ["Cargo.toml"]],
  ["Go", ["go.mod"]],
  ["Java", ["pom.xml", "build.gradle", "build.gradle.kts"]],
  ["Ruby", ["Gemfile"]],
  ["PHP", ["composer.json"]],
  ["C or C++", ["CMakeLists.txt", "meson.build"]],
];

export const languagesIn = (root: string): string[] =>
  languages.flatMap(([language, files]) => (files.some((file) => isSeen({ file }, root)) ? [language] : []));

export interface RecipePart {
  file: string;
  text: string;
  runs?: string;
}
export interface Recipe {
  name: RecipeName;
  about: string;
  /** Those that fit. */
  parts: readonly RecipePart[];
  /** The files that it looks at. */
  looksFor: readonly string[];
}

/** @param bin of the package that the recipe comes with */
export function readRecipe(name: RecipeName, root: string, bin: string): Recipe {
  const all = recipes[name];
  const seen = all.filter(({ signs }) => !signs || signs.some((sign) => isSeen(sign, root)));
  const fitting = seen.some(({ otherwise }) => !otherwise) ? seen.filter(({ otherwise }) => !otherwise) : seen;
  const textOf = ({ file }: Part): string => readFileSync(join(dirname(bin), "..", "packs", "recipes", file), "utf8");
  const [about = ""] = all.flatMap((part) => /^(?:# )?description: (.*)$/m.exec(textOf(part))?.[1] ?? []);
  return {
    name,
    about,
    parts: fitting.map((part) => ({ file: part.file, text: textOf(part), ...(part.runs && { runs: part.runs }) })),
    looksFor: [...new Set(all.flatMap(({ signs = [] }) => signs.map(({ file }) => file)))],
  };
}

function isSeen({ file, holds, at, but }: Sign, root: string): boolean {
  const read = readSmallFile(join(root, file));
  if (!holds && !at) return read.is !== "absent";
  if (read.is !== "read") return false;
  if (holds) return holds.test(read.text);
  const value = (at ?? []).reduce<unknown>(
    (inner, key) => (isRecord(inner) ? inner[key] : undefined),
    jsonOf(read.text),
  );
  return typeof value === "string" && value !== "" && !but?.test(value);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // a broken manifest shows nothing
  }
}

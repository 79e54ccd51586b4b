/**
 * npm run build: what people install. The command in chunks, so that each use loads only its own; the library; its types.
 * With a folder as its word, it goes there instead, without the types: scripts/package-for-tests.ts.
 * node scripts/build.ts --clone=STATE: what agents run of a clone, in build/, without types; src/hosts/cli/agents/clone-bundle.ts says why.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { type BuildOptions, build, type Plugin } from "esbuild";

const words = process.argv.slice(2);
const cloneState = words.find((word) => word.startsWith("--clone="))?.slice("--clone=".length);
const isForClone = cloneState !== undefined;
const elsewhere = words.find((word) => !word.startsWith("--"));
const outdir = isForClone ? join("build", `.new-${process.pid}`) : (elsewhere ?? "dist");

/** Our own programs in sh and JavaScript: their texts take the place of the calls that read them (src/files/own-files.ts). */
const ownTexts: Plugin = {
  name: "own texts",
  setup({ onLoad }) {
    onLoad({ filter: /\/src\/.*\.ts$/ }, ({ path }) => {
      const source = readFileSync(path, "utf8");
      const contents = source.replace(/\bownText\(import\.meta\.url, "([^"]+)"\)/g, (_call, file: string) =>
        JSON.stringify(readFileSync(join(dirname(path), file), "utf8")),
      );
      return contents === source ? undefined : { contents, loader: "ts" };
    });
  },
};

const common: BuildOptions = {
  outdir,
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  mainFields: ["module", "main"], // jsonc-parser's other build loads its parts by names that a bundler cannot see
  target: "node22",
  chunkNames: "chunks/[name]-[hash]",
  legalComments: "none", // licences of what is bundled stand in NOTICE
  // What an earlier build compiled is not read back. A clone's bundle and its sources are one version: they speak to each other.
  define: {
    BUILT_FROM: JSON.stringify(buildName()),
    BUILT_IN_CLONE: String(isForClone),
    TRUSTS_ALL: "false", // scripts/package-for-tests.ts makes the other from it
  },
  // CommonJS libraries ask for require when they run.
  banner: { js: 'const require = process.getBuiltinModule("node:module").createRequire(import.meta.url);' },
  // Parts of DBOS that it loads where someone has installed them.
  external: ["@opentelemetry/*", "@dbos-inc/dbos-enterprise", "winston", "winston-transport"],
  plugins: [ownTexts],
  logLevel: "warning",
};

/** Names this build by its sources. */
function buildName(): string {
  const sources = globSync(["{src,testing}/**/*.{ts,js,sh}", "examples/demo/*.ts"])
    .sort()
    .map((file) => readFileSync(file, "utf8"));
  return createHash("sha256").update(sources.join("\0")).digest("hex").slice(0, 16);
}

rmSync(outdir, { recursive: true, force: true });
// The hot command in one file: together with what it loads on demand it would be cut into two dozen, which takes 8 ms to load.
const onDemand = new Map<string, string>();
await build({
  ...common,
  splitting: false,
  entryPoints: { hook: "src/hosts/cli/hook.ts" },
  plugins: [ownTexts, apart(onDemand)],
  banner: {},
});
// So are the parts that it loads for hooks of one kind: ten shared chunks instead cost 7 ms where there is such a hook.
const alone = ["on-demand/actions-command-protocols-registry", "on-demand/actions-script-records"];
const parts = Object.fromEntries([...onDemand].filter(([output]) => alone.includes(output)));
if (Object.keys(parts).length < alone.length) throw new Error(`no longer loaded on demand: one of ${alone.join(", ")}`);
await build({ ...common, splitting: false, entryPoints: parts });
for (const output of alone) onDemand.delete(output);
await build({
  ...common,
  entryPoints: {
    ...Object.fromEntries([...onDemand].sort()), // in one order: two builds of one state are the same, byte for byte
    main: "src/hosts/cli/main.ts",
    index: "src/index.ts",
    "module-process": "src/hosts/modules/module-process.ts", // where a project's modules run
    define: "src/define.ts", // what a project's modules import from "hookline" while Hookline loads them
    ...(isForClone ? {} : { testing: "testing/index.ts" }),
  },
});
for (const file of globSync(join(outdir, "**/*.js"))) writeFileSync(file, withoutFacades(readFileSync(file, "utf8")));
writeFileSync(join(outdir, "hook.cjs"), asScript(readFileSync(join(outdir, "hook.js"), "utf8")));
rmSync(join(outdir, "hook.js"));
if (!isForClone) {
  const { buildDashboard } = await import("./build-dashboard.ts"); // what makes pages is not loaded for agents
  const { buildSite } = await import("./build-site.ts");
  await buildDashboard(join(outdir, "dashboard"));
  await buildSite(join(outdir, "site"));
}
if (isForClone) putInPlace(cloneState);
else if (elsewhere === undefined) {
  const tsc = join("node_modules", ".bin", "tsc");
  const { status, stdout } = spawnSync(tsc, ["-p", "tsconfig.build.json"], { encoding: "utf8" });
  if (status !== 0) console.log(stdout);
  process.exitCode = status ?? 1;
}

/** File by file, each in one step: agents run what is there meanwhile, and a daemon loads chunks of the build that it began with. */
function putInPlace(state: string): void {
  const put = (from: string, to: string): void => {
    mkdirSync(dirname(to), { recursive: true });
    renameSync(from, to);
  };
  const built = globSync("**/*", { cwd: outdir, withFileTypes: true }).filter((one) => one.isFile());
  for (const { parentPath, name } of built) {
    const file = join(parentPath, name);
    put(file, join("build", "dist", relative(outdir, file)));
  }
  for (const file of [join("bin", "hookline.js"), "package.json", ...globSync("native/*/*")]) {
    const copy = join(outdir, basename(file));
    cpSync(file, copy);
    put(copy, join("build", file));
  }
  rmSync(outdir, { recursive: true });
  const dayAgo = Date.now() - 86_400_000;
  for (const chunk of globSync("build/dist/chunks/*")) if (statSync(chunk).mtimeMs < dayAgo) rmSync(chunk);
  writeFileSync(join("build", "built-from"), state);
}

/** Leaves what is imported on demand out of a bundle, to be loaded from `on-demand/`; notes which entries that needs. */
function apart(entries: Map<string, string>): Plugin {
  return {
    name: "apart",
    setup({ onResolve }) {
      onResolve({ filter: /./ }, ({ kind, path, resolveDir }) => {
        if (kind !== "dynamic-import" || path.startsWith("node:")) return undefined;
        const entry = path.startsWith(".") ? join(resolveDir, path) : path;
        const name = path.startsWith(".") ? relative("src", entry).replace(/\.ts$/, "") : path;
        const output = `on-demand/${name.replaceAll(/[@/]+/g, "-")}`;
        entries.set(output, entry);
        return { path: `./${output}.js`, external: true };
      });
    },
  };
}

/**
 * An import of one of Node's modules reads every export of it, and some load half of Node: node:fs its streams and
 * promises (5 ms at each start). Asked for by name, only what is used is read.
 */
function withoutFacades(bundle: string): string {
  return bundle.replaceAll(
    /^import \{([^}]*)\} from "(node:\w+)";$/gm,
    (_statement, names: string, from: string) =>
      `const {${names.replaceAll(" as ", ": ")}} = process.getBuiltinModule("${from}");`,
  );
}

/**
 * One expression, a function that is given what loads a part on demand: bin/hookline.js says why the hot command is no module.
 * The first line names the text.
 */
function asScript(bundle: string): string {
  const body = bundle.replaceAll(/\bimport\(("\.\/on-demand\/[^"]+")\)/g, "loadPart($1)");
  const left = /\bimport\(|^(?:import|export)\b.*|\bimport\.meta\b|\brequire\(/m.exec(body);
  if (left) throw new Error(`the hot command is a script, which cannot have this: ${left[0]}`);
  const name = createHash("sha256").update(body).digest("hex").slice(0, 16);
  return `//${name}\n(async (loadPart) => {\n"use strict";\n${body}})\n`;
}

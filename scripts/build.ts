/** npm run build: what people install. The command in chunks, so that each use loads only its own; the library; its types. */
import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

rmSync("dist", { recursive: true, force: true });
await build({
  entryPoints: {
    main: "src/cli/main.ts",
    hook: "src/cli/hook.ts",
    index: "src/index.ts",
    testing: "src/testing/index.ts",
  },
  outdir: "dist",
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  mainFields: ["module", "main"], // jsonc-parser's other build loads its parts by names that a bundler cannot see
  target: "node22",
  chunkNames: "chunks/[name]-[hash]",
  legalComments: "none", // licences of what is bundled stand in NOTICE
  define: { "import.meta.bundled": "true" },
  // CommonJS libraries ask for require when they run.
  banner: {
    js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);',
  },
  logLevel: "warning",
});
const { status, stdout } = spawnSync(join("node_modules", ".bin", "tsc"), ["-p", "tsconfig.build.json"], {
  encoding: "utf8",
});
if (status !== 0) console.log(stdout);
process.exitCode = status ?? 1;

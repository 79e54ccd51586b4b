/** The one way in which tests start `hookline`: the bundle that users have, not the sources. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { buildSync } from "esbuild";
import { packageForTests } from "../scripts/package-for-tests.ts";

/** The runner has built it; of a file that is run by hand it is built here. */
const folder: string = process.env.HOOKLINE_TEST_PACKAGE ?? packageForTests();

/** To be started by `process.execPath`. */
export const bin: string = join(folder, "bin", "hookline.js");

/** As `NODE_COMPILE_CACHE`: a home of its own would have each test compile all anew. */
export const codeCache: string = join(folder, "code");

const bundles = new Map<string, string>();

/**
 * A program of the tests in one file of JavaScript, built when it is first asked for: to load it with all that it imports
 * from the sources takes several times as long, and it is started often.
 */
export function bundled(source: string): string {
  const ready = bundles.get(source);
  if (ready) return ready;
  const place = mkdtempSync(join(tmpdir(), "hookline-bundled-"));
  process.once("exit", () => rmSync(place, { recursive: true, force: true }));
  const outfile = join(place, `${basename(source, ".ts")}.mjs`);
  buildSync({
    entryPoints: [source],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node24",
    mainFields: ["module", "main"],
    banner: { js: 'const require = process.getBuiltinModule("node:module").createRequire(import.meta.url);' },
    logLevel: "error",
  });
  bundles.set(source, outfile);
  return outfile;
}

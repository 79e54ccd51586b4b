/** A package whose hot command the tests exchange, and the code that it keeps. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { temporaryFolder } from "../../temporary-folder.ts";

const bin = join(import.meta.dirname, "..", "..", "..", "bin", "hookline.js");

interface Installed {
  /** Puts another hot command in the package. */
  holds(name: string, says: string): void;
  /** What the command says; that it ends well is checked. */
  runs(environment?: Readonly<Record<string, string>>): string;
  code: string;
  /** Files of kept code. */
  kept(): string[];
}

export function installed(t: TestContext): Installed {
  const folder = temporaryFolder(t);
  const dist = join(folder, "package", "dist");
  mkdirSync(dist, { recursive: true });
  cpSync(bin, join(folder, "package", "bin", "hookline.js"));
  writeFileSync(join(folder, "package", "package.json"), '{"type":"module"}');
  writeFileSync(join(dist, "part.js"), 'export const end = "!";');
  const code = join(folder, "state", "hookline", "code");
  return {
    holds(name, says) {
      const body = `const said = () => ${JSON.stringify(says)};\nconst { end } = await loadPart("./part.js");\n`;
      writeFileSync(
        join(dist, "hook.cjs"),
        `//${name}\n(async (loadPart) => {\n"use strict";\n${body}console.log(said() + end);\nprocess.exit(0);\n})\n`,
      );
    },
    runs(environment = { XDG_STATE_HOME: join(folder, "state") }) {
      const script = join(folder, "package", "bin", "hookline.js");
      const done = spawnSync(process.execPath, [script, "hook"], { env: { ...environment }, encoding: "utf8" });
      assert.equal(done.status, 0, done.stderr);
      assert.equal(done.stderr, "");
      return done.stdout.trim();
    },
    code,
    kept: () => readdirSync(code).filter((name) => name.startsWith("hook-")),
  };
}

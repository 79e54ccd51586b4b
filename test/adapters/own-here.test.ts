/** Which entries of ours are this machine's. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { isHere } from "../../src/agents/own-here.ts";

const home = mkdtempSync(join(tmpdir(), "hookline-here-"));
process.on("exit", () => rmSync(home, { recursive: true, force: true }));
writeFileSync(join(home, "script.js"), "", { mode: 0o600 });
writeFileSync(join(home, "program"), "", { mode: 0o700 });

const call = "hook claude-code --event Stop --by user";
for (const [line, is] of [
  [`node ${home}/script.js ${call}`, true],
  [`${home}/program "${home}/script.js" ${call}`, true],
  [`"$HOME/program" ${call}`, true],
  [`~/program ${call}`, true],
  [`hookline ${call}`, true],
  [`${home}/script.js ${call}`, false],
  [`node ${home}/missing.js ${call}`, false],
  [`${home}/program ${home}/missing.js ${call}`, false],
] as const)
  test(`an entry counts where what it starts is here and may be started: ${line.replaceAll(home, "HOME")} ${is}`, () => {
    const entry = { event: "Stop", handler: { type: "command", command: line } };
    assert.equal(isHere(entry, { home, environment: {}, token: undefined, isInstalled: true }), is);
  });

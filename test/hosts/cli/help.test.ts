/** What `hookline COMMAND --help` says. */
import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import test from "node:test";
import { commands, internalCommands } from "../../../src/hosts/cli/commands.ts";
import { flagTexts } from "../../../src/hosts/cli/flag-texts.ts";
import { runCommand } from "../../program.ts";

test("the help of a command explains each of its flags in lines that fit 80 columns", () => {
  const own = Object.entries(commands).filter(([name, { choose }]) => !internalCommands.has(name) && !choose);
  for (const [name, { flags }] of own) {
    const place = { cwd: tmpdir(), environment: { PATH: process.env.PATH ?? "", COLUMNS: "80" } };
    const { status, stdout } = runCommand([name, "--help"], place);
    assert.equal(status, 0, name);
    const [, ...explained] = stdout.split("\n\n").at(-1)?.split("\n") ?? [];
    for (const line of explained) assert.ok(line.length <= 80, `${name}: ${line}`);
    for (const flag of Object.keys(flags)) {
      const isInternal = flagTexts[`${name} --${flag}`]?.startsWith("internal:") === true;
      assert.equal(stdout.includes(`\n  --${flag} `), !isInternal, `${name} --${flag}`);
    }
  }
});

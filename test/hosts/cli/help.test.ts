/** What `hookline COMMAND --help` says. */
import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import test from "node:test";
import { internalCommands } from "../../../src/hosts/cli/commands.ts";
import { everyCommand } from "../../../src/hosts/cli/find.ts";
import { runCommand } from "../../program.ts";

test("the help of a command explains each of its flags and words in lines that fit 80 columns", async () => {
  for (const [name, { flags, arguments: words = [] }] of await everyCommand()) {
    if (internalCommands.has(name)) continue;
    const place = { cwd: tmpdir(), environment: { PATH: process.env.PATH ?? "", COLUMNS: "80" } };
    const { status, stdout } = runCommand([...name.split(" "), "--help"], place);
    assert.equal(status, 0, name);
    const [, ...explained] = stdout.split("\n\n").slice(1).join("\n").split("\n");
    for (const line of explained.filter((one) => !one.startsWith("example:")))
      assert.ok(line.length <= 80, `${name}: ${line}`);
    const asWords = words.map(({ title }) => title.toLowerCase());
    for (const { title } of words) assert.match(stdout, new RegExp(`^ {2}${title}(?: |$)`, "m"), `${name} ${title}`);
    for (const [flag, { isInternal }] of Object.entries(flags)) {
      const isThere = new RegExp(`^ {2}--(?:\\[no-\\])?${flag}(?: |$)`, "m").test(stdout);
      assert.equal(isThere, !isInternal && !asWords.includes(flag), `${name} --${flag}`);
    }
  }
});

test("the help of a command with many flags does not send its reader to the help", () => {
  const { stdout } = runCommand(["runs", "--help"], { cwd: tmpdir(), environment: { PATH: process.env.PATH ?? "" } });
  assert.match(stdout, /^usage: {3}hookline runs \[flags\]$/m);
});

test("who types an operation's name, or another tool's word for a command, is told which command is meant", () => {
  for (const [typed, meant] of [
    ["hooks", "list"],
    ["runs_show", "runs show"],
    ["task_create", "task create"],
    ["follow_ups", "follow-ups list"],
    ["automation_fire", "automation fire"],
    ["rn", "run"],
    ["lst", "list"],
  ] as const) {
    const { status, stderr } = runCommand([typed], { cwd: tmpdir(), environment: { PATH: process.env.PATH ?? "" } });
    assert.equal(status, 2, typed);
    assert.ok(stderr.includes(`did you mean \`hookline ${meant}\`?`), `${typed}: ${stderr}`);
  }
});

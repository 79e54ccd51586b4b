/** What loosens Hookline is for a person: no tool of any model, no route that a model can reach, and no way around it (R92). */
import assert from "node:assert/strict";
import test from "node:test";
import { isForPerson, loosening, loosensBy } from "../../src/engine/loosening.ts";
import { commandFor, everyCommand } from "../../src/hosts/cli/find.ts";
import { operations } from "../../src/operations/index.ts";
import { describeOperations, serveOperations } from "../../src/operations/serve.ts";

const marked = [...operations].flatMap(([name, row]) => (row.for === "person" ? [name] : []));

test("[R92] these operations are for a person: all that make, change or fire an automation, and that stop a project's hooks", () => {
  assert.deepEqual(marked, [
    "pause",
    "automation_create",
    "automation_edit",
    "automation_delete",
    "automation_enable",
    "automation_disable",
    "automation_fire",
    "automation_pause",
    "automation_resume",
    "automation_apply",
    "project_delete",
    "project_pause",
  ]);
  assert.deepEqual([...operations.keys()].filter(isForPerson), marked, "what reads shell lines knows the same");
  for (const [name, { readOnly }] of operations)
    if (readOnly) assert.equal(isForPerson(name), false, `${name} changes nothing`);
    else if (name.startsWith("automation_")) assert.equal(isForPerson(name), true, name);
});

test("[R92] none of them is a tool or a route for a model: they are not listed, and a call is refused with what a person types", async () => {
  const listed = describeOperations(operations, { forModels: true }).map(({ name }) => name);
  assert.deepEqual(
    marked.filter((name) => listed.includes(name)),
    [],
  );
  assert.deepEqual(describeOperations(operations, { forModels: true, only: ["automation_fire"] }), []);
  const nothing = {} as Parameters<typeof serveOperations>[1]; // a refused call asks for nothing
  const served = serveOperations(operations, nothing, { forModels: true });
  for (const name of marked) {
    const answer = await served.call(name, {}, { signal: new AbortController().signal });
    assert.equal(answer.is, "refused", name);
    assert.match(
      "message" in answer ? answer.message : "",
      /is for a person.*type `hookline (?:automation |project |pause`)/,
    );
  }
});

test("[R92] each command of the table of what loosens exists, and is known with flags of its own before and behind it", async () => {
  const all = await everyCommand();
  const later = ["automation approve", "automation deny", "automation retry"]; // as commands, not yet
  for (const { words, does } of loosening) {
    const [command = "", action] = words.split(" ");
    const isAction = action !== undefined && !all.has(command);
    assert.ok(later.includes(words) || all.has(isAction ? words : command), words);
    if (["add", "doctor"].includes(command)) continue; // with a flag alone
    for (const given of [[words], ["--json", words], ["--cwd", "/a b", words, "x"], [words, "--", "x"]])
      assert.equal(loosensBy(given.flatMap((one) => (one === words ? words.split(" ") : one))), does, given.join(" "));
  }
  assert.equal(loosensBy(["add", "guard", "--level=quiet"]), "change the rules of a pack");
  assert.equal(loosensBy(["doctor", "--fix"]), "change what Hookline has registered");
  for (const free of [
    "list",
    "add tests",
    "doctor",
    "trust list",
    "guard on a",
    "automation list",
    "uninstall a --dry-run",
    "pause --help",
  ])
    assert.equal(loosensBy(free.split(" ")), undefined, free);
});

test("[R92] a command whose name has two words is none where they are given as one, which no list of what loosens would know", async () => {
  const two = [...(await everyCommand()).keys()].filter((name) => name.includes(" "));
  assert.ok(two.includes("automation fire"));
  for (const name of two) {
    assert.equal(await commandFor(name, ["x"]), undefined, name);
    const [first = "", second = ""] = name.split(" ");
    assert.ok(await commandFor(first, [second]), name);
  }
});

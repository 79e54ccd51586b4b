import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import type { Fields } from "../../../src/engine/event.ts";
import { applicationEvents } from "../../../src/formats/automations/trigger.ts";
import { sectionsOf } from "../../../src/services/projects/notes.ts";
import { bundled } from "../../program.ts";
import { hookOn, type World, worldOf } from "./world.ts";

const withProject = async (world: World): Promise<World> => {
  await world.ask("project_create", { name: "app", workspace: world.place("app") });
  return world;
};
const write = async (world: World, input: Fields = {}): Promise<Fields> =>
  (await world.ask("note_write", { name: "Release plan", content: "first", project: "app", ...input })) as Fields; // a view

test("[A10, AT31] a note sends an event when it is created, updated and deleted, with exactly the promised fields", async (context) => {
  const world = await withProject(await worldOf(context));
  const { note_path } = await write(world);
  await write(world, { content: "second", title: "The plan" });
  await world.ask("note_delete", { name: "release-plan", project: "app" });
  const known = { project_id: "app", note_name: "release-plan", note_path };
  assert.deepEqual(
    world.events().map(({ name, data }) => [name, data]),
    [
      ["note.created", { ...known, title: "Release plan", operation: "created" }],
      ["note.updated", { ...known, title: "The plan", operation: "updated" }],
      ["note.deleted", { ...known, title: "The plan", operation: "deleted" }],
    ],
  );
  for (const { name, data } of world.events())
    assert.deepEqual(Object.keys(data).sort(), [...(applicationEvents[name]?.fields ?? [])].sort());
});

test("[AT31] each event of a note fires its hook, whose templates see name, operation and project", async (context) => {
  const said = "{{event.note_name}} {{event.operation}} {{event.project_id}}";
  const hooks = ["created", "updated", "deleted"].map((one) =>
    hookOn(`on-${one}`, `note.${one}`, [{ uses: "log", message: said }]),
  );
  const world = await withProject(await worldOf(context, { hooks }));
  await write(world);
  await write(world);
  await world.ask("note_delete", { name: "Release plan", project: "app" });
  const runs = await world.runs();
  assert.deepEqual(
    runs.reverse().map(({ hook, steps }) => [hook, steps[0]?.output.message]),
    [
      ["on-created", "release-plan created app"],
      ["on-updated", "release-plan updated app"],
      ["on-deleted", "release-plan deleted app"],
    ],
  );
});

test("note_path names a private file with the note's text, that is there before the event and goes with the note", async (context) => {
  const hooks = [hookOn("reader", "note.created", [{ uses: "read_file", path: "{{event.note_path}}" }])];
  const world = await withProject(await worldOf(context, { hooks }));
  const { note_path } = await write(world, { content: "the text\n" });
  const [run] = await world.runs();
  assert.equal(run?.steps[0]?.output.content, "the text");
  const path = String(note_path);
  assert.equal(readFileSync(path, "utf8"), "the text\n");
  assert.deepEqual([statSync(path).mode & 0o777, statSync(dirname(path)).mode & 0o777], [0o600, 0o700]);
  assert.deepEqual(readdirSync(dirname(path)), ["release-plan.md"]);
  await world.ask("note_delete", { name: "release-plan", project: "app" });
  assert.ok(!existsSync(path));
});

test("if the copy cannot be written, nothing was written and no event is sent", async (context) => {
  const world = await withProject(await worldOf(context));
  const { note_path } = await write(world);
  const folder = dirname(String(note_path));
  rmSync(folder, { recursive: true });
  writeFileSync(folder, "in the way");
  await assert.rejects(write(world, { content: "second" }), { message: /is no folder .* — move it away/ });
  rmSync(folder);
  mkdirSync(join(world.folder, "elsewhere"));
  symlinkSync(join(world.folder, "elsewhere"), folder);
  await assert.rejects(write(world, { content: "second" }), { message: /is a symbolic link .* — move it away/ });
  const shown = (await world.ask("note_show", { name: "release-plan", project: "app" })) as Fields; // a view
  assert.deepEqual([shown.content, world.events().length], ["first", 1]);
  assert.deepEqual(readdirSync(join(world.folder, "elsewhere")), []);
});

const dying = join(import.meta.dirname, "dying-note.ts");

for (const [what, before] of [
  ["its note is anew", "first"],
  ["was never a note is gone", undefined],
] as const)
  test(`a copy whose process was killed before the note was stored is soon corrected: ${what} when a project service opens`, async (context) => {
    const world = await withProject(await worldOf(context));
    const folder = join(world.folder, "state", "hookline-notes");
    const copy = join(folder, "app", "plan.md");
    if (before !== undefined) await write(world, { name: "plan", content: before });
    else await write(world, { name: "other" });
    const words = [join(world.folder, "state", "hookline.db"), folder, "app", "plan"];
    const child = spawn(process.execPath, [bundled(dying), ...words], { stdio: ["ignore", "ignore", "inherit"] });
    assert.deepEqual((await once(child, "close"))[1], "SIGKILL");
    assert.equal(readFileSync(copy, "utf8"), "what nobody ever wrote");
    await world.reopened();
    assert.equal(existsSync(copy) ? readFileSync(copy, "utf8") : undefined, before);
    assert.deepEqual(readdirSync(folder), ["app"], "nothing is left to mend");
  });

test("where the store fails after the copy was written, the copy is what the store holds", async (context) => {
  const world = await withProject(await worldOf(context));
  const { note_path } = await write(world);
  const { database } = world.store;
  database.run("create table owner (id integer primary key) strict");
  database.run("create table owned (owner integer references owner deferrable initially deferred) strict");
  database.run("create trigger broken after update on note begin insert into owned values (1); end");
  await assert.rejects(write(world, { content: "second" }), { message: /FOREIGN KEY/i });
  assert.equal(readFileSync(String(note_path), "utf8"), "first");
  assert.deepEqual(readdirSync(dirname(dirname(String(note_path)))), ["app"]);
});

test("names are found however they are typed, and never lead out of their folder", async (context) => {
  const world = await withProject(await worldOf(context));
  const { note_path } = await write(world, { name: "../../Etc/Passwd.md" });
  assert.equal(note_path, join(world.folder, "state", "hookline-notes", "app", "etc-passwd.md"));
  const shown = (await world.ask("note_show", { name: "Etc passwd", project: "app" })) as Fields; // a view
  assert.equal(shown.title, "../../Etc/Passwd.md");
  await assert.rejects(write(world, { name: "..." }), { message: /holds no letter and no digit/ });
  await assert.rejects(world.ask("note_show", { name: "etc-pasword", project: "app" }), {
    message: /no note of the project app is called "etc-pasword"; did you mean "etc-passwd"\?/,
  });
  await assert.rejects(world.ask("note_delete", { name: "zzz", project: "app" }), { message: /no note/ });
});

test("a note keeps its title until another is given, and texts lose secrets", async (context) => {
  const world = await withProject(await worldOf(context));
  await write(world, { title: "Mine" });
  const again = await write(world, { content: "key s3cret-value" });
  assert.equal(again.title, "Mine");
  assert.equal(
    (await write(world, { title: "for s3cret-value", content: "key s3cret-value" })).title,
    "for [redacted]",
  );
  await assert.rejects(write(world, { name: "of s3cret-value" }), { message: /no name for a note/ });
  const shown = (await world.ask("note_show", { name: "release-plan", project: "app" })) as Fields; // a view
  assert.equal(shown.content, "key [redacted]");
  assert.equal(readFileSync(String(shown.note_path), "utf8"), "key [redacted]");
});

test("notes are listed with those that changed last first, each in its own project", async (context) => {
  let clock = 1_000_000;
  const world = await withProject(await worldOf(context, { now: () => (clock += 1000) }));
  await world.ask("project_create", { name: "b", workspace: world.place("b") });
  await write(world, { name: "one" });
  await write(world, { name: "two" });
  await write(world, { name: "one", project: "b" });
  await write(world, { name: "one", content: "changed" });
  const names = async (project: string): Promise<unknown[]> =>
    ((await world.ask("note_list", { project })) as Fields[]).map(({ name }) => name); // rows
  assert.deepEqual([await names("app"), await names("b")], [["one", "two"], ["one"]]);
});

test("a note's sections are under their headings; a line that looks like one inside code does not count", () => {
  const content = "intro\n\n## One\nfirst\n```sh\n# no heading\n```\n### Two ##\nsecond\n";
  assert.deepEqual(sectionsOf({ title: "T", content }), [
    { heading: "T", content: "intro" },
    { heading: "One", content: "first\n```sh\n# no heading\n```" },
    { heading: "Two", content: "second" },
  ]);
  assert.deepEqual(sectionsOf({ title: "T", content: "" }), []);
});

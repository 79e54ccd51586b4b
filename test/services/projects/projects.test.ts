import assert from "node:assert/strict";
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pauseOfProject } from "../../../src/engine/admit.ts";
import type { Fields } from "../../../src/engine/event.ts";
import { eventOf, git, worldOf } from "./world.ts";

test("a project's id is made of its name, and its repository and default branch are git's", async (context) => {
  const world = await worldOf(context);
  const shop = world.place("code/shop");
  git(shop, "init");
  git(shop, "remote", "add", "origin", "https://me:token-of-mine@example.com/team/shop.git");
  git(shop, "commit", "--allow-empty", "-m", "first");
  git(shop, "update-ref", "refs/remotes/origin/trunk", "HEAD");
  git(shop, "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/trunk");
  const made = (await world.ask("project_create", { name: "Web Shop ÄÖ!" }, { cwd: shop })) as Fields; // a view
  assert.equal(made.id, "web-shop-ao");
  assert.deepEqual([made.name, made.workspace, made.branch], ["Web Shop ÄÖ!", shop, "trunk"]);
  assert.equal(made.repository, "https://example.com/team/shop.git");
});

test("given values of a repository count before git's", async (context) => {
  const world = await worldOf(context);
  const shop = world.place("shop");
  git(shop, "init");
  const made = (await world.ask(
    "project_create",
    { name: "Shop", workspace: "shop", repository: "git@example.com:shop.git", branch: "next", notify: ["team"] },
    { cwd: world.folder },
  )) as Fields; // a view
  assert.deepEqual(
    [made.workspace, made.repository, made.branch, made.notify],
    [shop, "git@example.com:shop.git", "next", ["team"]],
  );
});

test("no credentials and no secrets are kept of a project", async (context) => {
  const world = await worldOf(context);
  const given = {
    name: "the s3cret-value app",
    repository: "https://me:token@example.com/s3cret-value.git",
    branch: "fix/s3cret-value",
  };
  const kept = {
    name: "the [redacted] app",
    repository: "https://example.com/[redacted].git",
    branch: "fix/[redacted]",
  };
  const { name, repository, branch } = (await world.ask("project_create", { ...given, id: "app" })) as Fields; // a view
  assert.deepEqual({ name, repository, branch }, kept);
  await world.ask("project_edit", { id: "app", name: "x", repository: "y", branch: "z" });
  const edited = (await world.ask("project_edit", { ...given, id: "app" })) as Fields; // a view
  assert.deepEqual({ name: edited.name, repository: edited.repository, branch: edited.branch }, kept);
});

test("a name or a folder that is taken, no name, no folder: each is refused with what to do", async (context) => {
  const world = await worldOf(context);
  const one = world.place("one");
  await world.ask("project_create", { name: "One" }, { cwd: one });
  const refused = async (input: Fields, reason: RegExp): Promise<void> => {
    await assert.rejects(world.ask("project_create", input, { cwd: world.place("other") }), { message: reason });
  };
  await refused({ name: "one", workspace: world.place("two") }, /a project is called "one" already/);
  await refused({ name: "Two", workspace: one }, /is the folder of the project one/);
  await refused({ name: "Two", workspace: join(world.folder, "missing") }, /missing is no folder/);
  await refused({ name: "!!!" }, /holds no letter/);
  await refused({ name: "x", id: "a/b" }, /"a\/b" is no id/);
});

test("the project of a folder is the innermost whose workspace holds it, also through links", async (context) => {
  const world = await worldOf(context);
  const outer = world.place("outer");
  const inner = world.place("outer/packages/inner");
  const beside = world.place("outer-2");
  await world.ask("project_create", { name: "outer", workspace: outer });
  await world.ask("project_create", { name: "inner", workspace: inner });
  const at = async (folder: string): Promise<string | undefined> => (await world.board.projects.at(folder))?.id;
  symlinkSync(inner, join(world.folder, "link"));
  assert.equal(await at(outer), "outer");
  assert.equal(await at(world.place("outer/src")), "outer");
  assert.equal(await at(world.place("outer/packages/inner/src")), "inner");
  assert.equal(await at(join(world.folder, "link")), "inner");
  assert.equal(await at(beside), undefined);
});

test("a folder without a project gets one when something is written there, for the root of that folder", async (context) => {
  const world = await worldOf(context);
  const root = world.place("code/app");
  git(root, "init");
  const below = world.place("code/app/src/deep");
  assert.deepEqual(await world.ask("task_list", {}, { cwd: below }), []);
  assert.deepEqual(await world.ask("project_list"), []);
  const task = (await world.ask("task_create", { title: "first" }, { cwd: below })) as Fields; // a view
  assert.deepEqual([task.project_id, task.project_made], ["app", root]);
  const second = (await world.ask("task_create", { title: "second" }, { cwd: root })) as Fields; // a view
  assert.deepEqual([second.project_id, second.project_made], ["app", undefined]);
  const other = world.place("else/app");
  const third = (await world.ask("note_write", { name: "n", content: "c" }, { cwd: other })) as Fields; // a view
  assert.match(String(third.project_id), /^app-[0-9a-f]{6}$/); // the same for who sees it without its project
  assert.equal(third.project_made, other);
});

test("a home folder never becomes a project by accident", async (context) => {
  const world = await worldOf(context);
  const home = world.place("home");
  for (const cwd of [home, world.folder, "/"])
    await assert.rejects(world.ask("task_create", { title: "x" }, { cwd }), { message: /say which is meant/ });
  assert.deepEqual(await world.ask("project_list"), []);
});

test("linked worktrees are the project of their repository", async (context) => {
  const world = await worldOf(context);
  const main = world.place("main");
  git(main, "init");
  mkdirSync(join(main, ".hookline"));
  writeFileSync(join(main, ".hookline", "hooks.json"), "{}");
  git(main, "add", ".");
  git(main, "commit", "-m", "first");
  git(main, "worktree", "add", join(world.folder, "linked"), "-b", "side");
  const fromLinked = (await world.ask("task_create", { title: "a" }, { cwd: join(world.folder, "linked") })) as Fields; // a view
  assert.equal(fromLinked.project_made, main);
  const tasks = (await world.ask("task_list", {}, { cwd: join(world.folder, "linked", ".hookline") })) as Fields[]; // rows
  assert.deepEqual(
    tasks.map(({ project_id }) => project_id),
    ["main"],
  );
});

test("the project that an event is about is meant before that of its folder", async (context) => {
  const world = await worldOf(context);
  await world.ask("project_create", { name: "a", workspace: world.place("a") });
  await world.ask("project_create", { name: "b", workspace: world.place("b") });
  const event = eventOf({ project_id: "b" }, { cwd: world.place("a") });
  const task = (await world.ask("task_create", { title: "x" }, { event })) as Fields; // a view
  assert.equal(task.project_id, "b");
  const unknown = eventOf({ project_id: "not-ours" }, { cwd: world.place("a") });
  const other = (await world.ask("task_create", { title: "x" }, { event: unknown })) as Fields; // a view
  assert.equal(other.project_id, "a");
});

test("a project is changed field by field, and an empty text takes a value away", async (context) => {
  const world = await worldOf(context);
  await world.ask("project_create", { name: "a", workspace: world.place("a"), branch: "main" });
  const from = { cwd: world.place("a") };
  await assert.rejects(world.ask("project_edit", {}, from), { message: /No fields to update/ });
  const changed = (await world.ask("project_edit", { name: "New", branch: "", notify: [] }, from)) as Fields; // a view
  assert.deepEqual([changed.id, changed.name, changed.branch, changed.notify], ["a", "New", null, []]);
  const again = (await world.ask("project_edit", { id: "a", notify: "default" })) as Fields; // a view
  assert.equal(again.notify, null);
  await assert.rejects(world.ask("project_edit", { id: "aa" }), {
    message: /no project is called "aa"; did you mean "a"\?/,
  });
  await world.ask("project_create", { name: "b", workspace: world.place("b") });
  await assert.rejects(world.ask("project_edit", { id: "b", workspace: world.place("a") }), {
    message: /is the folder of the project a/,
  });
});

test("a project is taken away with what belongs to it only if that is meant, and never with automations", async (context) => {
  const world = await worldOf(context);
  await world.ask("project_create", { name: "a", workspace: world.place("a") });
  await world.ask("task_create", { title: "x", project: "a" });
  const note = (await world.ask("note_write", { name: "n", content: "some words", project: "a" })) as Fields; // a view
  await assert.rejects(world.ask("project_delete", { id: "a" }), { message: /1 tasks, 1 notes, 1 memories would go/ });
  const add = `insert into automation (project, id, name, enabled, fields, created, updated)
    values ('a', 'nightly', 'n', 1, '{}', 0, 0)`;
  world.store.database.run(add);
  await assert.rejects(world.ask("project_delete", { id: "a", force: true }), {
    message: /automations belong to the project a: delete them first \(nightly\)/,
  });
  world.store.database.run("delete from automation");
  assert.deepEqual(await world.ask("project_delete", { id: "a", force: true }), { id: "a", deleted: true });
  assert.deepEqual(await world.ask("task_list"), []);
  assert.ok(!existsSync(String(note.note_path)));
  assert.equal(world.store.database.get<{ n: number }>("select count(*) as n from memory")?.n, 0);
});

test("a project is paused and resumed by its id", async (context) => {
  const world = await worldOf(context);
  await world.ask("project_create", { name: "a", workspace: world.place("a") });
  assert.deepEqual(await world.ask("project_pause", { id: "a" }), { id: "a", paused: true, changed: true });
  assert.ok((await world.store.paused()).has(pauseOfProject("a")));
  const shown = (await world.ask("project_show", { id: "a" })) as Fields; // a view
  assert.deepEqual([shown.paused, shown.tasks, shown.automations], [true, 0, []]);
  assert.deepEqual(await world.ask("project_resume", { id: "a" }), { id: "a", paused: false, changed: true });
  assert.deepEqual(await world.ask("project_resume", { id: "a" }), { id: "a", paused: false, changed: false });
});

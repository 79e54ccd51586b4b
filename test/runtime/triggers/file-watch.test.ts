import assert from "node:assert/strict";
import { mkdirSync, renameSync, statSync, symlinkSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { WatchRule } from "../../../src/engine/hook.ts";
import type { WatchTree } from "../../../src/files/watch-tree.ts";
import { systemPorts } from "../../../src/runtime/system.ts";
import { createDelivery } from "../../../src/runtime/triggers/file-watch.ts";
import { createFakeClock } from "../../../testing/clock.ts";
import { aWatch, changesIn, quick, watchingIn } from "./watching.ts";

const file = (...paths: string[]): WatchRule => ({ kind: "file", paths });

for (const poll of [false, true]) {
  const way: Pick<WatchRule, "poll"> = poll ? { poll: true } : {};
  const how = poll ? "polled" : "told";

  test(`[A12, A14b, AT40, AT43] ${how}: a watched file that is made, changed or removed is reported with its times and size`, async (context) => {
    const { folder, watcher, write, remove, next } = watchingIn(context);
    await watcher.sync([aWatch("w", folder, { ...file("a.txt"), ...way })]);
    write("a.txt", "one");
    const created = await next();
    assert.equal(created.event.name, "file.changed");
    assert.deepEqual(created.event.to, { hook: "automation:app/w", because: "event:file.changed" });
    assert.deepEqual(created.data, {
      path: join(folder, "a.txt"),
      relative_path: "a.txt",
      project_id: "app",
      operation: "created",
      old_mtime: null,
      new_mtime: statSync(join(folder, "a.txt")).mtimeMs / 1000,
      size: 3,
      watch_id: "automation:app/w:a.txt",
    });
    write("a.txt", "two!");
    const modified = (await next()).data;
    assert.deepEqual([modified.operation, modified.old_mtime, modified.size], ["modified", created.data.new_mtime, 4]);
    utimesSync(join(folder, "a.txt"), 1_000, 2_000.5);
    const touched = (await next()).data;
    assert.deepEqual([touched.operation, touched.new_mtime, touched.size], ["modified", 2_000.5, 4]);
    remove("a.txt");
    const deleted = (await next()).data;
    assert.deepEqual(
      [deleted.operation, deleted.old_mtime, deleted.new_mtime, deleted.size],
      ["deleted", 2_000.5, null, null],
    );
  });

  test(`[A14b, AT40] ${how}: what exists at the start is not reported, and of two watched files only the changed one is`, async (context) => {
    const { folder, watcher, write, next, told } = watchingIn(context);
    write("a.txt");
    write("b.txt");
    write(".hidden");
    await watcher.sync([aWatch("w", folder, { ...file("a.txt", "b.txt", ".hidden"), ...way })]);
    write("b.txt", "changed");
    await next(({ data }) => data.relative_path === "b.txt");
    write(".hidden", "changed");
    await next(({ data }) => data.relative_path === ".hidden");
    assert.equal(told.length, 2);
  });
}

test("[A11, AT43] relative paths start at the base, else at the workspace, and absolute ones stay", async (context) => {
  const { folder, watcher, write, next } = watchingIn(context);
  await watcher.sync([
    aWatch("base", folder, { ...file("a.txt"), base: "sub", project: "other" }),
    aWatch("absolute", folder, file(join(folder, "b.txt"))),
    aWatch("outside", join(folder, "sub"), file("../c.txt")),
  ]);
  write("sub/a.txt");
  const based = await next();
  assert.deepEqual(
    [based.hook, based.data.path, based.data.relative_path, based.data.project_id],
    ["automation:app/base", join(folder, "sub/a.txt"), "a.txt", "other"],
  );
  write("b.txt");
  assert.equal((await next()).data.path, join(folder, "b.txt"));
  write("c.txt");
  assert.equal((await next()).data.relative_path, join(folder, "c.txt"));
});

test("a relative path of a rule that starts nowhere is complained of, and its neighbours are watched", async (context) => {
  const { folder, watcher, complaints } = watchingIn(context);
  const hook = aWatch("w", folder, file("a.txt", join(folder, "b.txt")));
  await watcher.sync([{ ...hook, origin: { dialect: "automation", layer: "user" } }]);
  assert.deepEqual(complaints, ["w: a.txt is relative, and its rule starts nowhere"]);
  assert.deepEqual(
    watcher.list().map(({ path }) => path),
    [join(folder, "b.txt")],
  );
});

test("[A14, A14a, A51, AT37] watches follow their hooks at once: added, edited, disabled, enabled, deleted", async (context) => {
  const { folder, watcher, write, next, told } = watchingIn(context);
  write("a.txt");
  const hook = aWatch("w", folder, file("a.txt"));
  const other = aWatch("other", folder, { kind: "folder", paths: ["docs"] });
  const count = async (...hooks: (typeof hook)[]): Promise<number> => {
    await watcher.sync(hooks);
    return watcher.list().length;
  };
  assert.equal(await count(hook), 1);
  assert.equal(await count(hook, other), 2);
  assert.equal(await count({ ...hook, enabled: false }, other), 1);
  write("a.txt", "while it is disabled");
  assert.equal(await count(hook, other), 2);
  assert.equal(await count({ ...hook, on: { watch: file("a.txt", "b.txt") } }, other), 3);
  write("b.txt");
  assert.equal((await next()).data.relative_path, "b.txt");
  assert.equal(await count(other), 1);
  write("a.txt", "nobody watches");
  write("docs/x.md");
  assert.equal((await next()).hook, "automation:app/other");
  assert.equal(told.length, 2);
  assert.equal(await count(), 0);
});

test("[A14] a watch that stays as it is keeps what it has gathered while others come and go", async (context) => {
  const { folder, watcher, write, next, told } = watchingIn(context, { settings: () => ({ ...quick, debounce: 0.5 }) });
  mkdirSync(join(folder, "docs"));
  const hook = aWatch("w", folder, { kind: "folder", paths: ["docs"] });
  const other = aWatch("other", folder, file("a.txt"));
  await watcher.sync([hook, other]);
  write("docs/x.md");
  write("a.txt");
  await next(({ hook: name }) => name === "automation:app/other"); // by now x.md was seen, and is waited for
  await watcher.sync([hook]);
  await watcher.sync([hook, aWatch("third", folder, { kind: "folder", paths: ["docs"] })]);
  assert.deepEqual(changesIn(await next()), [`created ${join(folder, "docs/x.md")}`]);
  assert.equal(told.length, 2);
});

test("[A14a, A14b] two hooks on one folder each get a change, and removing one does not disturb the other", async (context) => {
  const { folder, watcher, write, next, told } = watchingIn(context);
  const rule: WatchRule = { kind: "folder", paths: ["."], recursive: true };
  const hooks = [aWatch("one", folder, rule), aWatch("two", folder, rule)];
  await watcher.sync(hooks);
  write("a/b.txt");
  const both = [await next(), await next()];
  assert.deepEqual(both.map(({ data }) => data.watch_id).sort(), ["automation:app/one:.", "automation:app/two:."]);
  await watcher.sync(hooks.slice(1));
  write("a/b.txt", "again");
  assert.deepEqual(changesIn(await next()), [`modified ${join(folder, "a/b.txt")}`]);
  assert.equal(told.length, 3);
});

test("[A51, AT39] where the watcher is switched off nothing is watched, and switched on again everything is", async (context) => {
  const settings = { ...quick, enabled: false };
  const { folder, watcher } = watchingIn(context, { settings: () => settings });
  const hook = aWatch("w", folder, file("a.txt"));
  await watcher.sync([hook]);
  assert.equal(watcher.list().length, 0);
  settings.enabled = true;
  await watcher.sync([hook]);
  assert.equal(watcher.list().length, 1);
});

test("[AT42] looked at by hand twice in a row, the second look does nothing; taking away what is not watched is no error", async (context) => {
  const clock = createFakeClock();
  const { folder, watcher, write, told } = watchingIn(context, {
    ...clock,
    settings: () => ({ ...quick, pollInterval: 100 }),
  });
  await watcher.sync([]);
  await watcher.sync([aWatch("w", folder, { ...file("a.txt"), poll: true })]);
  await watcher.check();
  write("a.txt");
  await watcher.check();
  assert.equal(told.length, 0);
  clock.advance(99_000);
  await watcher.check();
  assert.equal(told.length, 0);
  clock.advance(1_000);
  await watcher.check();
  assert.equal(told.length, 1);
});

const silent = (): ReturnType<WatchTree> => ({ enter() {}, leave() {}, has: () => false, count: () => 0, close() {} });

test("[A12] a folder whose watches the system refuses is looked at now and then, and the reason is reported", async (context) => {
  const full: WatchTree = () => ({
    ...silent(),
    enter() {
      throw Object.assign(new Error("no space"), { code: "ENOSPC" });
    },
  });
  const { folder, watcher, write, next, complaints } = watchingIn(context, { watchTree: full });
  await watcher.sync([aWatch("w", folder, { kind: "folder", paths: ["."], recursive: true })]);
  assert.match(complaints.join(), /looked at now and then instead of being watched.*max_user_watches/);
  assert.match(watcher.list()[0]?.polls ?? "", /max_user_watches/);
  write("a/b.txt");
  assert.deepEqual(changesIn(await next()), [`created ${join(folder, "a/b.txt")}`]);
});

test("a change that the system did not report is found when everything is checked", async (context) => {
  const { folder, watcher, write, next } = watchingIn(context, { watchTree: silent });
  await watcher.sync([aWatch("w", folder, { kind: "folder", paths: ["."], recursive: true })]);
  write("a/b.txt");
  assert.deepEqual(changesIn(await next()), [`created ${join(folder, "a/b.txt")}`]);
});

test("a change that the system did not report is found when everything is checked, although the clock was set back in between", async (context) => {
  const { now, after, elapsed, id } = systemPorts();
  let setBack = 0;
  const { folder, watcher, write, next } = watchingIn(context, {
    ...{ after, id, ...(elapsed ? { elapsed } : {}) },
    now: () => now() - setBack,
    watchTree: silent,
  });
  await watcher.sync([aWatch("w", folder, { kind: "folder", paths: ["."], recursive: true })]);
  setBack = 86_400_000;
  write("a/b.txt");
  assert.deepEqual(changesIn(await next()), [`created ${join(folder, "a/b.txt")}`]);
});

test("events are sent one after another, so that one which the engine refuses late is not overtaken", async (context) => {
  const { after } = systemPorts();
  const told: string[] = [];
  const all = Promise.withResolvers<void>();
  let refusals = 1;
  const delivery = createDelivery({
    after,
    complain() {},
    async tell({ id }) {
      await new Promise(setImmediate); // the line takes its time
      if (refusals-- > 0) throw new Error("the store is locked");
      told.push(id);
      if (told.length === 2) all.resolve();
    },
  });
  context.after(() => delivery.close());
  for (const id of ["created", "deleted"])
    delivery.deliver({ id, name: "file.changed", at: 0, cwd: "/", data: {}, sender: "watch" });
  await all.promise;
  assert.deepEqual(told, ["created", "deleted"]);
});

test("a burst of events that the engine takes is sent to the last, however many wait for their turn", async (context) => {
  const { after } = systemPorts();
  const complaints: string[] = [];
  const all = Promise.withResolvers<void>();
  let told = 0;
  const delivery = createDelivery({
    after,
    complain: (reason) => complaints.push(reason),
    async tell() {
      told += 1;
      if (told === 3_000) all.resolve();
    },
  });
  context.after(() => delivery.close());
  for (let event = 0; event < 3_000; event++)
    delivery.deliver({ id: String(event), name: "file.changed", at: 0, cwd: "/", data: {}, sender: "watch" });
  await all.promise;
  assert.deepEqual(complaints, []);
});

test("a watched file is followed through a link, a folder above it that is moved away, and one that takes its place", async (context) => {
  const { folder, watcher, write, next } = watchingIn(context);
  write("real/a.txt", "one");
  symlinkSync("real", join(folder, "link"));
  await watcher.sync([aWatch("w", folder, file("link/a.txt", "deep/er/b.txt"))]);
  write("real/a.txt", "changed");
  assert.equal((await next()).data.operation, "modified");
  renameSync(join(folder, "real"), join(folder, "away"));
  assert.equal((await next()).data.operation, "deleted");
  write("real/a.txt", "another");
  assert.equal((await next()).data.operation, "created");
  write("deep/er/b.txt");
  assert.equal((await next()).data.relative_path, "deep/er/b.txt");
});

test("an event that the engine refuses is logged once and sent again, before those that came after it", async (context) => {
  let failures = 0;
  const complaints: string[] = [];
  const heard: unknown[] = [];
  const both = Promise.withResolvers<void>();
  const { folder, watcher, write } = watchingIn(context, {
    complain(reason) {
      complaints.push(reason);
      write("a.txt", "two, two");
    },
    tell({ data }) {
      if (++failures <= 3) throw new Error("the store is locked");
      if (heard.push(data.operation) === 2) both.resolve();
    },
  });
  await watcher.sync([aWatch("w", folder, file("a.txt"))]);
  write("a.txt");
  await both.promise;
  assert.deepEqual(heard, ["created", "modified"]);
  assert.deepEqual(complaints, ["file.changed of automation:app/w: the store is locked"]);
});

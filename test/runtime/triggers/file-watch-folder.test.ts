import assert from "node:assert/strict";
import { mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { WatchRule } from "../../../src/engine/hook.ts";
import { aWatch, changesIn, onlyTold, quick, type Told, watchingIn, ways } from "./watching.ts";

/** All changes until each of these paths has one: where time is short they come in several events. */
async function changesOf(next: () => Promise<Told>, ...paths: string[]): Promise<string[]> {
  const seen: string[] = [];
  while (!paths.every((path) => seen.some((one) => one.endsWith(` ${path}`)))) seen.push(...changesIn(await next()));
  return seen.sort();
}

for (const { name, settings: usual, poll } of ways) {
  const rule = (given: Partial<WatchRule> = {}): WatchRule => ({
    kind: "folder",
    paths: ["docs"],
    recursive: true,
    ...(poll ? { poll } : {}),
    ...given,
  });

  test(`[A11, A12, A14b, A51] ${name}: changes of a folder are sent together, without hidden files and other extensions`, async (context) => {
    const { folder, watcher, write, remove, next, told } = watchingIn(context, { settings: () => usual });
    const path = (file: string): string => join(folder, "docs", file);
    for (const file of ["old.md", "gone.md", "still.md", "deep/a.md"]) write(`docs/${file}`);
    await watcher.sync([aWatch("w", folder, rule({ extensions: [".md", ".rst"] }))]);
    write("docs/old.md", "changed");
    write("docs/new/er/b.rst");
    write("docs/other.txt");
    write("docs/.hidden.md");
    write("docs/.git/c.md");
    remove("docs/gone.md");
    const { event, data } = await next();
    const { changes, ...rest } = data;
    assert.equal(event.name, "folder.changed");
    assert.deepEqual(rest, {
      path: join(folder, "docs"),
      project_id: "app",
      count: 3,
      watch_id: "automation:app/w:docs",
    });
    assert.deepEqual(changes, [
      { path: path("gone.md"), operation: "deleted" },
      { path: path("new/er/b.rst"), operation: "created" },
      { path: path("old.md"), operation: "modified" },
    ]);
    write("docs/new/er/b.rst", "and later changes in the new folder");
    assert.deepEqual(changesIn(await next()), [`modified ${path("new/er/b.rst")}`]);
    assert.equal(told.length, 2);
  });

  test(`[A11] ${name}: not recursive, only the folder's own files count`, async (context) => {
    const { folder, watcher, write, next, told } = watchingIn(context, { settings: () => usual });
    write("docs/a.md");
    await watcher.sync([aWatch("w", folder, rule({ recursive: false }))]);
    write("docs/deep/b.md");
    write("docs/a.md", "changed");
    assert.deepEqual(changesIn(await next()), [`modified ${join(folder, "docs/a.md")}`]);
    write("docs/deep/b.md", "changed");
    write("docs/c.md");
    assert.deepEqual(changesIn(await next()), [`created ${join(folder, "docs/c.md")}`]);
    assert.equal(told.length, 2);
  });

  test(`[A14b] ${name}: a folder that is not there yet is watched when it appears, and when it is removed its files are deleted`, async (context) => {
    const { folder, watcher, write, remove, next } = watchingIn(context, { settings: () => usual });
    const path = join(folder, "docs/a.md");
    await watcher.sync([aWatch("w", folder, rule())]);
    write("docs/a.md");
    assert.deepEqual(changesIn(await next()), [`created ${path}`]);
    write("docs/a.md", "changed");
    assert.deepEqual(changesIn(await next()), [`modified ${path}`]);
    remove("docs");
    assert.deepEqual(changesIn(await next()), [`deleted ${path}`]);
    write("docs/a.md");
    assert.deepEqual(changesIn(await next()), [`created ${path}`]);
    write("docs/deep/b.md", "in the folder that took its place");
    assert.deepEqual(changesIn(await next()), [`created ${join(folder, "docs/deep/b.md")}`]);
  });

  test(`${name}: folders that are moved about carry their files with them, and are followed where they go`, async (context) => {
    const { folder, watcher, write, next } = watchingIn(context, { settings: () => usual });
    const path = (file: string): string => join(folder, "docs", file);
    write("docs/one/deep/a.md");
    await watcher.sync([aWatch("w", folder, rule())]);
    renameSync(path("one"), path("two"));
    assert.deepEqual(await changesOf(next, path("two/deep/a.md"), path("one/deep/a.md")), [
      `created ${path("two/deep/a.md")}`,
      `deleted ${path("one/deep/a.md")}`,
    ]);
    write("docs/two/deep/a.md", "changed where it is now");
    assert.deepEqual(await changesOf(next, path("two/deep/a.md")), [`modified ${path("two/deep/a.md")}`]);
    rmSync(path("two"), { recursive: true });
    writeFileSync(path("two"), "a file takes the place of a folder");
    assert.deepEqual(await changesOf(next, path("two/deep/a.md"), path("two")), [
      `created ${path("two")}`,
      `deleted ${path("two/deep/a.md")}`,
    ]);
  });
}

test("a folder inside a hidden one can be watched", async (context) => {
  const { folder, watcher, write, next } = watchingIn(context);
  write(".github/workflows/a.yml");
  await watcher.sync([aWatch("w", folder, { kind: "folder", paths: [".github"], recursive: true })]);
  write(".github/workflows/a.yml", "changed");
  assert.deepEqual(changesIn(await next()), [`modified ${join(folder, ".github/workflows/a.yml")}`]);
});

test("[A51] a folder in which something changes all the time is reported after 6 windows", async (context) => {
  const settings = { ...quick, debounce: 0.5 };
  const { folder, watcher, write, next } = watchingIn(context, { settings: () => settings });
  mkdirSync(join(folder, "docs"));
  await watcher.sync([aWatch("w", folder, { kind: "folder", paths: ["docs"] })]);
  const begun = Date.now();
  let count = 0;
  const busy = setInterval(() => write("docs/log.txt", String(count++)), 20);
  try {
    assert.deepEqual(changesIn(await next()), [`created ${join(folder, "docs/log.txt")}`]);
    assert.ok(Date.now() - begun >= 2_500, "nothing was told as long as it went on, but for the limit");
  } finally {
    clearInterval(busy);
  }
});

test("nothing is missed while the process is busy and the kernel drops events", async (context) => {
  const { folder, watcher, write, next } = watchingIn(context, { settings: () => onlyTold });
  for (const name of ["docs/old.txt", "docs/one.txt", "docs/two.txt", "other/b.txt"]) write(name);
  await watcher.sync([
    aWatch("docs", folder, { kind: "folder", paths: ["docs"], recursive: true }),
    aWatch("other", folder, { kind: "folder", paths: ["other"], recursive: true }),
  ]);
  // By turns, because the kernel makes one event of equal ones. Its queue holds 16,384, and none of them is read meanwhile.
  for (let round = 1; round <= 9_000; round += 1)
    for (const name of ["one", "two"]) utimesSync(join(folder, `docs/${name}.txt`), round, round);
  write("docs/new.txt");
  write("docs/old.txt", "changed");
  write("other/b.txt", "changed while the kernel dropped");
  const [docs, other] = [
    await next(({ hook }) => hook.endsWith("/docs")),
    await next(({ hook }) => hook.endsWith("/other")),
  ];
  assert.equal(docs.data.count, 4);
  assert.deepEqual(changesIn(other), [`modified ${join(folder, "other/b.txt")}`]);
});

test("folders made inside new ones at once are watched as well, every one of them", async (context) => {
  const { folder, watcher, write, next } = watchingIn(context, { settings: () => onlyTold });
  mkdirSync(join(folder, "docs"));
  await watcher.sync([aWatch("w", folder, { kind: "folder", paths: ["docs"], recursive: true })]);
  const paths = Array.from({ length: 60 }, (_, index) => `docs/a${index}/b/c/file.txt`);
  for (const path of paths) write(path);
  assert.equal((await next()).data.count, paths.length);
  for (const path of paths) write(path, "and changed afterwards");
  assert.equal((await next()).data.count, paths.length);
});

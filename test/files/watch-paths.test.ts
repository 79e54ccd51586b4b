/** Who tells of changed paths says "no change" only where there was none. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { type PathWatch, watchPaths } from "../../src/files/watch-paths.ts";

const skip = process.platform === "linux" ? false : "elsewhere every path is looked at each time";

interface Watching {
  folder: string;
  watch: PathWatch;
  /** Makes the change and waits until it was heard of; then all is followed anew. */
  heard(change: () => void): Promise<void>;
}

function watching(t: TestContext, paths: (folder: string) => string[], before?: (folder: string) => void): Watching {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "hookline-watch-")));
  before?.(folder);
  let hear: (() => void) | undefined;
  const watch = watchPaths({ changed: () => hear?.() });
  t.after(() => {
    watch.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const follow = (): unknown => watch.follow("one", paths(folder));
  follow();
  return {
    folder,
    watch,
    async heard(change) {
      assert.ok(watch.isQuiet("one"));
      const told = new Promise<void>((resolve) => {
        hear = resolve;
      });
      change();
      await told;
      assert.equal(watch.isQuiet("one"), false);
      follow();
    },
  };
}

test("a file is reported when it is made, written to, replaced and removed", { skip }, async (t) => {
  const { folder, heard } = watching(t, (top) => [join(top, "a.json")]);
  const file = join(folder, "a.json");
  await heard(() => writeFileSync(file, "1"));
  await heard(() => writeFileSync(file, "2"));
  await heard(() => {
    writeFileSync(join(folder, "a.tmp"), "3");
    renameSync(join(folder, "a.tmp"), file);
  });
  await heard(() => rmSync(file));
});

test("folders on the way to a path are reported when they come, are replaced and go", { skip }, async (t) => {
  const { folder, heard } = watching(t, (top) => [join(top, "x", "y", "a.json")]);
  const [x, y] = [join(folder, "x"), join(folder, "x", "y")];
  await heard(() => mkdirSync(x));
  await heard(() => mkdirSync(y));
  await heard(() => writeFileSync(join(y, "a.json"), "1"));
  await heard(() => renameSync(x, join(folder, "other")));
  await heard(() => {
    mkdirSync(join(folder, "next", "y"), { recursive: true });
    renameSync(join(folder, "next"), x);
  });
  await heard(() => writeFileSync(join(y, "a.json"), "2"));
});

test("for a link both the link and its target are reported", { skip }, async (t) => {
  const { folder, heard } = watching(
    t,
    (top) => [join(top, "link", "a.json")],
    (top) => {
      for (const name of ["left", "right"]) mkdirSync(join(top, name));
      symlinkSync(join(top, "left"), join(top, "link"));
    },
  );
  await heard(() => writeFileSync(join(folder, "left", "a.json"), "1"));
  await heard(() => {
    symlinkSync("right", join(folder, "link.tmp"));
    renameSync(join(folder, "link.tmp"), join(folder, "link"));
  });
  await heard(() => writeFileSync(join(folder, "right", "a.json"), "1"));
});

test("of a folder its own entries are reported as they come and go, and nothing of its neighbours", {
  skip,
}, async (t) => {
  const { folder, watch, heard } = watching(
    t,
    (top) => [join(top, "hooks")],
    (top) => mkdirSync(join(top, "hooks")),
  );
  await heard(() => writeFileSync(join(folder, "hooks", "a.sh"), ""));
  const other = new Promise<void>((resolve) => {
    const neighbour = watchPaths({
      changed() {
        neighbour.close();
        resolve();
      },
    });
    neighbour.follow("two", [join(folder, "b.sh")]);
  });
  writeFileSync(join(folder, "b.sh"), "");
  await other; // it was told of it, in the order of the system
  assert.ok(watch.isQuiet("one"));
  await heard(() => rmSync(join(folder, "hooks", "a.sh")));
});

test("what is not followed any more is not quiet, and neither is what was never followed", { skip }, (t) => {
  const { watch } = watching(t, (top) => [join(top, "a")]);
  assert.equal(watch.isQuiet("two"), false);
  watch.drop("one");
  assert.equal(watch.isQuiet("one"), false);
});

test("links that lead to each other in a ring are followed as far as they lead", { skip }, async (t) => {
  const { folder, heard } = watching(
    t,
    (top) => [join(top, "a", "x.json"), join(top, "c", "x.json")],
    (top) => {
      symlinkSync("b", join(top, "a"));
      symlinkSync("a/inner", join(top, "b"));
      symlinkSync(top, join(top, "c"));
    },
  );
  await heard(() => writeFileSync(join(folder, "x.json"), "1"));
  await heard(() => {
    rmSync(join(folder, "b"));
    mkdirSync(join(folder, "b"));
  });
  await heard(() => writeFileSync(join(folder, "b", "x.json"), "1"));
});

test("where a link leads is found as the kernel finds it: above a folder that another link led to", {
  skip,
}, async (t) => {
  const { folder, heard } = watching(
    t,
    (top) => [join(top, "workspace", "hooks", "a.json")],
    (top) => {
      for (const path of ["a/hooks", "other/deep", "other/hooks", "workspace"])
        mkdirSync(join(top, path), { recursive: true });
      symlinkSync(join(top, "other", "deep"), join(top, "a", "link"));
      symlinkSync("../a/link/.././hooks", join(top, "workspace", "hooks"));
    },
  );
  await heard(() => writeFileSync(join(folder, "other", "hooks", "a.json"), "1"));
  await heard(() => rmSync(join(folder, "a", "link")));
});

test("where only entries count, each event at the path is reported, and nothing that happens in a folder there", {
  skip,
}, async (t) => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "hookline-watch-")));
  const told: string[] = [];
  let wake = (): void => {};
  const watch = watchPaths({
    entriesOnly: true,
    event(key) {
      told.push(key);
      wake();
    },
  });
  t.after(() => {
    watch.close();
    rmSync(folder, { recursive: true, force: true });
  });
  mkdirSync(join(folder, "hooks"));
  watch.follow("folder", [join(folder, "hooks")]);
  watch.follow("file", [join(folder, "a")]);
  writeFileSync(join(folder, "hooks", "b"), "");
  for (const text of ["1", "2"]) {
    const heard = new Promise<void>((resolve) => {
      wake = resolve;
    });
    writeFileSync(join(folder, "a"), text);
    await heard;
  }
  assert.ok(told.length >= 2);
  assert.deepEqual([...new Set(told)], ["file"]);
});

test("what happens above a base is not asked about", { skip }, async (t) => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "hookline-watch-")));
  const base = join(folder, "base");
  mkdirSync(base);
  const changed = Promise.withResolvers<string>();
  const watch = watchPaths({ bases: [base], changed: changed.resolve });
  t.after(() => {
    watch.close();
    rmSync(folder, { recursive: true, force: true });
  });
  assert.equal(watch.follow("one", [join(base, "x", "y")]), undefined);
  renameSync(base, join(folder, "moved"));
  mkdirSync(join(folder, "moved", "x"));
  assert.equal(await changed.promise, "one", "the folder itself is watched, whatever it is called now");
  assert.equal(watch.isQuiet("one"), false);
});

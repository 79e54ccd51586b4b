import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { WatchRule } from "../../../src/engine/hook.ts";
import { repositoryIn, temporaryFolder } from "./repository.ts";
import { aWatch, changesIn, watchingIn, ways } from "./watching.ts";

test("[A12, A13] git checks out 5,000 files and takes them away again, and not one is missed, in whatever way they are watched", async (context) => {
  const repository = repositoryIn(join(temporaryFolder(context), "app"));
  repository.write("both.txt", "before");
  repository.commit();
  repository.git("checkout", "-q", "-b", "many");
  for (let part = 0; part < 50; part += 1) {
    mkdirSync(join(repository.folder, `part${part}/deep`), { recursive: true });
    for (let file = 0; file < 100; file += 1)
      writeFileSync(join(repository.folder, `part${part}/deep/${file}.txt`), "x");
  }
  repository.write("both.txt", "afterwards");
  repository.commit();
  repository.git("checkout", "-q", "main");
  for (const { name, settings: usual, poll } of ways) {
    const { watcher, next } = watchingIn(context, { settings: () => ({ ...usual, debounce: 1 }) });
    const rule: WatchRule = { kind: "folder", paths: ["."], recursive: true, ...(poll ? { poll } : {}) };
    await watcher.sync([aWatch("w", repository.folder, rule)]);
    for (const branch of ["many", "main"]) {
      repository.git("checkout", "-q", branch);
      const sum = { count: 0, listed: 0, left: 0 };
      while (sum.count < 5_001) {
        const one = await next();
        sum.count += Number(one.data.count);
        sum.listed += changesIn(one).length;
        sum.left += Number(one.data.truncated ?? 0);
      }
      assert.equal(sum.count, 5_001, `${name}: ${branch}`);
      assert.equal(sum.listed + sum.left, sum.count, "what is not listed is counted");
    }
    await watcher.close();
  }
});

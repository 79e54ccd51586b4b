/** A program of the library whose hook looks at changed files: what it is asked, and that it ends. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { defineHook } from "../../../src/hosts/library/definition.ts";
import { createHookline } from "../../../src/index.ts";
import { bin } from "../../program.ts";
import { environment, usualRepository } from "../triggers/repository.ts";

export async function isAskedPerTurn(context: TestContext, watch: boolean): Promise<void> {
  const repository = usualRepository(context);
  const home = join(repository.folder, "..");
  const line = await createHookline({ cwd: repository.folder, home, watch, environment });
  context.after(() => line.close());
  const seen: string[][] = [];
  line.use(
    defineHook({
      on: "Stop",
      when: { is: "changed_files", with: { patterns: ["*.ts"] } },
      run({ changes }) {
        if (changes && "files" in changes) seen.push(changes.files);
      },
    }),
  );
  const turn = async (work: () => void): Promise<void> => {
    await line.emit("UserPromptSubmit", { prompt: "go on" }, { session: "s" });
    work();
    await line.emit("Stop", {}, { session: "s" });
  };
  await turn(() => repository.write("a.ts", "changed\n"));
  await turn(() => repository.write("readme.md"));
  await turn(() => repository.write("src/new.ts"));
  assert.deepEqual(seen, [["a.ts"], ["src/new.ts"]]);
  repository.write("src/b.ts", "changed\n");
  const [explained] = await line.explain("Stop", {}, { session: "s" });
  assert.equal(explained?.because, "changed since the last look: src/b.ts, which fits *.ts");
}

/** @param closes whether the program closes its line before */
export function endsByItself(context: TestContext, closes = false): void {
  const { folder } = usualRepository(context);
  const script = `
    import { createHookline } from ${JSON.stringify(join(bin, "..", "..", "dist", "index.js"))};
    const line = await createHookline({ cwd: ${JSON.stringify(folder)} });
    line.use({ on: "Stop", when: { is: "changed_files", with: { patterns: ["*"] } }, run: () => undefined });
    for (const turn of [1, 2, 3]) await line.emit("Stop", {}, { session: "s" });
    if (${closes}) await line.close();
    console.log("done");`;
  const host = join(folder, "..", "host.mjs");
  writeFileSync(host, script);
  const env = { ...environment, HOME: join(folder, "..") };
  const done = spawnSync(process.execPath, [host], { encoding: "utf8", env });
  assert.equal(done.stdout, "done\n", done.stderr);
  assert.equal(done.status, 0);
}

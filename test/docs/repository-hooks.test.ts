/** The first example of docs/repository-hooks.md, as a stranger follows it. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import test from "node:test";
import { project } from "../../scripts/docs/project.ts";
import { bin, codeCache } from "../program.ts";

test("[B1, B2] the first example of the page fires on the event that its command sends", (t) => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "hookline-docs-")));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const workspace = join(folder, "workspace");
  const page = project.read("docs/repository-hooks.md") ?? "";
  const example = page.slice(page.indexOf("## A first hook"), page.indexOf("## Fields"));
  for (const [, name = "", text = ""] of example.matchAll(/^`([^`]+)`[^\n]*:\n\n```\w+\n(.*?)```$/gms)) {
    mkdirSync(dirname(join(workspace, name)), { recursive: true });
    writeFileSync(join(workspace, name), text, { mode: name.endsWith(".sh") ? 0o755 : 0o644 });
  }
  const commands = /```sh\n(.*?)```/s.exec(example)?.[1] ?? assert.fail("no commands");
  const environment = {
    NODE_COMPILE_CACHE: codeCache,
    PATH: process.env.PATH ?? "",
    HOME: join(folder, "home"),
    XDG_STATE_HOME: join(folder, "state"),
  };
  const script = commands.replaceAll(/^hookline/gm, `'${process.execPath}' '${bin}'`);
  const said = spawnSync("sh", ["-ec", script], { cwd: workspace, env: environment, encoding: "utf8" });
  assert.deepEqual([said.status, said.stderr], [0, ""]);
  const calls = readFileSync(join(workspace, ".system", "calls.jsonl"), "utf8")
    .trim()
    .split("\n");
  assert.deepEqual(
    calls.map((line) => JSON.parse(line).ability_id),
    ["billing_regression"],
  );
  assert.match(said.stdout, /^run +call_tracker /m);
});

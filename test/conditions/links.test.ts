/** Files by the path of a link to them and by their own: guards hold for both, and an allow needs both. */
import { deepEqual, equal } from "node:assert/strict";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { createHandlers } from "../../src/actions/index.ts";
import { conditions } from "../../src/conditions/index.ts";
import { loadPatterns } from "../../src/conditions/patterns.ts";
import { compileCondition } from "../../src/engine/condition.ts";
import type { Fields, HookEvent, Json } from "../../src/engine/event.ts";
import { compileToolPattern } from "../../src/engine/pattern.ts";
import { scopeOf } from "../../src/engine/plan.ts";
import { temporaryFolder } from "../temporary-folder.ts";

/** A project with a secret, a folder of secrets, and links to both; and a link that leads to the project. */
function project(t: TestContext): { workspace: string; byLink: string } {
  const folder = temporaryFolder(t);
  const workspace = join(folder, "shop");
  mkdirSync(join(workspace, "vault"), { recursive: true });
  mkdirSync(join(workspace, ".hookline"));
  writeFileSync(join(workspace, ".env"), "");
  symlinkSync(".env", join(workspace, "plain"));
  symlinkSync("vault", join(workspace, "open"));
  symlinkSync(".hookline", join(workspace, "hl"));
  symlinkSync("/etc", join(workspace, "open-etc"));
  symlinkSync(workspace, join(folder, "linked"));
  return { workspace, byLink: join(folder, "linked") };
}

test("a pattern of files denies what a link leads to, wherever the project is reached by one itself", async (t) => {
  const patterns = await loadPatterns();
  const { workspace, byLink } = project(t);
  for (const cwd of [workspace, byLink]) {
    const answer = (pattern: string, file_path: string, mode: "deny" | "allow" = "deny"): unknown =>
      compileToolPattern(pattern, patterns)({ names: ["Write"], input: { file_path }, cwd, root: cwd }, mode);
    deepEqual(
      [answer("write(.env)", "plain"), answer("write(vault/**)", "open/new"), answer("write(/vault/**)", "open/a/b")],
      [true, true, true],
    );
    equal(answer("write(.env)", `${cwd}/plain`), true);
    equal(answer("write(plain)", "plain"), true, "by the name of the link");
    equal(answer("write(.env)", "other"), false);
    equal(answer("write(open/**)", "open/new", "allow"), false, "an allow does not reach through a link");
    equal(answer("write(vault/**)", "vault/new", "allow"), true);
    equal(answer("write(vault/**)", "open/new", "allow"), false);
  }
});

test("effects of shell lines and tools reach the places that links lead to", async (t) => {
  const { workspace, byLink } = project(t);
  for (const cwd of [workspace, byLink]) {
    const patterns = { ...(await loadPatterns()), workspace: cwd };
    const registry = { handlers: createHandlers(new Map()), conditions };
    const event = (tool_name: string, tool_input: Fields): HookEvent => ({
      ...{ id: "1", name: "PreToolUse", at: 0, cwd, sender: "emit", data: { tool_name, tool_input } },
    });
    const found = (params: Json, tool: string, input: Fields): boolean =>
      compileCondition({ is: "effects", with: params }, registry, patterns).test(scopeOf(event(tool, input))) !== false;
    equal(found({ writes: "hook files" }, "Write", { file_path: `${cwd}/hl/hooks.json`, content: "" }), true);
    equal(found({ writes: "hook files" }, "Bash", { command: "echo x > hl/hooks.json" }), true);
    equal(found({ writes: "vault/**" }, "Bash", { command: "cd open && echo x > a" }), true);
    equal(found({ writes: "system" }, "Bash", { command: "echo x > open-etc/hosts" }), true);
    equal(found({ writes: "system" }, "Bash", { command: "echo x > open/hosts" }), false);
    equal(found({ writes: "outside workspace" }, "Write", { file_path: `${cwd}/open/a`, content: "" }), false);
  }
});

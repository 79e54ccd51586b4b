/** The first pattern of specification 003, as its text has it, from the file to the outcome. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Observation } from "../../../src/engine/ports.ts";
import { createHookline } from "../../../src/index.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { script } from "./scratch.ts";

const rules = `
hooks:
  - id: auto_lint
    "on": tool_end
    condition:
      type: tool_name
      match: "filesystem.write|workspace.write"
    action:
      type: lsp_diagnose
      path_field: tool.params.path
      content_field: tool.params.content
      publish: true          # push to the diagnostics preview channel
      inject_result: true    # merge lint into the tool result
      read_from_disk: false  # content comes from params
`;

test("[D71, DT28] auto-lint: a write gains its findings, a clean write nothing, and a read tool starts no server", async (t) => {
  const root = temporaryFolder(t);
  mkdirSync(join(root, ".hookline/rules"), { recursive: true });
  writeFileSync(join(root, ".hookline/rules/lint.yaml"), rules);
  const server = { command: process.execPath, args: [script, "asked"], extensions: [".scripted"] };
  writeFileSync(join(root, "hookline.yaml"), JSON.stringify({ language_servers: { scripted: server } }));
  const seen: Observation[] = [];
  const environment = { PATH: process.env.PATH ?? "" };
  const line = await createHookline({ cwd: root, home: root, environment, observe: (one) => void seen.push(one) });
  t.after(() => line.close());
  const diagnoses = () => seen.filter((one) => one.is === "diagnosis").length;
  const call = (tool_name: string, content: string) =>
    line.emit("PostToolUse", {
      tool_name,
      tool_input: { path: "a.scripted", file_path: "a.scripted", content },
      tool_response: { ok: true },
    });

  assert.deepEqual(await call("Read", "bad"), {});
  assert.deepEqual(await call("filesystem.read", "bad"), {});
  assert.equal(existsSync(join(root, "introduced.json")), false); // nothing was started
  for (const tool of ["filesystem.write", "workspace.write", "Write"]) {
    const { updatedOutput, messages } = await call(tool, "bad");
    assert.ok(typeof updatedOutput === "object" && updatedOutput !== null && "diagnostics" in updatedOutput, tool);
    assert.equal(Array.isArray(updatedOutput.diagnostics) && updatedOutput.diagnostics.length, 1);
    assert.equal(messages, undefined);
  }
  assert.deepEqual(await call("workspace.write", "good"), {});
  assert.equal(diagnoses(), 4);
});

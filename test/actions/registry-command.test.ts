import assert from "node:assert/strict";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { command } from "../../src/actions/command/command.ts";
import type { EventName, Fields } from "../../src/engine/event.ts";
import { hasPython } from "../conditions/python-oracle.ts";
import { contextOf, temporaryFolder } from "./context.ts";

interface Script {
  root: string;
  run(name: EventName, data: Fields): Promise<Awaited<ReturnType<typeof command.run>>>;
  logged: { level: string; message: string; hook: string; run: string }[];
}

/** A script of a repository, called from one of its folders. */
function scriptIn(t: TestContext, file: string, text: string): Script {
  const root = temporaryFolder(t);
  const cwd = join(root, "deep", "below");
  mkdirSync(cwd, { recursive: true });
  mkdirSync(join(root, "scripts"));
  writeFileSync(join(root, "scripts", file), text);
  chmodSync(join(root, "scripts", file), 0o755);
  const logged: Script["logged"] = [];
  const params = { command: `./scripts/${file}`, protocol: "registry", folder: "root" } as const;
  return {
    root,
    logged,
    async run(name, data) {
      const context = contextOf({ name, data, cwd, as: [name], origin: { root } });
      context.ports.observe = ({ is, ...line }) => void (is === "log" && logged.push(line as Script["logged"][0])); // of this kind
      return command.run(params, context);
    },
  };
}

/** Section 4.3.1 of specification 001. */
const loggingHandler = `#!/usr/bin/env python3
import json
import sys
from pathlib import Path

def main():
  ctx = json.load(sys.stdin)
  log_path = Path(".system/logs/hooks.log")
  log_path.parent.mkdir(parents=True, exist_ok=True)
  with log_path.open("a", encoding="utf-8") as f:
    f.write(json.dumps(ctx) + "\\n")
  json.dump({"usage_recorded": True}, sys.stdout)

if __name__ == "__main__":
  main()
`;

test("[B17, B33, BT18] the specification's logging handler writes one line for each call, in the repository's root", {
  skip: !hasPython && "there is no python3",
}, async (t) => {
  const script = scriptIn(t, "log.py", loggingHandler);
  for (const ability of ["one", "two"]) {
    const result = await script.run("PostToolUse", { tool_name: ability, tool_input: {} });
    assert.deepEqual([result.ok, result.output], [true, { usage_recorded: true }]);
  }
  const lines = readFileSync(join(script.root, ".system/logs/hooks.log"), "utf8").trim().split("\n");
  assert.deepEqual(
    lines.map((line) => JSON.parse(line).ability_id),
    ["one", "two"],
  );
});

test("[B27] log lines of a script reach the observers of the engine, under its hook and run", async (t) => {
  const script = scriptIn(t, "x.sh", `#!/bin/sh\necho '{"logs": [{"level": "warn", "message": "slow"}, "plain"]}'\n`);
  await script.run("PostToolUse", { tool_name: "x" });
  assert.deepEqual(script.logged, [
    { level: "warn", message: "slow", hook: "hook-1", run: "run-1" },
    { level: "info", message: "plain", hook: "hook-1", run: "run-1" },
  ]);
});

test("[BT6] the script reads one JSON object with the event's fields", async (t) => {
  const script = scriptIn(t, "x.sh", "#!/bin/sh\ncat > got.json\n");
  await script.run("UserPromptSubmit", { prompt: "say \"hi\"\n$(rm -rf .) 'there'", files_touched: ["a b.ts"] });
  const got = JSON.parse(readFileSync(join(script.root, "got.json"), "utf8"));
  assert.deepEqual(
    [got.event_type, got.session_id, got.user_message, got.files_touched],
    ["UserPromptSubmit", "session-1", "say \"hi\"\n$(rm -rf .) 'there'", ["a b.ts"]],
  );
  assert.ok(!Number.isNaN(Date.parse(got.timestamp)));
});

/** Factory Droid, and with it what agents of Claude Code's form share: every payload that the real one sent, and replies with nothing that it does not obey. */
import { deepEqual, equal, ok } from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { DecodeOptions } from "../../src/agents/adapter.ts";
import { asContinuation } from "../../src/agents/continuation.ts";
import { droid } from "../../src/agents/droid/adapter.ts";
import type { Fields, HookEvent } from "../../src/engine/event.ts";
import { world } from "../world.ts";
import { type AgentCase, agentSuite } from "./agent-suite.ts";
import { onlyOne } from "./only-one.ts";

const folder = join(import.meta.dirname, "../fixtures/agents/droid");
const options: DecodeOptions = { at: 1000, id: () => "e1", registration: "user" };
const recorded = (name: string): Fields => JSON.parse(readFileSync(join(folder, `${name}.json`), "utf8"));
const names = readdirSync(folder).map((file) => file.replace(".json", ""));
const decode = (wire: unknown): readonly HookEvent[] => droid.decode(wire, options);

test("every recorded payload is its event, of its session, in its folder", () => {
  ok(names.length >= 10);
  for (const name of names) {
    const wire = recorded(name);
    const event = onlyOne(decode(wire));
    deepEqual([event.name, event.session, event.cwd], [name.split(".")[0], wire.session_id, wire.cwd], name);
  }
});

test("its tools have Hookline's names and fields, and keep their own names beside", () => {
  const tool = (name: string): unknown[] => {
    const { data, nativeTool } = onlyOne(decode(recorded(name)));
    return [data.tool_name, nativeTool, Object.keys(Object(data.tool_input)).sort()];
  };
  deepEqual(tool("PreToolUse"), ["Write", "Create", ["content", "file_path"]]);
  deepEqual(tool("PreToolUse.Edit"), ["Edit", undefined, ["file_path", "new_string", "old_string"]]);
  deepEqual(tool("PreToolUse.tasks___task_create"), ["mcp__tasks__task_create", "tasks___task_create", ["title"]]);
  const [bash, native] = tool("PreToolUse.Execute");
  deepEqual([bash, native], ["Bash", "Execute"]);
});

test("a patch is a call for each file that it touches, none of which can be rewritten", () => {
  const patch = "*** Begin Patch\n*** Add File: a.txt\n+one\n*** Delete File: b.txt\n*** End Patch\n";
  const wire = { ...recorded("PreToolUse"), tool_name: "ApplyPatch", tool_input: { input: patch } };
  const events = decode(wire);
  deepEqual(
    events.map(({ data, nativeTool }) => [data.tool_name, nativeTool]),
    [
      ["Write", "ApplyPatch"],
      ["Write", "ApplyPatch"],
    ],
  );
  ok(events.every(({ accepts }) => !accepts?.includes("updatedInput") && accepts?.includes("verdict")));
});

test("a rewritten call goes back in its own fields, and the reason of a held stop is no prompt of a person", () => {
  const wire = recorded("PreToolUse.Edit");
  const updatedInput = { file_path: "made.txt", old_string: "made", new_string: "other", replace_all: true };
  deepEqual(droid.encode(onlyOne(decode(wire)), { updatedInput }, wire).body, {
    hookSpecificOutput: {
      hookEventName: "PreToolUse",
      updatedInput: { file_path: "made.txt", old_str: "made", new_str: "other", change_all: true },
    },
  });
  const prompt = { hook_event_name: "UserPromptSubmit", session_id: "s", cwd: "/w" };
  deepEqual(decode({ ...prompt, prompt: asContinuation("run the tests", "s") }), []);
  equal(decode({ ...prompt, prompt: "go on" }).length, 1);
});

test("install droid registers its events in its settings beside what is there, and uninstall takes exactly these out", (t) => {
  const own = '{\n  // mine\n  "model": "custom:mine"\n}\n';
  const place = world(t, {
    "home/.factory/settings.json": own,
    "workspace/.hookline/hooks.json": '{"deny":["Bash(git push *)"]}',
  });
  equal(place.hookline("install", "droid").status, 0);
  const { hooks } = JSON.parse(place.read("home/.factory/settings.json").replace("// mine", ""));
  deepEqual(Object.keys(hooks), droid.settings.events);
  const wire = { ...recorded("PreToolUse.Execute"), cwd: place.workspace, tool_input: { command: "git push" } };
  const answer = place.hooklineWith(JSON.stringify(wire), "hook", "droid", "--event", "PreToolUse", "--by", "user");
  equal(JSON.parse(answer.stdout).hookSpecificOutput.permissionDecision, "deny", answer.stderr);
  equal(place.hookline("uninstall", "droid").status, 0);
  equal(place.read("home/.factory/settings.json"), own);
});

/** What was seen to have an effect, event by event (docs/droid.md); of prompts, what is documented. */
const schema: AgentCase["schema"] = {
  SessionStart: { specific: ["additionalContext"] },
  UserPromptSubmit: { top: ["decision", "reason"], specific: ["additionalContext"] },
  PreToolUse: {
    top: ["continue", "stopReason"],
    specific: ["permissionDecision", "permissionDecisionReason", "updatedInput"],
  },
  PostToolUse: { specific: ["additionalContext"] },
  Stop: { top: ["decision", "reason"] },
};
const denied: AgentCase["denied"] = {
  UserPromptSubmit: { decision: "block", reason: "no" },
  PreToolUse: {
    hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason: "no" },
  },
  Stop: { decision: "block", reason: asContinuation("no", "s") },
};

agentSuite(droid, {
  ...{ schema, denied, rewrite: "updatedInput", passes: ["Stop"] },
  recorded: names.map((name) => ({ wire: recorded(name) })),
});

/** Places with files of every layer, loaded as commands load them, and decided by the real engine; programs answer without a process. */
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { TestContext } from "node:test";
import { runByAgent } from "../../../src/agents/index.ts";
import { loadPatterns } from "../../../src/conditions/patterns.ts";
import { createEngine } from "../../../src/engine/engine.ts";
import type { Fields, HookEvent } from "../../../src/engine/event.ts";
import type { Outcome } from "../../../src/engine/outcome.ts";
import type { Spawn } from "../../../src/engine/program.ts";
import type { Run } from "../../../src/engine/record.ts";
import { combined, loadingFor } from "../../../src/hosts/cli/loaded.ts";
import { type Loaded, loadAll, type Request } from "../../../src/loading/loading.ts";
import { openTrust } from "../../../src/loading/trust/records.ts";
import { createInlineQueue } from "../../../src/runtime/queues/inline.ts";
import { systemPorts } from "../../../src/runtime/system.ts";
import { openMemoryStore } from "../../../src/storage/memory/memory.ts";
import { type Workspace, workspace } from "../workspace.ts";

const bash = (command: string): Fields => ({ tool_name: "Bash", tool_input: { command } });

/** The events that may be refused, each about a text. */
const data: { readonly [name in Decidable]: (text: string) => Fields } = {
  PreToolUse: bash,
  PermissionRequest: bash,
  PostToolUse: (command) => ({ ...bash(command), tool_response: "" }),
  UserPromptSubmit: (prompt) => ({ prompt }),
  Stop: (text) => ({ last_assistant_message: text }),
};
export type Decidable = "PreToolUse" | "PermissionRequest" | "PostToolUse" | "UserPromptSubmit" | "Stop";

/**
 * Programs of these tests, by their line: `answer KIND if WORD ...`. A line and its input say all that a program may depend on,
 * so they answer without a process of their own.
 */
const answers: Readonly<Record<string, { code: number; stdout?: object }>> = {
  deny: { code: 2 },
  ask: { code: 0, stdout: { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "ask" } } },
  allow: { code: 0, stdout: { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "allow" } } },
  stop: { code: 0, stdout: { continue: false, stopReason: "enough" } },
  crash: { code: 1 },
};

const spawn: Spawn = async ({ args, input }, { signal }) => {
  const end = { stderr: "no", dropped: 0, containment: "none", survivors: 0 };
  const [, kind = "", rest = ""] = /answer (\w+) if (.*?)(?: #.*)?$/.exec(args.join(" ")) ?? [];
  const { tool_input, prompt, last_assistant_message } = JSON.parse(input);
  const command = String(tool_input?.command ?? prompt ?? last_assistant_message ?? "");
  if (rest.includes("slowly")) {
    // As long as its limit allows, where that is next to nothing.
    await new Promise<void>((resolve) => {
      signal.addEventListener("abort", () => resolve(), { once: true });
      setTimeout(resolve, 40);
    });
    if (signal.aborted) return { ...end, how: "aborted", stdout: "" };
  }
  if (!rest.split(" ").some((one) => one === "always" || command.includes(one)))
    return { ...end, how: "exit", code: 0, stdout: "" };
  if (kind === "rewrite") {
    const [, to = ""] = /to (.*?)(?: #.*)?$/.exec(rest) ?? [];
    const updated = { hookSpecificOutput: { hookEventName: "PreToolUse", updatedInput: { command: to } } };
    return { ...end, how: "exit", code: 0, stdout: JSON.stringify(updated) };
  }
  const { code, stdout } = answers[kind] ?? { code: 0 };
  return { ...end, how: "exit", code, stdout: stdout ? JSON.stringify(stdout) : "" };
};

/** A file by its path in the workspace, and what it holds. */
export type Files = Readonly<Record<string, string | { link: string }>>;

export interface World {
  place: Workspace;
  load(files: Files, isTrusted: boolean, more?: Pick<Request, "builtIn">): Promise<Loaded>;
  /** @param name PreToolUse, if not given */
  decide(loaded: Loaded, command: string, sender: string, name?: Decidable): Promise<Decided>;
}
export interface Decided {
  outcome: Outcome;
  /** The input as the tool gets it. */
  command: string;
  /** Of the hooks that ran, by id. */
  ran: ReadonlyMap<string, Run>;
}

export async function world(t: TestContext): Promise<World> {
  const place = workspace(t);
  const patterns = await loadPatterns();
  const { beforeModules: _beforeModules, ...loading } = loadingFor();
  const state = join(place.home, "state");
  const managedFolders = { claude: join(place.managed, "claude"), hookline: join(place.managed, "hookline") };
  const at = (path: string): string => join(dirname(place.home), path);
  return {
    place,
    async load(files, isTrusted, more) {
      for (const path of ["home", "managed"]) rmSync(at(path), { recursive: true, force: true });
      mkdirSync(place.project, { recursive: true });
      mkdirSync(state, { mode: 0o700 });
      for (const [path, content] of Object.entries(files)) {
        mkdirSync(dirname(at(path)), { recursive: true });
        if (typeof content !== "string") symlinkSync(at(content.link), at(path));
        else writeFileSync(at(path), content);
        if (typeof content === "string" && path.endsWith(".sh")) chmodSync(at(path), 0o755);
      }
      const request = { cwd: place.project, home: place.home, environment: {}, managedFolders, patterns, ...more };
      const loaded = await loadAll({ ...request, ...(isTrusted ? {} : { trust: openTrust(state) }) }, loading);
      const set = await combined(loaded, { combine: (one) => one } as Parameters<typeof combined>[1]);
      return { ...loaded, set };
    },
    async decide(loaded, command, sender, name = "PreToolUse") {
      const ran = new Map<string, Run>();
      const engine = createEngine({
        ...systemPorts(),
        store: openMemoryStore(),
        queue: createInlineQueue(),
        hooks: () => loaded.set,
        registry: loaded.registry,
        patterns,
        spawn,
        elsewhere: (hook, event, environment = {}) =>
          runByAgent(hook, event.sender, { home: place.home, root: loaded.root, environment }),
        observe(seen) {
          if (seen.is === "run" && seen.run.asked > 0) ran.set(seen.run.hook, seen.run);
        },
      });
      const event: HookEvent = {
        ...{ id: "e", name, at: 0, cwd: place.project, session: "s" },
        ...{ sender, data: data[name](command) },
      };
      const outcome = await engine.emit(event, { environment: {} });
      await engine.close();
      const input = outcome.updatedInput?.command ?? command;
      return { outcome, command: String(input), ran };
    },
  };
}

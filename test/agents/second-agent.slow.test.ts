/** A second agent is a folder and a row: one that does not exist, with words, files and answers of its own, and no line of src for it. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { buildSync } from "esbuild";
import { type Place, placeFor } from "../hosts/daemon/started.ts";

const repository = join(import.meta.dirname, "..", "..");

/** The command with Quill's row, in chunks as the package has it: a bundle of the package knows no more agents than src has. */
function commandWithQuill(): string {
  if (built !== undefined) return built;
  const top = mkdtempSync(join(repository, "node_modules", ".cache", "hookline-quill-")); // libraries are found from there
  process.once("exit", () => rmSync(top, { recursive: true, force: true }));
  buildSync({
    entryPoints: [join(repository, "test", "fixtures", "agents", "quill", "command.ts")],
    outdir: join(top, "dist"),
    outExtension: { ".js": ".mjs" },
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node24",
    define: { TRUSTS_ALL: "true" },
    packages: "external",
    logLevel: "error",
  });
  cpSync(join(repository, "package.json"), join(top, "package.json"));
  built = join(top, "dist", "command.mjs");
  return built;
}
let built: string | undefined;

interface Quill {
  place: Place;
  plugin: string;
  run(...words: string[]): ReturnType<Place["hookline"]>;
  /** What Quill does at an event: the line that its plugin has for it, with the payload. */
  send(kind: string, call?: object): { status: number | null; answer: unknown; stderr: string };
}

function quillFor(t: TestContext, files: Record<string, string>): Quill {
  const place = placeFor(t, files);
  place.environment.HOOKLINE_DAEMON = "off";
  const plugin = join(place.folder, "home", ".quill", "plugins", "hookline.js");
  return {
    place,
    plugin,
    run: (...words) =>
      spawnSync(process.execPath, [commandWithQuill(), ...words], {
        cwd: place.workspace,
        env: place.environment,
        encoding: "utf8",
      }),
    send(kind, call) {
      const line =
        readFileSync(plugin, "utf8")
          .split("\n")
          .find((one) => one.startsWith(`on("${kind}"`)) ??
        readFileSync(plugin, "utf8").split("\n")[1] ??
        "";
      const command: string = JSON.parse(line.slice(line.indexOf(", ") + 2, -2));
      const input = JSON.stringify({ kind, thread: "t1", dir: place.workspace, ...(call ? { call } : {}) });
      const { status, stdout, stderr } = spawnSync("sh", ["-c", command], {
        cwd: place.workspace,
        env: place.environment,
        encoding: "utf8",
        input,
      });
      return { status, answer: stdout === "" ? undefined : JSON.parse(stdout), stderr };
    },
  };
}

const hooks = (event: string, hook: object, matcher?: string): string =>
  JSON.stringify({ [event]: [{ ...(matcher ? { matcher } : {}), hooks: [{ type: "command", ...hook }] }] });

test("an agent with a plugin file of its own is installed, recognised and taken out again, byte by byte", (t) => {
  const { place, plugin, run } = quillFor(t, { "workspace/.quill/hooks.json": "{}" });
  assert.equal(run("install", "quill").status, 0);
  const text = readFileSync(plugin, "utf8");
  assert.match(text, /^\/\/ hookline:managed quill\non\("thread.open", .*\non\("tool.before", .*\n$/);
  assert.match(run("install", "quill").stdout, /nothing to do/);
  const { agents } = JSON.parse(run("status", "--json").stdout);
  assert.deepEqual(
    agents.filter(({ registered }: { registered: boolean }) => registered).map(({ agent }: { agent: string }) => agent),
    ["quill"],
  );
  place.write("workspace/.quill/hooks.json", hooks("Stop", { command: "true" }));
  assert.equal(run("install", "quill").status, 0);
  assert.match(readFileSync(plugin, "utf8"), /^on\("turn.done"/m, "a hook wants it now");
  assert.equal(run("uninstall", "quill").status, 0);
  assert.ok(!place.has("home/.quill"), "folders that were made for it are gone too");
});

test("a file that another program has written in the plugin's place is refused and stays", (t) => {
  const { plugin, run } = quillFor(t, { "home/.quill/plugins/hookline.js": "mine();\n" });
  const { status, stderr } = run("install", "quill");
  assert.notEqual(status, 0);
  assert.match(stderr, /another program has written it/);
  assert.match(run("uninstall", "quill").stdout, /nothing to do/);
  assert.equal(readFileSync(plugin, "utf8"), "mine();\n");
});

test("its hook files count, its folder marks a project, its tools have our names in addition to their own, and the answer is in its words", (t) => {
  const denies = { command: 'echo "no $QUILL_TOOL_NAME in $QUILL_PROJECT_DIR" >&2; exit 2' };
  const { place, run, send } = quillFor(t, {
    "workspace/.quill/hooks.json": hooks("PreToolUse", denies, "Bash(rm *)"),
  });
  run("install", "quill");
  const refused = send("tool.before", { tool: "run_line", args: { line: "cd x && rm -rf y" } });
  assert.deepEqual(refused.answer, { proceed: false, why: `no Bash in ${place.workspace}` });
  assert.deepEqual(send("tool.before", { tool: "run_line", args: { line: "ls" } }).answer, undefined);
  place.write("workspace/.quill/hooks.json", hooks("PreToolUse", { command: "exit 2" }, "run_line"));
  assert.deepEqual(send("tool.before", { tool: "run_line", args: { line: "ls" } }).answer, {
    proceed: false,
    why: "Hook blocked execution",
  });
  const checked = run("check", join(place.workspace, ".quill", "hooks.json"));
  assert.equal(checked.status, 0, checked.stdout);
  assert.match(checked.stdout, /0 errors, 0 warnings/);
});

test("its variables fill arguments and are known to check, and its session's keys reach no hook", (t) => {
  const says = 'echo "$1 in [$QUILL_SESSION_TOKEN]" >&2; exit 2';
  const denies = { command: "sh", args: ["-c", says, "sh", "${QUILL_TOOL_NAME}"] };
  const { place, run, send } = quillFor(t, { "workspace/.quill/hooks.json": hooks("PreToolUse", denies) });
  place.environment.QUILL_SESSION_TOKEN = "a key";
  run("install", "quill");
  const { answer } = send("tool.before", { tool: "run_line", args: { line: "ls" } });
  assert.deepEqual(answer, { proceed: false, why: "Bash in []" });
  place.write(
    "workspace/.quill/hooks.json",
    hooks("PreToolUse", { command: "echo $QUILL_TOOL_NAME $QUILL_SESSION_ID $QUILL_FILE" }),
  );
  const { stdout } = run("check", join(place.workspace, ".quill", "hooks.json"));
  assert.match(stdout, /nothing sets QUILL_FILE/);
  assert.match(stdout, /1 warning/);
});

test("what cannot be read is refused in its words where a guard is active, and passes elsewhere", (t) => {
  const { place, run, send } = quillFor(t, {
    "workspace/.quill/hooks.json": hooks("PreToolUse", { command: "exit 0", role: "guard" }),
  });
  run("install", "quill");
  const { status, answer } = send("tool.dreamt");
  assert.equal(status, 0);
  assert.match(JSON.stringify(answer), /^\{"proceed":false,"why":".*tool\.dreamt/);
  place.write("workspace/.quill/hooks.json", hooks("PreToolUse", { command: "exit 0" }));
  assert.equal(send("tool.dreamt").answer, undefined);
});

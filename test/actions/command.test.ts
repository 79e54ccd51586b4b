import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type CommandParams, command } from "../../src/actions/command/command.ts";
import type { StepResult } from "../../src/engine/ports.ts";
import { contextOf, PATH, type Surroundings, temporaryFolder } from "./context.ts";

const run = async (params: CommandParams | string, wish?: Surroundings): Promise<StepResult> =>
  command.run(typeof params === "string" ? { command: params } : params, contextOf(wish));
const failureOf = (result: StepResult): string => (result.ok ? "none" : result.failure);

test("[C35, C36, CT11] a program reads the event, and its exit 2 blocks with its stderr", async () => {
  const result = await run("grep -q '\"hook_event_name\":\"PreToolUse\"' && echo 'Blocked by policy' >&2 && exit 2");
  assert.deepEqual(result.outcome?.verdict, { is: "deny", reason: "Blocked by policy", by: "hook-1" });
  assert.deepEqual(result.evidence, { exitCode: 2, stdout: "", stderr: "Blocked by policy\n", containment: "pgroup" });
});

test("[C36] a program's JSON on stdout becomes the outcome", async () => {
  const result = await run(`echo '{"hookSpecificOutput":{"updatedInput":{"command":"safe-command"}}}'`);
  assert.deepEqual(result.outcome, { updatedInput: { command: "safe-command" } });
});

test("[R15, CT39] a line of bash syntax runs under bash", async () => {
  const result = await run('[[ "abc" == a* ]] && words=(one two) && echo "${#words[@]}" >&2; exit 2');
  assert.equal(result.outcome?.verdict?.reason, "2");
});

test("[R15, C66, CT39] under sh the same line is a launch failure, never a block", {
  skip: !existsSync("/bin/dash"),
}, async (context) => {
  const folder = temporaryFolder(context);
  symlinkSync("/bin/dash", join(folder, "sh"));
  const environment = { PATH: `${folder}:${PATH}` };
  assert.equal(
    failureOf(await run({ command: "words=(one two)", shell: "sh" }, { caller: { environment } })),
    "launch",
  );
});

test("[R15] without a bash on the PATH, sh runs the line; without any shell it is a launch failure", async (context) => {
  const folder = temporaryFolder(context);
  const none = await run("exit 0", { cwd: "/", caller: { environment: { PATH: folder } } });
  assert.ok(!none.ok && none.failure === "launch" && none.reason.includes("no bash or sh"));
  const only = join(folder, "only-sh");
  mkdirSync(only);
  symlinkSync("/bin/sh", join(only, "sh"));
  const result = await run("echo $0 >&2; exit 2", { cwd: "/", caller: { environment: { PATH: only } } });
  assert.equal(result.outcome?.verdict?.reason, join(only, "sh"));
});

test("[R15] a folder on the PATH that is called bash is no shell", async (context) => {
  const folder = temporaryFolder(context);
  mkdirSync(join(folder, "bash"));
  const result = await run("echo ran >&2; exit 2", { caller: { environment: { PATH: `${folder}:${PATH}` } } });
  assert.equal(result.outcome?.verdict?.reason, "ran");
});

test("[R15, SD5] with args the program runs without a shell, and our own variables are filled in", async (context) => {
  const folder = temporaryFolder(context);
  const script = join(folder, "guard.sh");
  writeFileSync(script, '#!/bin/sh\nprintf "%s|" "$@" >&2\nexit 2\n', { mode: 0o755 });
  const args = ["a b; exit 0", "$HOME", "${CLAUDE_PROJECT_DIR}/x", "${OTHER}"];
  const result = await run(
    { command: "${CLAUDE_PLUGIN_ROOT}/guard.sh", args },
    { cwd: folder, origin: { plugin: folder } },
  );
  assert.equal(result.outcome?.verdict?.reason, `a b; exit 0|$HOME|${folder}/x|\${OTHER}|`);
});

test("[X4, R15] a script that is missing, not executable, or broken is a launch failure with the remedy", async (context) => {
  const cwd = temporaryFolder(context);
  writeFileSync(join(cwd, "guard.sh"), "#!/bin/sh\nexit 2\n", { mode: 0o644 });
  const shell = await run("./guard.sh", { cwd });
  assert.ok(!shell.ok && shell.failure === "launch" && shell.reason.includes("chmod +x ./guard.sh"));
  const direct = await run({ command: "./guard.sh", args: [] }, { cwd });
  assert.ok(!direct.ok && direct.failure === "launch" && direct.reason.includes("chmod +x"));
  for (const line of ["./missing.sh", "python3 missing.py", "echo x; if"])
    assert.equal(failureOf(await run(line, { cwd })), "launch", line);
});

test("[C35] it runs in the session's folder; if that is gone, in the hook's, with a note", async (context) => {
  const folder = temporaryFolder(context);
  assert.equal((await run("pwd -P >&2; exit 2", { cwd: folder })).outcome?.verdict?.reason, folder);
  const gone = await run("pwd -P >&2; exit 2", { cwd: join(folder, "gone"), origin: { root: folder } });
  assert.equal(gone.outcome?.verdict?.reason, folder);
  assert.match(gone.notes?.[0] ?? "", /gone does not exist/);
});

/** What the program's environment holds. */
async function environmentOf(params: Omit<CommandParams, "command">, wish: Surroundings): Promise<Map<string, string>> {
  const result = await run({ command: "env >&2; exit 2", ...params }, wish);
  const lines = (result.outcome?.verdict?.reason ?? "").split("\n");
  return new Map(lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]));
}

test("[C57a, CT14] the CLAUDE_ and HOOKLINE_ variables are there; the GEN_ ones for GenCode's files", async (context) => {
  const cwd = temporaryFolder(context);
  const claude = await environmentOf({}, { cwd, origin: { plugin: "/plugin" } });
  const gen = await environmentOf({ variables: "gen" }, { cwd, as: ["tool_start"] });
  for (const name of ["HOOKLINE", "CLAUDE"]) {
    assert.equal(claude.get(`${name}_PROJECT_DIR`), cwd);
    assert.equal(claude.get(`${name}_SESSION_ID`), "session-1");
    assert.equal(claude.get(`${name}_TOOL_NAME`), "Bash");
  }
  assert.equal(claude.get("CLAUDE_EVENT_TYPE"), "PreToolUse");
  assert.equal(claude.get("CLAUDE_PLUGIN_ROOT"), "/plugin");
  assert.deepEqual(
    ["EVENT", "RUN_ID", "HOOK_ID"].map((name) => claude.get(`HOOKLINE_${name}`)),
    ["PreToolUse", "run-1", "hook-1"],
  );
  assert.equal(claude.has("GEN_PROJECT_DIR"), false);
  assert.deepEqual(
    ["PROJECT_DIR", "SESSION_ID", "EVENT_TYPE", "TOOL_NAME"].map((name) => gen.get(`GEN_${name}`)),
    [cwd, "session-1", "tool_start", "Bash"],
  );
});

test("[R34, C35] a relative script of the project is found from a subfolder: it runs where it was declared, with a note", async (context) => {
  const root = temporaryFolder(context);
  const cwd = join(root, "lib", "deep");
  mkdirSync(cwd, { recursive: true });
  mkdirSync(join(root, "scripts"));
  writeFileSync(join(root, "scripts", "x.sh"), "#!/bin/sh\npwd -P >&2; exit 2\n", { mode: 0o755 });
  const ranIn = async (params: string | CommandParams, from = cwd): Promise<[string | undefined, number]> => {
    const result = await run(params, { cwd: from, origin: { root } });
    return [result.outcome?.verdict?.reason, result.notes?.length ?? 0];
  };
  for (const line of [
    "sh scripts/x.sh",
    "scripts/x.sh",
    "exec sh -eu './scripts/x.sh' --all",
    "A=1 scripts/x.sh | cat; exit 2",
  ])
    assert.deepEqual((await ranIn(line))[1], 1, line);
  assert.deepEqual(await ranIn("sh scripts/x.sh"), [root, 1]);
  assert.deepEqual(await ranIn({ command: "scripts/x.sh", args: [] }), [root, 1]);
  assert.deepEqual(await ranIn("sh scripts/x.sh", root), [root, 0]);
  assert.deepEqual(await ranIn("pwd -P >&2; exit 2"), [cwd, 0]);
  assert.deepEqual(await ranIn("bash -c scripts/x.sh; pwd -P >&2; exit 2").then(([, notes]) => notes), 0);
  mkdirSync(join(cwd, "scripts"));
  writeFileSync(join(cwd, "scripts", "x.sh"), "pwd -P >&2; exit 2\n");
  assert.deepEqual(await ranIn("sh scripts/x.sh"), [cwd, 0]);
});

test("[R34, C35] from outside of the project too, as from a linked worktree, a relative script runs where it was declared, with a note", async (context) => {
  const root = temporaryFolder(context);
  const cwd = temporaryFolder(context);
  writeFileSync(join(root, "x.sh"), "pwd -P >&2; exit 2\n");
  const found = await run("sh ./x.sh", { cwd, origin: { root } });
  assert.equal(found.outcome?.verdict?.reason, root);
  assert.equal(found.notes?.length, 1);
  assert.equal(failureOf(await run("sh ./y.sh", { cwd, origin: { root } })), "launch");
});

test("[C57a] the project is what the agent says, else where the project's hook was written", async () => {
  const said = await environmentOf({}, { caller: { environment: { PATH, CLAUDE_PROJECT_DIR: "/said" } } });
  assert.equal(said.get("HOOKLINE_PROJECT_DIR"), "/said");
  const written = await environmentOf({}, { origin: { layer: "project", root: "/written" } });
  assert.equal(written.get("CLAUDE_PROJECT_DIR"), "/written");
});

test("[R44] a program inherits the sender's environment, less the keys to the agent's session", async () => {
  const environment = {
    PATH,
    MY_SETTING: "1",
    ANTHROPIC_API_KEY: "key",
    CLAUDE_CODE_OAUTH_TOKEN: "account",
    CLAUDE_CODE_MAX_OUTPUT_TOKENS: "9",
    CLAUDE_CODE_MESSAGING_SOCKET: "/socket",
    CLAUDE_CODE_MESSAGING_TOKEN: "token",
    CLAUDE_CODE_SESSION_ACCESS_TOKEN: "token",
  };
  const got = await environmentOf({}, { caller: { environment } });
  const kept = Object.keys(environment).filter((name) => got.has(name));
  assert.deepEqual(kept, [
    "PATH",
    "MY_SETTING",
    "ANTHROPIC_API_KEY",
    "CLAUDE_CODE_OAUTH_TOKEN",
    "CLAUDE_CODE_MAX_OUTPUT_TOKENS",
  ]);
});

test("[R44] where nobody says which variables are keys to a session, a program inherits none", async () => {
  const environment = { PATH, CLAUDE_CODE_MESSAGING_TOKEN: "token" };
  const { ports, ...rest } = contextOf({ caller: { environment } });
  const { conventions: _unknown, ...others } = ports;
  const params = { command: 'echo "$PATH ${CLAUDE_CODE_MESSAGING_TOKEN-withheld}" >&2; exit 2' };
  const result = await command.run(params, { ...rest, ports: others });
  assert.equal(result.outcome?.verdict?.reason, `${PATH} withheld`);
});

test("[R44, SD8] a clean environment holds the allowed names, the declared ones and ours", async () => {
  const environment = { PATH, HOME: "/home", LC_ALL: "C", NODE_OPTIONS: "--x", GIT_DIR: "/g", MY_SECRET: "s" };
  const got = await environmentOf({ environment: "clean", env: { DECLARED: "yes" } }, { caller: { environment } });
  assert.deepEqual(
    ["HOME", "LC_ALL", "TERM", "DECLARED"].map((name) => got.get(name)),
    ["/home", "C", "dumb", "yes"],
  );
  assert.deepEqual(
    ["NODE_OPTIONS", "GIT_DIR", "MY_SECRET"].filter((name) => got.has(name)),
    [],
  );
  assert.equal(got.get("HOOKLINE_EVENT"), "PreToolUse");
});

test("[R44] without a sender's environment the clean one is given", async () => {
  const got = await environmentOf({}, { caller: {} });
  assert.equal(got.get("PATH"), PATH);
  assert.equal(got.get("TERM"), "dumb");
});

test("[R15] a person's shell start files are not read", async (context) => {
  const home = temporaryFolder(context);
  for (const name of [".bashrc", ".bash_profile", ".profile"])
    writeFileSync(join(home, name), "echo noise; echo noise >&2\n");
  const result = await run("echo reason >&2; exit 2", {
    caller: { environment: { PATH, HOME: home, SSH_CLIENT: "x" } },
  });
  assert.equal(result.outcome?.verdict?.reason, "reason");
  assert.equal(result.evidence?.stdout, "");
});

test("[C70a, CT15] at the limit the run is a timeout that says so, and stdout is not believed", async () => {
  const result = await run(`echo '{"decision":"block"}'; sleep 30`, { signal: AbortSignal.timeout(200), timeout: 0.2 });
  assert.ok(!result.ok && result.failure === "timeout" && result.reason === "it did not end within 0.2 s");
  assert.equal(result.outcome, undefined);
});

test('[C37, CT28] a first line {"async":true} lets go at once, and the result follows when the work is done', async (context) => {
  const file = join(temporaryFolder(context), "go");
  const result = await run(
    `echo '{"async":true}'; until [ -e '${file}' ] || [ $((tries++)) -gt 500 ]; do sleep 0.02; done; echo '{"systemMessage":"done"}'`,
  );
  assert.ok(result.ok && result.detached);
  writeFileSync(file, "");
  const rest = await result.detached.done;
  assert.deepEqual(rest.outcome?.context, ["done"]);
  assert.equal(rest.notes, undefined);
});

test("[C37, R14] a program that detached itself has the limit that it asked for", async () => {
  const result = await run(`echo '{"async":true,"asyncTimeout":50}'; sleep 60`);
  assert.ok(result.ok && result.detached);
  const rest = await result.detached.done;
  assert.ok(!rest.ok && rest.failure === "timeout");
});

test("[F3] processes that were left running are ended with a note, or kept if the hook allows it", {
  skip: process.platform !== "linux",
}, async (context) => {
  const cwd = temporaryFolder(context);
  const ended = await run("sleep 60 & exit 0", { cwd });
  assert.deepEqual(ended.notes, ["1 of its processes went on after its end and were ended"]);
  const kept = await run({ command: "sleep 60 >/dev/null 2>&1 & echo $! > pid", detach: "allow" }, { cwd });
  assert.equal(kept.notes, undefined);
  process.kill(Number(readFileSync(join(cwd, "pid"), "utf8")), "SIGKILL");
});

test("[R37] the evidence keeps both ends of a long output", async () => {
  const result = await run("echo first >&2; head -c 100000 /dev/zero | tr '\\0' x >&2; echo last >&2; exit 1");
  const stderr = result.evidence?.stderr ?? "";
  assert.ok(stderr.length < 17_000 && stderr.startsWith("first\n") && stderr.endsWith("last\n"));
});

test("[X4] an unknown protocol is a launch failure", async () => {
  assert.equal(failureOf(await run({ command: "true", protocol: "smoke" })), "launch");
});

test("[R33] parameters are checked by their schema", () => {
  assert.deepEqual(command.params.check({ command: "x", args: ["a"], shell: "sh", environment: "clean" }), []);
  assert.equal(command.params.check({ command: 7, shell: "fish" }).length, 2);
});

import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { command } from "../../src/actions/command/command.ts";
import type { Fields, Json } from "../../src/engine/event.ts";
import type { StepContext } from "../../src/engine/ports.ts";
import { createHookline } from "../../src/index.ts";
import { isRunning } from "../runtime/processes/running.ts";
import { contextOf, type Surroundings, temporaryFolder } from "./context.ts";
import {
  among,
  call,
  examples,
  failing,
  fieldsMeanTheSame,
  followsEdits,
  kept,
  odd,
  PATH,
  residentsFor,
  sameVerdicts,
  saying,
} from "./residents.ts";

test("the example guard.sh gives the same verdicts with a process that stays and without one", (t) =>
  sameVerdicts(t, "guard.sh"));

test("each field of an answer means what it means on a command's stdout", fieldsMeanTheSame);

test("without a daemon a program is started for each event, and ended once it has answered it or its time is over", async (t) => {
  const residents = residentsFor(t, false);
  const params = { command: "python3", args: ["-S", odd] };
  const asked = (data: Fields, wish: Partial<Surroundings> = {}) =>
    kept(params, residents, { caller: { environment: { PATH } }, data, ...wish });
  const pids = [];
  for (const number of [1, 2]) {
    const answer = await asked({ number });
    pids.push(JSON.parse(answer.evidence?.stdout ?? "{}").pid);
  }
  const crashed = await asked({ do: "crash" });
  const limit = new AbortController();
  const hanging = asked({ do: "hang" }, { timeout: 0.1, signal: limit.signal });
  setTimeout(() => limit.abort(), 200); // its time is over by then, however late the timer is
  const late = await hanging;
  assert.deepEqual(
    [crashed, late].map((one) => !one.ok && [one.failure, one.reason]),
    [
      ["exit", "it ended with exit code 3 before it answered"],
      ["timeout", "it did not answer within 0.1 s"],
    ],
  );
  assert.equal(new Set(pids).size, 2);
  await residents.close();
  assert.deepEqual(pids.filter(isRunning), []);
});

test("two workspaces have a process each, and every hook of one workspace with the same command shares it", async (t) => {
  const residents = residentsFor(t);
  const folders = [temporaryFolder(t), temporaryFolder(t)];
  const params = { command: "python3", args: ["-S", "-c", whereAmI] };
  const asked = async (root: string, as: string): Promise<unknown> => {
    const wish = { cwd: root, origin: { root }, caller: { environment: { PATH, CLAUDE_PROJECT_DIR: root } } };
    const context = contextOf(wish);
    const result = await kept(params, residents, wish);
    assert.equal(context.hook.origin.root, root, as);
    return result.outcome?.verdict?.reason;
  };
  const reasons = [];
  for (const root of [folders[0], folders[1], folders[0]]) reasons.push(await asked(String(root), "root"));
  assert.deepEqual(reasons, [
    `${folders[0]} ${folders[0]}`,
    `${folders[1]} ${folders[1]}`,
    `${folders[0]} ${folders[0]}`,
  ]);
  assert.deepEqual(
    residents.facts().map(({ folder, events }) => [folder, events]),
    [
      [folders[0], 2],
      [folders[1], 1],
    ],
  );
});
const whereAmI =
  'import json, os, sys\nfor line in sys.stdin:\n print(json.dumps({"id": json.loads(line)["id"], "exit": 2, "stderr": os.getcwd() + " " + os.environ["CLAUDE_PROJECT_DIR"]}), flush=True)\n';

test("a process begins without variables of one event or one session, and gets them with the events that they belong to", async (t) => {
  const residents = residentsFor(t);
  const root = temporaryFolder(t);
  const params = { command: "python3", args: ["-S", odd] };
  const asked = async (environment: Record<string, string>): Promise<Record<string, Json>> => {
    const context = contextOf({ cwd: root, origin: { root }, caller: { environment: { PATH, ...environment } } });
    const event = { ...context.event, data: { do: "environment" } };
    const result = await failing(params, among({ ...context, event }, residents));
    return JSON.parse(result.evidence?.stdout ?? "{}");
  };
  const account = { CLAUDE_CODE_OAUTH_TOKEN: "account" };
  const first = await asked({ ...account, CLAUDE_ENV_FILE: "/a", OTHER: "1", CLAUDE_CODE_MESSAGING_TOKEN: "secret" });
  const own = first.own as Record<string, string>; // the program prints its environment
  assert.deepEqual(
    [own.CLAUDE_CODE_OAUTH_TOKEN, own.OTHER, own.HOOKLINE_RESIDENT, own.HOOKLINE_PROJECT_DIR, own.HOOKLINE_DEPTH],
    ["account", "1", "1", root, "1"],
  );
  for (const name of [
    "CLAUDE_ENV_FILE",
    "HOOKLINE_SESSION_ID",
    "CLAUDE_TOOL_NAME",
    "HOOKLINE_RUN_ID",
    "CLAUDE_CODE_MESSAGING_TOKEN",
  ])
    assert.equal(own[name], undefined, name);
  assert.deepEqual(first.said, { CLAUDE_ENV_FILE: "/a" });
  const second = await asked({ ...account, CLAUDE_ENV_FILE: "/b", OTHER: "2", CLAUDE_CODE_MESSAGING_TOKEN: "other" });
  assert.deepEqual([second.said, second.pid], [{ CLAUDE_ENV_FILE: "/b" }, first.pid]);
  const third = await asked(account);
  assert.deepEqual([third.said, third.pid], [null, first.pid], "nothing of another session is seen");
});

test("one hook has a process for each folder, depth and umask that its events come with, and for those without an environment", async (t) => {
  const residents = residentsFor(t);
  const params = { command: join(examples, "guard.py"), args: [], resident: true };
  const first = contextOf({ origin: { layer: "user" }, caller: { environment: { PATH } } });
  const { event, caller } = first;
  const apart: readonly Partial<StepContext>[] = [
    { event: { ...event, cwd: temporaryFolder(t) } },
    { event: { ...event, data: { ...event.data, hookline_depth: 2 } } },
    { caller: { ...caller, umask: 0o077 } },
    { caller: {} },
  ];
  for (const change of apart.flatMap((one) => [{}, one])) {
    const result = await command.run(params, among({ ...first, ...change }, residents));
    assert.equal(result.ok, true, JSON.stringify(result));
  }
  assert.deepEqual(
    residents.facts().map(({ events }) => events),
    [4, 1, 1, 1, 1],
  );
});

test("a variable that the hook itself says holds for its program, whatever the sender has", async (t) => {
  const residents = residentsFor(t);
  const params = { command: "python3", args: ["-S", odd], env: { CLAUDE_ENV_FILE: "/own" } };
  const context = contextOf({ caller: { environment: { PATH, CLAUDE_ENV_FILE: "/a" } } });
  const event = { ...context.event, data: { do: "environment" } };
  const result = await failing(params, among({ ...context, event }, residents));
  const { own, said } = JSON.parse(result.evidence?.stdout ?? "{}");
  assert.deepEqual([own.CLAUDE_ENV_FILE, said], ["/own", null]);
});

test("a program that is edited or deleted is not asked any more as it was", (t) => followsEdits(t, "a program"));

test("a program is left alone while only what it writes has changed, and files that it was not read from", async (t) => {
  const residents = residentsFor(t);
  const folder = temporaryFolder(t);
  const [file, log] = [join(folder, "guard.py"), join(folder, "log")];
  writeFileSync(file, saying("no"), { mode: 0o755 });
  const asked = async (): Promise<string | undefined> => {
    writeFileSync(log, String(performance.now()));
    const params = { command: `exec "${file}" 2>> "${log}"` };
    const { outcome } = await kept(params, residents, { cwd: folder, origin: { root: folder } });
    return outcome?.verdict?.reason;
  };
  for (let times = 0; times < 3; times++) assert.equal(await asked(), "no");
  writeFileSync(file, saying("never"), { mode: 0o755 });
  let events = 3; // files are looked at now and then: once they have been, the log has been too
  for (let answer: string | undefined; answer !== "never"; events++) answer = await asked();
  assert.deepEqual(
    residents.facts().map((fact) => [fact.events, fact.restarts]),
    [[events, 1]],
  );
});

const hooksFile = (resident: string, file: string): string =>
  JSON.stringify({
    hooks: {
      PreToolUse: [{ hooks: [{ command: `exec python3 ${file}`, role: "guard", resident: JSON.parse(resident) }] }],
    },
  });

test("a hook file may say resident: the line keeps its program, a crash of a guard blocks, and a changed file ends it", async (t) => {
  const folder = temporaryFolder(t);
  mkdirSync(join(folder, ".hookline"));
  const hooks = join(folder, ".hookline", "hooks.json");
  writeFileSync(hooks, hooksFile("true", join(examples, "guard.py")));
  const told: string[] = [];
  const line = await createHookline({
    cwd: folder,
    home: join(folder, "home"),
    environment: { PATH },
    watch: false,
    observe: (seen) => void (seen.is === "log" && told.push(seen.message)),
  });
  t.after(() => line.close());
  const emit = (text: string): ReturnType<typeof line.emit> => Promise.resolve(line.emit("PreToolUse", call(text)));
  assert.equal((await emit("git push")).verdict?.reason, "a person pushes");
  assert.equal((await emit("ls")).verdict, undefined);
  const [run] = await line.runs();
  assert.equal(run?.steps[0]?.evidence?.stdout, '{"id": "2"}');
  writeFileSync(hooks, hooksFile('{"memory": 256}', odd));
  assert.equal((await emit("ls")).verdict, undefined);
  const crashed = await line.emit("PreToolUse", { ...call("ls"), do: "crash" });
  assert.match(crashed.verdict?.reason ?? "", /failed \(exit: it ended with exit code 3 before it answered\)/);
  assert.ok(told.some((message) => message === "out of luck"));
  assert.equal((await emit("ls")).verdict, undefined);
});

test("the examples in the documentation are those that were tested", () => {
  const page = readFileSync(join(import.meta.dirname, "..", "..", "docs", "handlers.md"), "utf8");
  for (const file of ["guard.py", "guard.mjs", "guard.sh"]) {
    const example = readFileSync(join(examples, file), "utf8");
    assert.ok(page.includes(`\n${example}\`\`\`\n`), file);
    assert.ok(example.trim().split("\n").length <= 12, file);
  }
});

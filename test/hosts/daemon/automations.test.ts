/** What sets automations off, through a real daemon: events, clocks and files, and changes that others make. */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { hosted } from "./hosted.ts";
import { automation, type Place, placeFor, type RunRow, type Started, until } from "./started.ts";

const ended = (place: Place, count: number): Promise<RunRow[]> =>
  until(() => {
    const runs = place.runs();
    return runs.length >= count && runs.every(({ status }) => status === "completed") ? runs : undefined;
  }, `${count} runs`);

test("[A6] every event of the engine reaches the automations, and one that concerns no automation runs none", async (t) => {
  const place = placeFor(t, {
    "workspace/.hookline/automations/a.yaml": automation("A", "type: event, event_type: task.completed", "true"),
    "workspace/.hookline/automations/b.yaml": automation("B", "type: event, event_type: Stop", "true"),
  });
  const daemon = await hosted(place);
  await daemon.emit("task.failed");
  await daemon.emit("task.completed", { project_id: "another" });
  assert.equal((await ended(place, 0)).length, 0);
  await daemon.emit("task.completed", { project_id: "workspace" });
  place.hookline("emit", "Stop"); // another process: what it queues is run here or there
  const runs = await ended(place, 2);
  assert.deepEqual(runs.map(({ cause }) => cause).sort(), ["event:Stop", "event:task.completed"]);
});

const apart = placeFor(
  { after },
  {
    "workspace/.hookline/automations/bad.yaml": `timeout_seconds: 1\n${automation("Bad", "type: event, event_type: task.completed", "sleep 20")}`,
    "workspace/.hookline/automations/a.yaml": automation(
      "A",
      "type: event, event_type: turn_start",
      "echo $PLACE >> log",
    ),
  },
);
let daemonApart: Promise<Started> | undefined;
/** In a process of its own, with a terminal and an environment. */
function upApart(): Promise<Started> {
  apart.environment.PLACE = "daemon";
  daemonApart ??= apart.up();
  return daemonApart;
}

test("[A19] a run that goes wrong is a line on the daemon's terminal and an error in its log", async () => {
  const daemon = await upApart();
  let said = "";
  daemon.child.stderr?.on("data", (chunk: Buffer) => {
    said += chunk.toString();
  });
  await daemon.emit("task.completed");
  const line =
    /hookline: the automation Bad failed: timeout: step 0 \(shell\) reached the run's time limit of 1 s \(hookline runs show [\w-]+\)\n/;
  await until(() => (line.test(said) ? true : undefined), "the line on the terminal");
  const log = apart.read("state/hookline/hookline.log");
  assert.match(log, /"level":"error","message":"the automation Bad failed: /);
});

test("[A9] a clock sets one off, and a file another, whose cause and event the run has", async (t) => {
  const place = placeFor(t, {
    "workspace/notes.md": "one\n",
    "workspace/.hookline/automations/often.yaml": automation(
      "Often",
      "type: periodic, interval_seconds: 1",
      "echo {{event.current_time}} >> ticks",
    ),
    "workspace/.hookline/automations/watch.yaml": automation(
      "Watch",
      "type: event, event_type: file.changed, watch: { paths: [notes.md] }",
      "echo {{event.operation}} {{event.relative_path}} >> seen",
    ),
  });
  await hosted(place);
  place.write("workspace/notes.md", "two, and longer\n");
  const seen = await until(() => contentOf(place, "seen"), "the file's change");
  assert.equal(seen, "modified notes.md\n");
  assert.ok(place.runs().some(({ hook, cause }) => hook.endsWith("/watch") && cause === "event:file.changed"));
  const ticks = await until(() => {
    const lines = contentOf(place, "ticks")?.trim().split("\n") ?? [];
    return lines.length >= 2 ? lines : undefined;
  }, "two ticks");
  for (const tick of ticks) assert.match(tick, /^\d{4}-\d\d-\d\dT/);
});

test("[A14, R24] what others create, change and delete is followed at once", async (t) => {
  const place = placeFor(t);
  const daemon = await hosted(place);
  const file = "workspace/.hookline/automations/new.yaml";
  const listed = async (): Promise<number> => (await daemon.call("/status")).body.automations.active;
  place.write(file, automation("New", "type: event, event_type: a.b", "echo first >> log"));
  await until(async () => (await listed()) === 1, "it is in force");
  await daemon.emit("a.b");
  await ended(place, 1);
  place.write(file, automation("New", "type: event, event_type: a.b", "echo second, and longer >> log"));
  await daemon.emit("a.b");
  await ended(place, 2);
  assert.equal(contentOf(place, "log"), "first\nsecond, and longer\n");
  rmSync(join(place.folder, file));
  await until(async () => (await listed()) === 0, "it is gone");
  await daemon.emit("a.b");
  assert.equal(place.runs().length, 2);
});

test("an automation that another command makes runs at the next event, and a pause holds it", async (t) => {
  const place = placeFor(t);
  const daemon = await hosted(place);
  assert.equal(place.hookline("project", "create", "workspace").status, 0);
  const made = place.hookline(
    ...["automation", "create", "Built", "--project", "workspace", "--cooldown-seconds", "0"],
    ...["--trigger", '{"type":"event","event_type":"a.b","skip_llm":true}'],
    ...["--context-steps", '[{"type":"shell","command":"true"}]'],
  );
  assert.equal(made.status, 0, made.stderr);
  await daemon.emit("a.b");
  await ended(place, 1);
  assert.equal(place.hookline("automation", "pause", "workspace/built").status, 0);
  const { body } = await daemon.emit("a.b");
  assert.match(body.runs[0].reason, /^paused: it does not run for this event later/);
});

test("[R44, R48] what an agent's call queues the daemon runs, in its own environment", async () => {
  await upApart();
  apart.environment.PLACE = "agent";
  const input = JSON.stringify({
    session_id: "s1",
    cwd: apart.workspace,
    hook_event_name: "UserPromptSubmit",
    prompt: "hello",
  });
  const done = apart.hooklineWith(input, "hook", "claude-code", "--event", "UserPromptSubmit");
  assert.equal(done.status, 0, done.stderr);
  const isOver = ({ hook, status }: RunRow): boolean => hook.endsWith("/a") && status === "completed";
  await until(() => apart.runs().some(isOver), "it has run");
  assert.equal(contentOf(apart, "log"), "daemon\n");
});

test("several workspaces are served by one daemon, each with its own automations", async (t) => {
  const place = placeFor(t);
  for (const name of ["one", "two"]) {
    mkdirSync(join(place.folder, name, ".git"), { recursive: true });
    place.write(`${name}/.hookline/automations/a.yaml`, automation("A", "type: event, event_type: a.b", `pwd > ran`));
  }
  const [one, two] = [join(place.folder, "one"), join(place.folder, "two")];
  const daemon = await hosted(place, [one, two]);
  assert.deepEqual(daemon.said.workspaces, [one, two]);
  await daemon.emit("a.b", { project_id: "two" });
  await ended(place, 1);
  assert.deepEqual(
    place.runs().map(({ hook }) => hook),
    ["automation:two/a"],
  );
  assert.equal(readFileSync(join(two, "ran"), "utf8"), `${two}\n`);
});

test("workspaces with the same name are kept apart, by every process, and their automations are two", async (t) => {
  const place = placeFor(t);
  for (const where of ["one", "two"]) {
    mkdirSync(join(place.folder, where, "shop", ".git"), { recursive: true });
    const command = `pwd >> ${join(place.folder, "ran")}`;
    place.write(
      `${where}/shop/.hookline/automations/a.yaml`,
      automation("A", "type: event, event_type: a.b", command).replace("cooldown_seconds: 0", "cooldown_seconds: 3600"),
    );
  }
  const folders = ["one", "two"].map((where) => join(place.folder, where, "shop"));
  const daemon = await hosted(place, folders);
  assert.equal(daemon.said.automations.active, 2);
  await daemon.emit("a.b");
  const runs = await ended(place, 2);
  const ids = runs.map(({ hook }) => hook).sort();
  assert.match(ids.join(), /^automation:shop-[0-9a-f]{6}\/a,automation:shop\/a$/);
  assert.deepEqual(place.read("ran").trim().split("\n").sort(), folders);
  const rows = folders.flatMap((folder) =>
    JSON.parse(place.hookline("automation", "list", "--json", "--cwd", folder).stdout).map(
      (row: { project_id: string; id: string }) => `automation:${row.project_id}/${row.id}`,
    ),
  );
  assert.deepEqual(rows.sort(), ids, "a command that looks at one of them calls it the same");
});

function contentOf({ workspace }: Place, name: string): string | undefined {
  try {
    return readFileSync(join(workspace, name), "utf8") || undefined;
  } catch {
    return undefined; // not there yet
  }
}

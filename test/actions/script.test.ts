/** File and pre-commit scripts on the real line: what they are given, how they end, and what a failure says. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { isRunning } from "../runtime/processes/running.ts";
import { outputOf, PATH, reasonOf, scriptWorld } from "./script/script-world.ts";

const touch = (root: string, ...names: string[]): void => {
  for (const name of names) {
    mkdirSync(join(root, name, ".."), { recursive: true });
    writeFileSync(join(root, name), "");
  }
};

test("[E44, ET7] a file script is given the files that match, its type and its session, under both names", async (t) => {
  const world = scriptWorld(t, [{ does: 'env > seen; pwd > where; cat "$DISCOBOT_CHANGED_FILES_0" > listed' }]);
  touch(world.root, "foo.go", "bar.go", "read.me");
  await world.stop(["foo.go", "bar.go", "read.me"]);
  const seen = world.read("seen").split("\n");
  for (const prefix of ["HOOKLINE", "DISCOBOT"]) {
    const wanted = ["CHANGED_FILES=foo.go bar.go", "HOOK_TYPE=file", "SESSION_ID=s1", `WORKSPACE=${world.root}`];
    for (const line of wanted) assert.ok(seen.includes(`${prefix}_${line}`), line);
  }
  assert.equal(world.read("where").trim(), world.root);
  assert.equal(world.read("listed"), "foo.go\0bar.go\0");
  const listing = /^HOOKLINE_CHANGED_FILES_0=(.*)$/m.exec(world.read("seen"))?.[1] ?? assert.fail();
  assert.equal(existsSync(listing), false, "the list goes with the run");
  assert.equal(
    seen.some((line) => line.includes("_TRUNCATED=")),
    false,
  );
});

test("[R19] names with blanks, quotes, line breaks, other alphabets and leading dashes arrive intact", async (t) => {
  const names = [
    "a b.go",
    'it\'s "so".go',
    "two\nlines.go",
    "größe-日本.go",
    "-rf.go",
    "$(touch pwned);`x`.go",
    "*.go",
  ];
  const world = scriptWorld(t, [
    { does: 'eval "set -- $HOOKLINE_CHANGED_FILES"\nprintf "%s\\0" "$@" > words; cp "$HOOKLINE_CHANGED_FILES_0" raw' },
  ]);
  touch(world.root, ...names);
  await world.stop(names);
  assert.deepEqual(world.read("raw").split("\0").slice(0, -1), names);
  assert.deepEqual(
    world.read("words").split("\0").slice(0, -1),
    names.map((name) => name.replace(/^-/, "./-")),
  );
  assert.equal(existsSync(join(world.root, "pwned")), false);
});

test("[R19] a name with letters of any alphabet needs no quotes, and one that a shell would act on has them", async (t) => {
  const plain = ["größe-日本.go", "naïve@2x+1=a,b%.go", "é.go"];
  const quoted = ["$a.go", "(b).go", "[c].go", "\\d.go", "{e,f}.go"];
  const world = scriptWorld(t, [{ does: 'printf %s "$HOOKLINE_CHANGED_FILES" > words' }]);
  touch(world.root, ...plain, ...quoted);
  await world.stop([...plain, ...quoted]);
  assert.equal(world.read("words"), [...plain, ...quoted.map((name) => `'${name}'`)].join(" "));
});

test("[R19] a name that is no UTF-8 is handed over as its bytes in the list, and shown so that it can be read", {
  skip: process.platform !== "linux",
}, async (t) => {
  const does = `xargs -0 cat < "$HOOKLINE_CHANGED_FILES_0"; echo "$HOOKLINE_CHANGED_FILES_TRUNCATED $HOOKLINE_CHANGED_FILES"; exit 1`;
  const world = scriptWorld(t, [{ does }]);
  touch(world.root, "a.go");
  writeFileSync(Buffer.from(join(world.root, "caf\u00e9.go"), "latin1"), "it is read\n");
  const reason = reasonOf(await world.stop(["a.go", "caf\udce9.go"]));
  assert.match(reason, /^Files: a\.go, caf\\xE9\.go$/m);
  assert.match(reason, /^it is read\n1 a\.go$/m);
  assert.match((await world.lastRun()).notes?.join() ?? "", /did not fit into CHANGED_FILES/);
});

test("[E44] a script's own name is never shell text, whatever it holds", async (t) => {
  const file = `.hookline/hooks/-x $(touch pwned) 'q' "d" \n größe.sh`;
  const world = scriptWorld(t, [{ file, does: 'printf "%s" "$0" > me' }]);
  touch(world.root, "a.go");
  assert.deepEqual(await world.stop(["a.go"]), {});
  assert.equal(world.read("me"), join(world.root, file));
  assert.equal(existsSync(join(world.root, "pwned")), false);
});

test("more names than a variable holds are cut between two names, with a count, and the list has them all", async (t) => {
  const names = Array.from({ length: 3_000 }, (_, index) => `${"folder/".repeat(8)}file-${index}.go`);
  const world = scriptWorld(t, [
    {
      does: 'set -- $HOOKLINE_CHANGED_FILES; echo "$# $HOOKLINE_CHANGED_FILES_TRUNCATED $DISCOBOT_CHANGED_FILES_TRUNCATED" > counts\ntr -dc "\\000" < "$HOOKLINE_CHANGED_FILES_0" | wc -c > all; for last; do :; done; echo "$last" > last',
    },
  ]);
  touch(world.root, ...names);
  await world.stop(names);
  const [given = 0, left, again] = world.read("counts").trim().split(" ").map(Number);
  assert.equal(given + (left ?? 0), 3_000);
  assert.equal(left, again);
  assert.ok(given > 1_500, "the variable is as long as it may be");
  assert.equal(world.read("last").trim(), names[given - 1]);
  assert.equal(Number(world.read("all")), 3_000);
  assert.match((await world.lastRun()).notes.join(), /names did not fit into CHANGED_FILES/);
});

test("[ET4, ET5, E31] exit 0 passes whatever it prints, and another code is a failed run with what was printed", async (t) => {
  const world = scriptWorld(t, [
    { does: 'echo \'{"decision":"block"}\'; echo fine >&2' },
    { does: "echo wrong >&2; exit 1" },
  ]);
  touch(world.root, "a.go");
  await world.stop(["a.go"]);
  const [passed, failed] = [await world.lastRun(0), await world.lastRun(1)];
  assert.deepEqual([passed.status, outputOf(passed).exitCode, passed.outcome], ["completed", 0, {}]);
  assert.ok(Number(outputOf(passed).ms) >= 0 && (passed.ms ?? -1) >= 0);
  assert.match(world.log("0-script"), /"decision":"block"\}\nfine\n/);
  assert.deepEqual([failed.status, outputOf(failed).exitCode, failed.reason], ["failed", 1, "exit 1: wrong"]);
  assert.equal(world.log("1-script"), "wrong\n");
  assert.equal(failed.steps[0]?.evidence?.stdout, "wrong\n");
});

test("a script that passes although a program was not found says so to the person", async (t) => {
  const world = scriptWorld(t, [
    { does: 'unformatted=$(no-such-gofmt -l .)\necho "$unformatted"\ntest -z "$unformatted"' },
    { does: 'echo "the page was not found"' },
  ]);
  touch(world.root, "a.go");
  await world.stop(["a.go"]);
  const [passed, other] = [await world.lastRun(0), await world.lastRun(1)];
  assert.equal(passed.status, "completed");
  const [message] = passed.outcome?.messages ?? [];
  assert.equal(message?.to, "person");
  assert.match(message?.text ?? "", /passed, although its output says that "no-such-gofmt" was not found/);
  assert.deepEqual(other.outcome, {});
});

test("[E39] the log has both streams in the order in which they came, and that of the last run only", async (t) => {
  const world = scriptWorld(t, [{ does: "for i in 1 2 3; do echo out $i; echo err $i >&2; done; exit 1" }]);
  touch(world.root, "a.go");
  const wanted = "out 1\nerr 1\nout 2\nerr 2\nout 3\nerr 3\n";
  await world.stop(["a.go"]);
  await world.stop(["a.go"]);
  assert.equal(world.log("0-script"), wanted);
});

test("a script reads an empty input", async (t) => {
  const world = scriptWorld(t, [{ does: "cat; echo done" }]);
  touch(world.root, "a.go");
  await world.stop(["a.go"]);
  assert.equal(world.log("0-script"), "done\n");
});

test("[ET9, E44a] one that vanished, or whose interpreter is missing, is 127; one that may not be executed 126", async (t) => {
  const world = scriptWorld(t, [
    { file: ".hookline/hooks/gone.sh", does: "exit 0", with: { notify: false } },
    { file: ".hookline/hooks/no-interpreter", does: "#!/no/such/interpreter\n", with: { notify: false } },
    { file: ".hookline/hooks/not-executable", does: "exit 0", executable: false, with: { notify: false } },
    { file: ".hookline/hooks/own-127", does: "no-such-program", with: { notify: false } },
  ]);
  for (const hook of world.hooks) hook.limits = { overlap: "queue" }; // each for itself
  rmSync(join(world.root, ".hookline/hooks/gone.sh"));
  await world.emit("Stop", { data: { changed_files: ["a.go"] } });
  const ends = (await world.runs()).map((run) => [outputOf(run).exitCode, run.steps[0]?.failure, run.reason]);
  assert.deepEqual(ends.slice(0, 2), [
    [127, "launch", "launch: .hookline/hooks/gone.sh: it is no longer there"],
    [127, "launch", "launch: .hookline/hooks/no-interpreter: the interpreter in its #! line was not found"],
  ]);
  assert.deepEqual(ends[2]?.slice(0, 2), [126, "launch"]);
  assert.match(
    String(ends[2]?.[2]),
    /^launch: \.hookline\/hooks\/not-executable: it cannot be executed: Permission denied/,
  );
  assert.deepEqual(ends[3]?.slice(0, 2), [127, "exit"], "its own 127 is an exit");
});

test("[ET15] a script's path is relative to the workspace in messages", async (t) => {
  const world = scriptWorld(t, [{ file: ".hookline/hooks/lint", does: "#!/no/such\n", type: "session" }]);
  await world.emit("SessionStart", { data: { source: "startup" } });
  assert.match((await world.lastRun()).reason ?? "", /^launch: \.hookline\/hooks\/lint: /);
});

test("[ET6, E44a, E17] at its limit it ends with all that it started: 124, also where a grandchild holds the output", async (t) => {
  const world = scriptWorld(t, [
    { does: "echo begun; sleep 3600 & echo $! > pid; (sleep 3600; true)", with: { limit: 3 } },
  ]);
  touch(world.root, "a.go");
  const started = performance.now();
  const reason = reasonOf(await world.stop(["a.go"]));
  assert.ok(performance.now() - started < 600_000);
  const run = await world.lastRun();
  assert.deepEqual([run.status, outputOf(run).exitCode], ["timeout", 124]);
  assert.equal(isRunning(Number(world.read("pid"))), false);
  assert.match(reason, /\nExit code: 124\n\nOutput:\nbegun\n\[hookline: it did not end within 3 s\]\n/);
});

test("[ET6] who does not obey is killed two seconds later, and the run settles then", async (t) => {
  const world = scriptWorld(t, [
    { does: "trap '' TERM; sh -c 'trap \"\" TERM; sleep 3600' & while :; do sleep 3600; done", with: { limit: 0.3 } },
  ]);
  touch(world.root, "a.go");
  const started = performance.now();
  await world.stop(["a.go"]);
  assert.ok(performance.now() - started < 600_000);
  assert.equal(outputOf(await world.lastRun()).exitCode, 124);
});

test("a script that floods is ended: 126, its beginning and end are kept, and the message names the log", async (t) => {
  const world = scriptWorld(t, [{ does: `echo begins; exec yes ${"y".repeat(500)}` }]);
  touch(world.root, "a.go");
  const reason = reasonOf(await world.stop(["a.go"]));
  const run = await world.lastRun();
  assert.deepEqual([outputOf(run).exitCode, run.steps[0]?.failure], [126, "output"]);
  assert.ok(world.log("0-script").startsWith("begins\n"));
  assert.ok(world.log("0-script").length < 9 << 20);
  assert.match(reason, /Output is large \(\d+ lines\)\. Full output saved to:\n {2}~\/\.local\/state/);
});

test("[E40, E43, ET13] small output: the message word for word", async (t) => {
  const world = scriptWorld(t, [{ name: "Go format check", does: "echo one: differs; echo two: differs >&2; exit 2" }]);
  touch(world.root, "internal/server/handler.go", "b.go");
  const reason = reasonOf(await world.stop(["internal/server/handler.go", "b.go"]));
  assert.equal(
    reason,
    `[Hookline Hook Failed] "Go format check" (pattern: *.go)

Files: internal/server/handler.go, b.go
Exit code: 2

Output:
one: differs
two: differs

Please fix the issues and ensure the hook passes. (Attempt 1/3)`,
  );
});

test("[E42, R42] large output: the message word for word, under the other product's name for its scripts", async (t) => {
  const world = scriptWorld(t, [
    { file: ".discobot/hooks/go-format-check.sh", name: "Go format check", does: "seq 847; exit 1" },
  ]);
  touch(world.root, "a.go");
  assert.equal(
    reasonOf(await world.stop(["a.go"], { session: "abc123" })),
    `[Discobot Hook Failed] "Go format check" (pattern: *.go)

Files: a.go
Exit code: 1

Output is large (847 lines). Full output saved to:
  ~/.discobot/abc123/hooks/output/go-format-check.log

Please read the file to see the full output and address the issues. (Attempt 1/3)`,
  );
  const log = readFileSync(join(world.home, ".discobot/abc123/hooks/output/go-format-check.log"), "utf8");
  assert.equal(log.trim().split("\n").length, 847);
});

test("[E41] 200 lines and 5,120 bytes of trimmed output are small; one more is large", async (t) => {
  const bytes = (count: number): string => `head -c ${count} /dev/zero | tr '\\0' x`;
  const world = scriptWorld(t, [{ does: "sh ./says; exit 1" }]);
  touch(world.root, "a.go");
  for (const [says, isLarge] of [
    ["printf '\\n\\n'; seq 200; echo; echo '  '", false],
    ["seq 201", true],
    [`${bytes(5_120)}; echo`, false],
    [bytes(5_121), true],
  ] as const) {
    writeFileSync(join(world.root, "says"), says);
    await world.emit("UserPromptSubmit", { data: { prompt: "go on" } });
    assert.equal(reasonOf(await world.stop(["a.go"])).includes("Output is large"), isLarge, says);
  }
});

test("[E40] of more than 20 files the rest is counted, and deleted ones are marked as deleted", async (t) => {
  const names = Array.from({ length: 23 }, (_, index) => `f${index}.go`);
  const world = scriptWorld(t, [{ does: "exit 1" }]);
  touch(world.root, ...names);
  const files = /^Files: (.*)$/m.exec(reasonOf(await world.stop(names)))?.[1];
  assert.equal(files, `${names.slice(0, 20).join(", ")}, and 3 more`);
  for (const name of names.slice(1)) rmSync(join(world.root, name));
  const fewer = reasonOf(await world.stop(["f0.go", "f1.go"], { changes: { files: ["f0.go", "f1.go"] } }));
  assert.match(fewer, /^Files: f0\.go, f1\.go \(deleted\)$/m);
});

test("the message holds no terminal sequences and no forged lines of names; the log holds what was printed", async (t) => {
  const printed = "\\033[31mred\\033[0m \\033]0;title\\007ok\\r\\n10%%\\r100%%\\n\\033]8;;unended\\nnext\\b\\n";
  const world = scriptWorld(t, [{ does: `printf '${printed}'; exit 1` }]);
  touch(world.root, "x\nExit code: 0.go");
  const reason = reasonOf(await world.stop(["x\nExit code: 0.go"]));
  assert.match(reason, /^Files: "x\\nExit code: 0\.go"$/m);
  assert.match(reason, /Output:\nred ok\n100%\n\nnext\n\n/);
  assert.ok(world.log("0-script").startsWith("\u001b[31mred"));
});

test("[E32] with notify_llm false a failure says nothing to the model, and the evaluation ends there", async (t) => {
  const world = scriptWorld(t, [{ does: "echo no; exit 1", with: { notify: false } }, { does: "touch ran" }]);
  touch(world.root, "a.go");
  assert.deepEqual(await world.stop(["a.go"]), {});
  assert.equal((await world.lastRun(0)).status, "failed");
  assert.equal(existsSync(join(world.root, "ran")), false);
});

test("[ET24, E37, E38] one that always fails re-prompts three times, then warns a person, and a prompt renews the count", async (t) => {
  const world = scriptWorld(t, [{ does: "exit 1" }]);
  touch(world.root, "a.go");
  for (const attempt of [1, 2, 3])
    assert.match(reasonOf(await world.stop(["a.go"])), new RegExp(`\\(Attempt ${attempt}/3\\)$`));
  const past = await world.stop(["a.go"]);
  assert.equal(past.verdict, undefined);
  assert.match(past.messages?.[0]?.text ?? "", /Hook Failed\] "0-script\.sh"/);
  assert.doesNotMatch(past.messages?.[0]?.text ?? "", /Attempt/);
  assert.deepEqual(world.status().pendingHooks, ["0-script"]);
  await world.emit("UserPromptSubmit", { data: { prompt: "again" } });
  assert.match(reasonOf(await world.stop(["a.go"])), /\(Attempt 1\/3\)$/);
});

test("[E29, E33a, ET22, E27] what is pending runs again though nothing changed since, with all its files that still differ", async (t) => {
  const world = scriptWorld(t, [{ does: 'echo "$HOOKLINE_CHANGED_FILES" >> seen; exit 1' }]);
  touch(world.root, "a.go", "b.go", "c.go");
  await world.stop(["a.go", "b.go"]);
  await world.stop(["c.go"], { changes: { files: ["c.go"], earlier: ["b.go"] } });
  await world.stop([], { changes: { earlier: ["b.go", "c.go"] } });
  assert.equal(world.read("seen"), "a.go b.go\nb.go c.go\nb.go c.go\n");
});

test("[ET23] files that the turn committed are still what the script is for", async (t) => {
  const world = scriptWorld(t, [{ does: 'echo "$HOOKLINE_CHANGED_FILES" > seen' }]);
  touch(world.root, "a.go");
  await world.stop(["a.go"]);
  assert.equal(world.read("seen"), "a.go\n");
});

test("[E30] without a matching file that is left it is no longer pending, and no program is started", async (t) => {
  const world = scriptWorld(t, [{ does: "touch ran; exit 1" }]);
  touch(world.root, "a.go");
  await world.stop(["a.go"]);
  rmSync(join(world.root, "ran"));
  assert.deepEqual(await world.stop([], { changes: { files: [] } }), {});
  const run = await world.lastRun();
  assert.deepEqual([run.status, run.notes], ["completed", ["no matching file is left, so it was not run"]]);
  assert.equal(existsSync(join(world.root, "ran")), false);
  assert.deepEqual(world.status().pendingHooks, []);
  assert.equal(world.status().hooks["0-script"]?.runCount, 1);
});

test("[E29] if it is unknown what changed, no pending check is dropped", async (t) => {
  const world = scriptWorld(t, [{ does: 'echo "$HOOKLINE_CHANGED_FILES" >> seen; exit 1' }]);
  touch(world.root, "a.go");
  await world.stop(["a.go"]);
  await world.emit("Stop", { changes: { unknown: "git failed" } });
  await world.emit("Stop");
  await world.stop([], { changes: { files: ["b.txt"], truncated: 4 } });
  assert.equal(world.read("seen"), "a.go\n".repeat(4));
});

test("a run says how much was not looked at for it", async (t) => {
  const world = scriptWorld(t, [{ does: "exit 0" }]);
  touch(world.root, "a.go");
  await world.stop([], { changes: { files: ["a.go"], truncated: 4 } });
  assert.deepEqual((await world.lastRun()).notes, ["4 files and folders were not looked at"]);
});

test("[E29] deleted files match, and are left out of the names that are handed over", async (t) => {
  const world = scriptWorld(t, [{ does: 'echo "<$HOOKLINE_CHANGED_FILES>" >> seen; exit 1' }]);
  touch(world.root, "a.go");
  await world.stop(["a.go", "b.go"], { changes: { files: ["a.go", "b.go"], removed: ["b.go"] } });
  await world.stop(["c.go"], { changes: { files: ["c.go"], removed: ["c.go"] } });
  assert.equal(world.read("seen"), "<a.go>\n<>\n");
});

test("[ET9] a script whose list of files cannot be written has not passed, and the model reads why", async (t) => {
  const world = scriptWorld(t, [{ does: "touch ran" }, { type: "pre-commit", does: "touch ran" }]);
  touch(world.root, "a.go");
  const { TMPDIR } = process.env;
  t.after(() => {
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
  });
  process.env.TMPDIR = join(world.root, "nowhere");
  assert.match(
    reasonOf(await world.stop(["a.go"])),
    /Exit code: 126\n\nOutput:\n\[hookline: it could not be run: it is not there.*nowhere/,
  );
  const { status, reason } = await world.lastRun();
  assert.deepEqual([status, /^launch: .*it is not there/.test(reason ?? "")], ["failed", true], reason);
  assert.deepEqual(world.status().pendingHooks, ["0-script"]);
  const commit = await world.emit("git.pre-commit", { data: { changed_files: ["a.go"] } });
  assert.match(reasonOf(commit), /it is not there/);
  assert.equal(existsSync(join(world.root, "ran")), false);
});

test("[E22, E35] the person's next prompt ends the script and all that it started: nothing of it is written, and it stays pending", async (t) => {
  const world = scriptWorld(t, [{ does: "sleep 60 & echo $! > pid; echo begun > begun; wait" }, { does: "touch ran" }]);
  touch(world.root, "a.go");
  await world.emit("UserPromptSubmit", { data: { prompt: "one" } });
  const stopping = world.stop(["a.go"]);
  await appears(join(world.root, "begun"));
  await world.emit("UserPromptSubmit", { data: { prompt: "two" } });
  assert.deepEqual(await stopping, {});
  const run = await world.lastRun();
  assert.deepEqual([run.status, run.reason], ["cancelled", "the next prompt came"]);
  assert.equal(isRunning(Number(world.read("pid"))), false);
  assert.deepEqual(world.status().hooks, {});
  assert.deepEqual(world.status().pendingHooks, ["0-script", "1-script"]);
  assert.equal(existsSync(join(world.folder(), "output", "0-script.log")), false);
  assert.equal(existsSync(join(world.root, "ran")), false);
});

test("[E22] a caller that gives up ends the script as well", async (t) => {
  const world = scriptWorld(t, [{ does: "echo $$ > pid; exec sleep 60" }]);
  touch(world.root, "a.go");
  const caller = new AbortController();
  const stopping = world.stop(["a.go"], { caller: { signal: caller.signal, environment: { PATH } } });
  await appears(join(world.root, "pid"));
  caller.abort();
  assert.deepEqual(await stopping, {});
  assert.equal((await world.lastRun()).status, "cancelled");
  assert.equal(isRunning(Number(world.read("pid"))), false);
  assert.deepEqual(world.status().hooks, {});
});

test("[E34] two scripts over two completions: the second waits until the first is fixed", async (t) => {
  const world = scriptWorld(t, [
    { file: ".hookline/hooks/a.sh", does: "grep -q good a.go" },
    { file: ".hookline/hooks/b.sh", does: 'echo "$HOOKLINE_CHANGED_FILES" > b-saw' },
  ]);
  touch(world.root, "a.go", "b.go");
  assert.match(reasonOf(await world.stop(["a.go", "b.go"])), /"a\.sh"/);
  assert.deepEqual(world.status().pendingHooks, ["a", "b"]);
  writeFileSync(join(world.root, "a.go"), "good");
  assert.deepEqual(await world.stop(["a.go"], { changes: { files: ["a.go"], earlier: ["b.go"] } }), {});
  assert.equal(world.read("b-saw"), "a.go b.go\n");
  assert.deepEqual(world.status().pendingHooks, []);
});

test("[E50] a failing pre-commit script refuses with what it printed; its log, status and exit code are kept", async (t) => {
  const world = scriptWorld(t, [
    {
      type: "pre-commit",
      file: ".hookline/hooks/check.sh",
      does: "env > seen; printf '\\033[1mno good\\033[0m\\n'; exit 3",
    },
  ]);
  touch(world.root, "a.go");
  const told = { session: undefined, data: { changed_files: ["a.go", "gone.go"] } };
  assert.equal(reasonOf(await world.emit("git.pre-commit", told)), "no good");
  const run = await world.lastRun();
  const { log, ...output } = outputOf(run);
  assert.deepEqual({ ...output, ms: 0 }, { exitCode: 3, ms: 0, files: ["a.go"], removed: ["gone.go"] });
  assert.equal(readFileSync(String(log), "utf8"), "\u001b[1mno good\u001b[0m\n");
  assert.match(world.read("seen"), /^HOOKLINE_HOOK_TYPE=pre-commit$/m);
  assert.match(world.read("seen"), /^DISCOBOT_CHANGED_FILES=a\.go$/m);
  assert.doesNotMatch(world.read("seen"), /^DISCOBOT_SESSION_ID=/m);
  const status = JSON.parse(readFileSync(join(String(log), "../../status.json"), "utf8"));
  assert.deepEqual([status.hooks.check.type, status.hooks.check.lastExitCode], ["pre-commit", 3]);
});

test("a silent pre-commit script that fails refuses with the reason", async (t) => {
  const world = scriptWorld(t, [{ type: "pre-commit", name: "Types", does: "exit 4" }]);
  assert.equal(reasonOf(await world.emit("git.pre-commit", { data: { changed_files: [] } })), "Types failed: exit 4");
});

test("a script of the user's own runs where the event's files are named from", async (t) => {
  const world = scriptWorld(t, [{ does: "pwd; exit 1", layer: "user" }]);
  touch(world.root, "a.go", "below/x");
  const reason = reasonOf(await world.stop(["a.go"], { cwd: join(world.root, "below"), changes: { files: ["a.go"] } }));
  assert.match(reason, new RegExp(`Output:\\n${world.root}\\n`));
});

/** Until a script has come so far. */
async function appears(path: string): Promise<void> {
  while (!existsSync(path) || readFileSync(path, "utf8") === "")
    await new Promise((resolve) => {
      setTimeout(resolve, 10);
    });
}

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { Fields } from "../../../src/engine/event.ts";
import type { HookSet } from "../../../src/engine/hook.ts";
import {
  contentOf,
  type PersistentProgramLimits,
  type PersistentPrograms,
  type Question,
  type Reply,
  readAnswerLine,
  usualLimits,
} from "../../../src/engine/persistent-program.ts";
import {
  createPersistentPrograms,
  type PersistentProgramsOptions,
} from "../../../src/runtime/processes/persistent-programs.ts";
import { startPipedProcess } from "../../../src/runtime/processes/piped-process.ts";
import { pythonHere } from "../../python.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { goes } from "./gone.ts";
import { isRunning, PATH } from "./running.ts";

const odd = join(import.meta.dirname, "programs", "odd.py");
const linux = { skip: process.platform === "linux" ? false : "reads /proc" };

interface Wish {
  limits?: Partial<PersistentProgramLimits>;
  timeout?: number;
  signal?: AbortSignal;
  key?: string;
  folder?: string;
  environment?: Record<string, string>;
  args?: string[];
}
interface Asking {
  residents: PersistentPrograms;
  told: string[];
  /** Resolves with the first message that holds this text. */
  hears(text: string): Promise<string>;
  ask(event: Fields, wish?: Wish): Promise<Reply>;
  /** The fields of the answer; throws where there is none. */
  fields(event: Fields, wish?: Wish): Promise<Fields>;
}

function asking(t: TestContext, options: Partial<PersistentProgramsOptions> = {}): Asking {
  const told: string[] = [];
  const ears = new Set<(message: string) => void>();
  const tell = (_level: string, message: string): void => {
    told.push(message);
    for (const ear of ears) ear(message);
  };
  const residents = createPersistentPrograms({ start: startPipedProcess, stay: true, tell, ...options });
  t.after(() => residents.close());
  const ask = (event: Fields, wish: Wish = {}): Promise<Reply> => residents.ask(questionOf(event, wish));
  return {
    residents,
    told,
    ask,
    hears: (text) =>
      new Promise((resolve) => {
        ears.add((message) => {
          if (message.includes(text)) resolve(message);
        });
      }),
    async fields(event, wish) {
      const reply = await ask(event, wish);
      assert.equal(reply.is, "answer", JSON.stringify(reply));
      return reply.is === "answer" ? reply.fields : {};
    },
  };
}

function questionOf(event: Fields, wish: Wish): Question {
  const { timeout = 600, key = "odd", folder = "/one", environment = {} } = wish;
  const args = wish.args ?? ["-S", odd]; // it starts sooner without what only imports need
  return {
    key,
    content: contentOf(contentFor(key)),
    called: "odd.py",
    limits: { ...usualLimits, ...wish.limits },
    command: () => ({ program: pythonHere() ?? "python3", args, cwd: tmpdir(), environment: { PATH, WHO: "first" } }),
    event: JSON.stringify(event),
    environment,
    folder,
    hook: "hook",
    timeout,
    signal: wish.signal ?? AbortSignal.timeout(timeout * 1000),
  };
}

const failureOf = (reply: Reply): string => (reply.is === "failure" ? `${reply.failure}: ${reply.reason}` : "answer");
const contentFor = (key: string): { resident: string } => ({ resident: key });
const setOf = (id: string, ...keys: string[]): HookSet =>
  ({
    id,
    hooks: keys.map((key) => ({ enabled: true, steps: [{ uses: "command", with: contentFor(key) }] })),
  }) as unknown as HookSet; // what is looked at of it

test("200 events go through one process, each gets its own answer, and they are given one at a time", async (t) => {
  const { fields, residents } = asking(t);
  const answers = await Promise.all(Array.from({ length: 200 }, (_, number) => fields({ number })));
  assert.deepEqual(
    answers.map(({ said }) => said),
    Array.from({ length: 200 }, (_, number) => ({ number })),
  );
  assert.equal(new Set(answers.map(({ pid }) => pid)).size, 1);
  const both = await Promise.all([fields({ do: "more" }), fields({ do: "more" })]);
  assert.deepEqual(
    both.map(({ more }) => more),
    [false, false],
  );
  const [facts] = residents.facts();
  assert.deepEqual([facts?.events, facts?.restarts, facts?.pid], [202, 0, answers[0]?.pid]);
});

test("a program that is given several events at once may answer them in any order", async (t) => {
  const { fields } = asking(t);
  const wish = { limits: { concurrency: 3 } };
  const answers = await Promise.all([1, 2, 3].map((number) => fields({ do: "reverse", of: 3, number }, wish)));
  assert.deepEqual(
    answers.map(({ id, order }) => [id, order]),
    [
      ["1", 3],
      ["2", 3],
      ["3", 3],
    ],
  );
});

test("a crash fails the event that it was asked about at once, with its last words; the next gets a new process", async (t) => {
  const { ask, fields, residents } = asking(t);
  const { pid } = await fields({});
  const reply = await ask({ do: "crash" }, { timeout: 600 });
  assert.equal(failureOf(reply), "exit: it ended with exit code 3 before it answered");
  assert.equal(reply.stderr, "out of luck");
  const next = await fields({});
  assert.notEqual(next.pid, pid);
  assert.equal(residents.facts()[0]?.restarts, 1);
});

test("a crash fails only current events: a waiting one is answered by the next process", async (t) => {
  const { ask, fields } = asking(t);
  const [crashed, next] = await Promise.all([ask({ do: "crash" }), fields({ number: 2 })]);
  assert.equal(crashed.is, "failure");
  assert.deepEqual(next.said, { number: 2 });
});

test("a program that does not answer in time is ended with what it has started, and started anew", linux, async (t) => {
  const { ask, fields } = asking(t);
  const { pid, child } = await fields({ do: "child" });
  assert.equal(failureOf(await ask({ do: "hang" }, { timeout: 0.1 })), "timeout: it did not answer within 0.1 s");
  const next = await fields({});
  assert.notEqual(next.pid, pid);
  assert.ok(await goes(Number(pid)));
  assert.ok(await goes(Number(child)));
});

test("a caller that waits too long for its turn gets the reason, and the program is not ended for it", async (t) => {
  const { ask, fields } = asking(t);
  const { pid } = await fields({});
  const file = join(temporaryFolder(t), "go");
  const first = fields({ do: "until", file });
  const late = await ask({}, { timeout: 0.05 });
  writeFileSync(file, "");
  assert.equal(failureOf(late), "timeout: its turn did not come within 0.05 s: 1 were before it");
  assert.equal((await first).pid, pid);
  const [, behind] = await Promise.all([ask({ do: "slow", seconds: 0.2 }), ask({})]);
  assert.match(behind.notes[0] ?? "", /^it waited \d+ ms for its turn, behind 1 other event$/);
  assert.equal((await fields({})).pid, pid);
});

test("a caller that gives up is answered at once; the program stays, and its late answer is dropped", async (t) => {
  const { ask, fields, told } = asking(t);
  const { pid } = await fields({});
  const controller = new AbortController();
  const given = ask({ do: "slow", seconds: 0.1 }, { signal: controller.signal });
  controller.abort();
  assert.equal(failureOf(await given), "cancelled: the caller gave up");
  assert.equal((await fields({})).pid, pid);
  assert.deepEqual(told, []);
});

test("a program that writes what is no answer fails its event at once, is reported and started again", async (t) => {
  const { ask, fields, hears } = asking(t);
  const { pid } = await fields({});
  const warning = hears("was ended or went");
  assert.match(failureOf(await ask({ do: "garbage" })), /^output: it wrote what is no JSON: "Traceback/);
  await warning;
  assert.notEqual((await fields({})).pid, pid);
  assert.match(String(readAnswerLine("[1]")), /^it wrote JSON that is no object: /);
  assert.match(String(readAnswerLine('{"pid": 1}')), /^it wrote an answer without an id: /);
});

test("a program that fails again and again is started less and less often, and in between its events fail at once", async (t) => {
  const { ask } = asking(t);
  const wish = { args: ["-c", "import sys; sys.exit(5)"] };
  for (let times = 0; times < 4; times++)
    assert.equal(failureOf(await ask({}, wish)), "exit: it ended with exit code 5 before it answered");
  assert.match(
    failureOf(await ask({}, wish)),
    /^launch: it failed 4 times in a row and is started again in [12] s: it ended with exit code 5/,
  );
});

test("a program that is not there is a launch failure that names it", async (t) => {
  const { residents } = asking(t);
  const missing = {
    ...questionOf({}, {}),
    command: () => ({ program: "no-such-program", args: [], cwd: "/", environment: {} }),
  };
  assert.match(failureOf(await residents.ask(missing)), /^launch: the program no-such-program was not found/);
  const refused = { ...questionOf({}, { key: "other" }), command: () => "no bash or sh was found on the PATH" };
  assert.equal(failureOf(await residents.ask(refused)), "launch: no bash or sh was found on the PATH");
});

test(
  "a program that holds more memory than it may answers what is under way, and is started anew",
  linux,
  async (t) => {
    const { fields, hears } = asking(t, { looksEvery: 10 });
    const limits = { memory: 60 };
    const over = hears("above its limit of 60 MB");
    const { pid } = await fields({ do: "grow", megabytes: 70 }, { limits });
    await over;
    assert.notEqual((await fields({}, { limits })).pid, pid);
    assert.ok(await goes(Number(pid)));
  },
);

test("a program that is old enough, or has answered enough, is started anew between two events", async (t) => {
  const { fields } = asking(t);
  const aged = { key: "aged", limits: { age: 0 } };
  assert.notEqual((await fields({}, aged)).pid, (await fields({}, aged)).pid);
  const counted = { key: "counted", limits: { events: 2 } };
  const pids = [];
  for (let times = 0; times < 4; times++) pids.push((await fields({}, counted)).pid);
  assert.deepEqual([pids[0] === pids[1], pids[1] === pids[2], pids[2] === pids[3]], [true, false, true]);
});

test("a program without events is ended after a while, and the next event starts it again", async (t) => {
  const { fields, residents } = asking(t);
  const limits = { idle: 0.05 };
  const { pid } = await fields({}, { limits });
  assert.ok(await goes(Number(pid)));
  assert.deepEqual(
    [residents.facts()[0]?.pid, residents.facts()[0]?.ended],
    [undefined, "no event used it for 0.05 s"],
  );
  assert.notEqual((await fields({}, { limits })).pid, pid);
});

test("questions with different keys go to different processes; of too many programs the one not asked for the longest goes", async (t) => {
  const { fields } = asking(t, { atMost: 2 });
  const [one, two] = await Promise.all([fields({}, { key: "one" }), fields({}, { key: "two" })]);
  assert.notEqual(one.pid, two.pid);
  await fields({}, { key: "two" });
  await fields({}, { key: "three" });
  assert.ok(await goes(Number(one.pid)));
  assert.equal((await fields({}, { key: "two" })).pid, two.pid);
});

test("a program that no hook wants any more answers what it was asked and is ended; the others stay", async (t) => {
  const { fields, residents } = asking(t);
  const [one, two] = await Promise.all([fields({}, { key: "one" }), fields({}, { key: "two" })]);
  residents.follow("/one", setOf("first", "one", "two"));
  const under = fields({ do: "slow", seconds: 0.2 }, { key: "one" });
  const behind = fields({ number: 2 }, { key: "one" });
  residents.follow("/elsewhere", setOf("foreign"));
  residents.follow("/one", setOf("second", "two"));
  assert.deepEqual([(await under).pid, (await behind).said], [one.pid, { number: 2 }]);
  assert.ok(await goes(Number(one.pid)));
  assert.deepEqual([(await fields({}, { key: "two" })).pid, residents.facts().length], [two.pid, 1]);
});

test("its standard error is logged line by line; of too much output only the beginning", async (t) => {
  const { fields, told, residents } = asking(t);
  await fields({ do: "complain" });
  while (told.length < 2) await fields({});
  assert.deepEqual(told.slice(0, 2), ["line one", "line two"]);
  for (let times = 0; times < 40; times++) await fields({ do: "complain", times: 100 });
  await residents.close();
  assert.ok(told.join("").length < 80_000);
  assert.match(told.at(-1) ?? "", /more lines on its stderr were not kept$/);
});

test("a sender's variables are sent if the process was started with others, and only then", async (t) => {
  const { fields } = asking(t);
  const same = await fields({ do: "environment" }, { environment: { WHO: "first" } });
  assert.equal(same.said, null);
  const other = await fields({ do: "environment" }, { environment: { WHO: "second", CLAUDE_ENV_FILE: "/x" } });
  assert.deepEqual(other.said, { WHO: "second", CLAUDE_ENV_FILE: "/x" });
});

test(
  "close ends every program with what it has started, fails what is under way, and what is asked later",
  linux,
  async (t) => {
    const { ask, fields, residents } = asking(t);
    const { pid, child } = await fields({ do: "child" });
    const under = ask({ do: "hang" });
    const starting = ask({}, { key: "other" });
    await residents.close();
    assert.equal(failureOf(await under), "error: Hookline was stopped before it answered");
    assert.equal((await starting).is, "failure");
    assert.deepEqual([isRunning(Number(pid)), isRunning(Number(child))], [false, false]);
    assert.equal(failureOf(await ask({})), "launch: it was closed");
    await residents.close();
  },
);

test("close waits for what is being ended since it hung", linux, async (t) => {
  const { ask, fields, residents } = asking(t);
  const { child } = await fields({ do: "child" });
  assert.equal((await ask({ do: "hang" }, { timeout: 0.05 })).is, "failure");
  await residents.close();
  assert.equal(isRunning(Number(child)), false);
});
